"""Invented transcripts in the form of every source, as large as asked for.

Each has what files of its kind are mostly made of: with coding agents the output of tools, with
exports of chats what people and models wrote, beside the fields that their programs add. Words do
not matter here, sizes and shares do. `FORMS` says how; `write` puts them into a folder.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

_TEXT = (
    "the order service keeps its own ledger and we moved the retry loop out of the "
    "handler because two writers met on one row last week please keep the old column "
    "until friday and tell mara"
)
_WORDS = _TEXT.split()
#: exchanges of a conversation with an agent, and of one in a chat
_LONG, _SHORT = 30, 12
_CALLS = 4


def prose(seed: int, words: int) -> str:
    """Some sentence-like text, the same for the same seed."""
    return " ".join(
        _WORDS[(seed * 7 + place * (seed % 5 + 1)) % len(_WORDS)] for place in range(words)
    )


@dataclass(frozen=True, slots=True)
class Exchange:
    """A prompt, what an agent ran for it and read, and the answer."""

    number: int
    asked: str
    answer: str
    calls: tuple[tuple[str, str], ...]

    @property
    def seconds(self) -> int:
        """Since 1970."""
        return 1_772_000_000 + self.number * 60

    @property
    def time(self) -> str:
        """When, as most programs write it."""
        minute, hour = self.number % 60, self.number // 60 % 24
        return f"2026-{1 + self.number // 40_320 % 12:02d}-{1 + self.number // 1440 % 28:02d}" + (
            f"T{hour:02d}:{minute:02d}:00.120Z"
        )


def exchanges(session: int, most: int) -> Iterator[Exchange]:
    """Those of a conversation."""
    for number in range(session * most, (session + 1) * most):
        calls = tuple(
            (
                f"grep -rn {prose(number + place, 2)} src",
                "\n".join(
                    f"{line}\t{prose(number + line, 11)} return {{'a': [1, 2]}}"
                    for line in range(45)
                ),
            )
            for place in range(_CALLS)
        )
        yield Exchange(
            number, f"{prose(number, 30)} {number}", f"{prose(number, 90)} {number}", calls
        )


def _line(**fields: object) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def _text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


# -- coding agents ---------------------------------------------------------------------------------


def claude_code(session: int) -> bytes:
    """Lines in the shares that real transcripts have: mostly tool output, progress, thinking."""
    return b"".join(
        _claude_code_line(number) for number in range(session * 400 + 1, session * 400 + 401)
    )


def _claude_code_line(number: int) -> bytes:
    base = {
        "parentUuid": f"{number - 1:08x}-p", "isSidechain": False, "userType": "external",
        "cwd": "/home/kim/shop", "sessionId": f"session-{(number - 1) // 400}", "version": "2.1.0",
        "gitBranch": "main", "uuid": f"{number:08x}-u", "timestamp": "2026-03-06T12:00:00Z",
    }  # fmt: skip
    kind = number % 20
    output = "\n".join(f"{n}\t{prose(number + n, 12)} return {{'a': [1, 2]}}" for n in range(60))

    def spoken(content: object) -> dict[str, object]:
        return {"message": {"id": f"m{number}", "role": "assistant", "content": content}}

    if kind == 0:
        message = {"role": "user", "content": prose(number, 40)}
        return _line(**base, type="user", message=message)
    if kind in (1, 2):
        return _line(**base, type="assistant", **spoken(_text(prose(number, 90))))
    if kind < 9:
        use = {"id": f"t{number}", "name": "Bash", "input": {"command": prose(number, 9)}}
        return _line(**base, type="assistant", **spoken([{"type": "tool_use", **use}]))
    if kind < 16:
        result = [{"type": "tool_result", "tool_use_id": f"t{number}", "content": output}]
        message = {"role": "user", "content": result}
        return _line(**base, type="user", message=message, toolUseResult={"stdout": output})
    return _line(**base, type="progress", data={"type": "bash_progress", "output": output[:800]})


def codex(session: int) -> bytes:
    """Each text as item and as event, calls and their output, reasoning nobody can read."""
    lines = [
        _line(
            timestamp="2026-01-01T00:00:00.000Z", type="session_meta",
            payload={"id": f"s-{session}", "cwd": "/home/kim/shop", "source": "cli"},
        )
    ]  # fmt: skip

    def add(one: Exchange, outer: str, **payload: object) -> None:
        lines.append(_line(timestamp=one.time, type=outer, payload=payload))

    for one in exchanges(session, _LONG):
        content = [{"type": "input_text", "text": one.asked}]
        add(one, "response_item", type="message", role="user", content=content)
        add(one, "event_msg", type="user_message", message=one.asked)
        for place, (command, output) in enumerate(one.calls):
            name = f"call-{one.number}-{place}"
            add(one, "response_item", type="reasoning", summary=[], encrypted_content="gAAA" * 200)
            add(
                one, "response_item", type="function_call", name="shell", call_id=name,
                arguments=json.dumps({"command": ["bash", "-lc", command]}),
            )  # fmt: skip
            add(one, "response_item", type="function_call_output", call_id=name, output=output)
            add(one, "event_msg", type="token_count", info={"total_tokens": one.number})
        add(one, "event_msg", type="agent_message", message=one.answer)
        content = [{"type": "output_text", "text": one.answer}]
        add(one, "response_item", type="message", role="assistant", content=content)
    return b"".join(lines)


def gemini_cli(session: int) -> bytes:
    """One document, with calls and their results on the answers."""
    messages: list[dict[str, object]] = []
    for one in exchanges(session, _LONG):
        calls = [
            {
                "id": f"c{one.number}", "name": "run_shell_command", "args": {"command": command},
                "result": [{"functionResponse": {"response": {"output": output}}}],
                "status": "success", "timestamp": one.time, "resultDisplay": output,
            }
            for command, output in one.calls
        ]  # fmt: skip
        messages += [
            {"id": f"u{one.number}", "timestamp": one.time, "type": "user", "content": one.asked},
            {
                "id": f"g{one.number}", "timestamp": one.time, "type": "gemini",
                "content": one.answer, "toolCalls": calls, "model": "m",
                "thoughts": [{"subject": "Plan", "description": prose(one.number, 40)}],
                "tokens": {"input": 5000, "output": 300},
            },
        ]  # fmt: skip
    head = {
        "sessionId": f"s-{session}", "projectHash": "ab" * 32,
        "startTime": "2026-01-01T00:00:00.000Z", "lastUpdated": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    return json.dumps(head | {"messages": messages}, indent=2).encode()


def copilot_cli(session: int) -> bytes:
    """Events: hooks, tools that start and end, what was said."""
    number = count()
    lines = []

    def add(kind: str, time: str, **data: object) -> None:
        name = f"e{session}-{next(number)}"
        lines.append(_line(type=kind, data=data, id=name, timestamp=time, parentId=None))

    add(
        "session.start", "2026-01-01T00:00:00.000Z", sessionId=f"s-{session}",
        context={"cwd": "/home/kim/shop"},
    )  # fmt: skip
    for one in exchanges(session, _LONG):
        changed = f"<current_datetime>{one.time}</current_datetime>\n{one.asked}"
        add("user.message", one.time, content=one.asked, transformedContent=changed)
        for command, output in one.calls:
            add("hook.start", one.time, hookType="preToolUse", input={"toolArgs": command})
            add("tool.execution_start", one.time, toolName="bash", arguments={"command": command})
            add("tool.execution_complete", one.time, result={"content": output})
        add("assistant.message", one.time, content=one.answer, toolRequests=[])
    return b"".join(lines)


def cursor(session: int) -> bytes:
    """Lines without times and without what tools gave."""
    lines = []
    for one in exchanges(session, _LONG):
        asked = f"<user_query>\n{one.asked}\n</user_query>"
        lines.append(_line(role="user", message={"content": _text(asked)}))
        for command, output in one.calls:
            write = {"type": "tool_use", "name": "Write", "input": {"path": "/w/a", "c": output}}
            run = {"type": "tool_use", "name": "Shell", "input": {"command": command}}
            content = [*_text(prose(one.number, 15)), run, write]
            lines.append(_line(role="assistant", message={"content": content}))
        lines.append(_line(role="assistant", message={"content": _text(one.answer)}))
    return b"".join(lines)


def opencode(session: int) -> bytes:
    """An export: messages with their parts."""
    messages = []
    for one in exchanges(session, _LONG):
        parts: list[dict[str, object]] = [
            {
                "type": "tool", "tool": "bash", "callID": f"c{one.number}",
                "state": {"status": "completed", "input": {"command": command}, "output": output},
            }
            for command, output in one.calls
        ]  # fmt: skip
        for role, said in (("user", []), ("assistant", parts)):
            text = one.asked if role == "user" else one.answer
            info = {
                "role": role, "id": f"{role[0]}{one.number}",
                "time": {"created": one.seconds * 1000, "completed": one.seconds * 1000 + 900},
            }  # fmt: skip
            messages.append({"info": info, "parts": [*said, {"type": "text", "text": text}]})
    info = {
        "id": f"ses_{session}", "projectID": "p", "directory": "/home/kim/shop", "title": "Shop",
        "time": {"created": 1_772_000_000_000},
    }  # fmt: skip
    return json.dumps({"info": info, "messages": messages}, indent=2).encode()


def factory_droid(session: int) -> bytes:
    """Lines of messages, the results of tools among them."""
    lines = [_line(type="session_start", id=f"s-{session}", title="Shop", cwd="/home/kim/shop")]

    def add(one: Exchange, name: str, role: str, content: object) -> None:
        message = {"role": role, "content": content}
        lines.append(_line(type="message", id=name, timestamp=one.time, message=message))

    for one in exchanges(session, _LONG):
        add(one, f"u{one.number}", "user", _text(one.asked))
        for place, (command, output) in enumerate(one.calls):
            name = f"{one.number}-{place}"
            use = {"type": "tool_use", "id": name, "name": "Execute", "input": {"c": command}}
            add(one, f"c{name}", "assistant", [use])
            result = {"type": "tool_result", "tool_use_id": name, "content": output}
            add(one, f"r{name}", "user", [result])
        add(one, f"a{one.number}", "assistant", _text(one.answer))
    return b"".join(lines)


def pi(session: int) -> bytes:
    """Lines of a tree that has no branches."""
    time = "2026-01-01T00:00:00.000Z"
    lines = [
        _line(type="session", version=3, id=f"s-{session}", timestamp=time, cwd="/home/kim/shop")
    ]

    def add(one: Exchange, name: str, role: str, content: object) -> None:
        message = {"role": role, "content": content, "timestamp": one.seconds * 1000}
        lines.append(_line(type="message", id=name, timestamp=one.time, message=message))

    for one in exchanges(session, _LONG):
        add(one, f"u{one.number}", "user", _text(one.asked))
        for place, (command, output) in enumerate(one.calls):
            name = f"{one.number}-{place}"
            use = {"type": "toolCall", "id": name, "name": "bash", "arguments": {"c": command}}
            add(one, f"c{name}", "assistant", [use])
            add(one, f"r{name}", "toolResult", _text(output))
        add(one, f"a{one.number}", "assistant", _text(one.answer))
    return b"".join(lines)


def kiro(session: int) -> bytes:
    """One document: each entry of the history a message and its answer."""
    transaction_log: list[dict[str, object]] = []
    for one in exchanges(session, _LONG):
        asked: dict[str, object] = {"Prompt": {"prompt": one.asked}}
        for place, (command, output) in enumerate(one.calls):
            uses = [{"name": "execute_bash", "args": {"command": command}}]
            use = {"message_id": f"c{one.number}-{place}", "content": "", "tool_uses": uses}
            transaction_log.append(
                {"user": {"content": asked, "timestamp": one.time}, "assistant": {"ToolUse": use}}
            )
            asked = {"ToolUseResults": {"tool_use_results": [{"content": [{"Text": output}]}]}}
        answer = {"Response": {"message_id": f"a{one.number}", "content": one.answer}}
        transaction_log.append(
            {"user": {"content": asked, "timestamp": one.time}, "assistant": answer}
        )
    return json.dumps({"conversation_id": f"c-{session}", "history": transaction_log}).encode()


def aider(session: int) -> bytes:
    """A history of Markdown: prompts, what the program said, answers with edits."""
    first = next(exchanges(session, _LONG))
    text = [f"\n# aider chat started at {first.time[:10]} {first.time[11:19]}\n\n> Aider v0.86.1  "]
    for one in exchanges(session, _LONG):
        edits = "\n".join(
            f"app{place}.py\n<<<<<<< SEARCH\n{output[:900]}\n=======\n{output[900:1800]}\n"
            ">>>>>>> REPLACE\n"
            for place, (_, output) in enumerate(one.calls)
        )
        text += [
            f"\n#### {one.asked}  \n", f"{one.answer}\n\n{edits}",
            "> Tokens: 12k sent, 640 received. Cost: $0.04 message, $1.20 session.  ",
            "> Applied edit to app.py  ",
        ]  # fmt: skip
    return "\n".join([*text, ""]).encode()


def specstory(session: int) -> bytes:
    """A history of Markdown with the tools in details."""
    text = [
        "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# Shop (2026-03-04 09:10:11Z)\n\n"
        f"<!-- Claude Code Session s-{session} (2026-03-04 09:10:11Z) -->\n"
    ]
    for one in exchanges(session, _LONG):
        time = one.time[:19].replace("T", " ") + "Z"
        tools = "\n".join(
            '<tool-use data-tool-type="shell" data-tool-name="Bash"><details>\n<summary>Tool use:'
            f" **Bash**</summary>\n\n`{command}`\n\n```\n{output}\n```\n</details></tool-use>\n"
            for command, output in one.calls
        )
        text += [
            f"_**User ({time})**_\n\n{one.asked}\n\n---\n",
            f"_**Agent (m {time})**_\n\n{one.answer}\n\n{tools}\n---\n",
        ]  # fmt: skip
    return "\n".join(text).encode()


# -- exports and notes -----------------------------------------------------------------------------


def chatgpt(session: int) -> bytes:
    """A conversation as a tree, with the fields that every message has."""
    nodes: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None}}
    above = "root"
    for one in exchanges(session, _SHORT):
        for role, text in (("user", one.asked), ("assistant", f"{one.answer} {one.answer}")):
            name = f"{role[0]}{one.number}"
            message = {
                "id": name, "author": {"role": role, "name": None, "metadata": {}},
                "create_time": one.seconds + 0.25, "update_time": None, "status": "finished",
                "content": {"content_type": "text", "parts": [text]}, "end_turn": True,
                "weight": 1.0, "recipient": "all", "channel": None,
                "metadata": {"model_slug": "m-1", "request_id": "0" * 32, "citations": []},
            }  # fmt: skip
            nodes[name] = {"id": name, "message": message, "parent": above, "children": []}
            above = name
    return json.dumps(
        {
            "title": prose(session, 4), "create_time": 1_772_000_000.5, "mapping": nodes,
            "current_node": above, "conversation_id": f"c-{session}", "is_archived": False,
        }
    ).encode()  # fmt: skip


def claude_ai(session: int) -> bytes:
    """A conversation whose words stand as text and as blocks."""
    messages = []
    for one in exchanges(session, _SHORT):
        for sender, text in (("human", one.asked), ("assistant", f"{one.answer} {one.answer}")):
            messages.append(
                {
                    "uuid": f"{sender[0]}{one.number}", "text": text, "content": _text(text),
                    "sender": sender, "created_at": one.time, "updated_at": one.time,
                    "attachments": [], "files": [],
                }
            )  # fmt: skip
    return json.dumps(
        {
            "uuid": f"c-{session}", "name": prose(session, 4), "account": {"uuid": "kim"},
            "created_at": "2026-01-01T00:00:00.5Z", "chat_messages": messages,
        }
    ).encode()  # fmt: skip


def mem0(number: int) -> bytes:
    """A memory."""
    time = "2026-03-06T10:00:00.123-08:00"
    return json.dumps(
        {
            "id": f"m-{number}", "memory": f"{prose(number, 14)} {number}", "user_id": "kim",
            "hash": f"{number:032x}", "metadata": None, "categories": ["work"],
            "created_at": time, "updated_at": time,
        }
    ).encode()  # fmt: skip


def mcp_memory(number: int) -> bytes:
    """An entity and a relation."""
    said = [f"{prose(number + place, 9)} {number}" for place in range(5)]
    entity = _line(type="entity", name=f"Thing {number}", entityType="service", observations=said)
    other = f"Thing {number // 2}"
    return entity + _line(
        **{"type": "relation", "from": f"Thing {number}", "to": other, "relationType": "needs"}
    )


def markdown(number: int) -> bytes:
    """A day of a log, with links and a list."""
    day = f"20{10 + number // 336 % 80}-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}"
    listed = "\n".join(f"- {prose(number + place, 12)} [[Mara]]" for place in range(4))
    return f"## {day}\n\n{prose(number, 60)}\n\n{listed}\n\n".encode()


def text(number: int) -> bytes:
    """A question and an answer, labelled."""
    return f"User: {prose(number, 30)} {number}\n\nAssistant: {prose(number, 80)}\n\n".encode()


def jsonl(number: int) -> bytes:
    """Short turns of the generic source."""
    clock = f"{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}"
    return _line(
        role="user" if number % 2 == 0 else "assistant", content=prose(number, 14),
        timestamp=f"2026-03-{number // 86_400 % 28 + 1:02d}T{clock}Z",
        session=f"s{number // 500}", project="shop", id=str(number),
    )  # fmt: skip


# -- files -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """How the pieces of a source lie in files: each in one of its own when the name has a number.

    `packed` puts the file into a zip. `data` is whether JSON is what there is to read in it.
    """

    file: str
    piece: Callable[[int], bytes]
    before: bytes = b""
    between: bytes = b""
    after: bytes = b""
    packed: bool = False
    data: bool = True


#: what is measured -> its form; up to a blank the name is that of the source
FORMS: dict[str, Form] = {
    "claude-code": Form("session-{}.jsonl", claude_code),
    "codex": Form("rollout-{}.jsonl", codex),
    "gemini-cli": Form("session-{}.json", gemini_cli),
    "copilot-cli": Form("s{}/events.jsonl", copilot_cli),
    "cursor": Form("c-{}.jsonl", cursor),
    "opencode": Form("export-{}.json", opencode),
    "factory-droid": Form("s-{}.jsonl", factory_droid),
    "pi": Form("s-{}.jsonl", pi),
    "kiro": Form("c-{}.json", kiro),
    "chatgpt": Form("conversations.json", chatgpt, b"[", b", ", b"]"),
    "chatgpt (zip)": Form("conversations.json", chatgpt, b"[", b", ", b"]", packed=True),
    "claude-ai": Form("conversations.json", claude_ai, b"[", b", ", b"]"),
    "mem0": Form("memories.json", mem0, b'{"results": [', b", ", b"]}"),
    "mcp-memory": Form("memory.jsonl", mcp_memory),
    "jsonl": Form("turns.jsonl", jsonl),
    "aider": Form(".aider.chat.history.md", aider, data=False),
    "specstory": Form("2026-03-04_09-10-{}Z-shop.md", specstory, data=False),
    "markdown": Form("log.md", markdown, b"# Log\n\n", data=False),
    "text": Form("talk.txt", text, data=False),
}


def _pieces(form: Form, size: int) -> Iterator[bytes]:
    written = 0
    for number in count():
        if written >= size:
            return
        piece = form.piece(number)
        written += len(piece)
        yield piece


def _joined(form: Form, size: int) -> Iterator[bytes]:
    yield form.before
    for number, piece in enumerate(_pieces(form, size)):
        if number:
            yield form.between
        yield piece
    yield form.after


def write(folder: Path, form: Form, size: int) -> None:
    """About so many bytes of a form, in files below a folder."""
    folder.mkdir(parents=True)
    if "{}" in form.file:
        for number, piece in enumerate(_pieces(form, size)):
            path = folder / form.file.format(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(piece)
    elif form.packed:
        with (
            zipfile.ZipFile(folder / "export.zip", "w", zipfile.ZIP_DEFLATED) as whole,
            whole.open(form.file, "w", force_zip64=True) as stream,
        ):
            for piece in _joined(form, size):
                stream.write(piece)
    else:
        with (folder / form.file).open("wb") as stream:
            stream.writelines(_joined(form, size))
