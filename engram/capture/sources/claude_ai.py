"""The data export of Claude.ai (a zip, its folder, or a file of it) -> turns.

Compared on 2026-11-20 with one trimmed export of 2024 and two invented samples. Only described by
others, never seen here: zips and projects, `memories.json`, single conversations from the web
page's own interface, artifacts, and the notice that stands for a block in flat text.

- The words of a message are the text blocks of its `content`; where there are none (older
  exports have no blocks), its `text`. Attachments, thoughts and tool results are no words.
- Artifacts in the text are the assistant's work, not its words: their bodies are cut out and an
  elided line with the title stays. An answer that is nothing else is its artifact's title.
- Only where a document says which message is the current one (`current_leaf_message_uuid`) are
  its branches known: then the messages on the way up from it are taken. Else all are, in the order
  of their times: branches are listed one behind another, the later one perhaps first.
- `memories.json` is what Claude remembers of the person and of each project: a turn each in the
  session `memories`. Projects and accounts say nothing; in an archive projects lend their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from engram.capture.clean import without_wrappers
from engram.capture.sources.formats.json_lines import (
    Object,
    short_name,
    time_of,
    unknown,
)
from engram.capture.sources.formats.json_stream import elements, first_keys
from engram.capture.sources.formats.zip_archive import documents, glimpses
from engram.capture.sources.shared.exported import (
    CONVERSATIONS,
    MEMORIES,
    MEMORY_LISTS,
    ExportedConversation,
    ExportedMessage,
    memory_or_unknown,
    saved,
    saved_memory,
    title_of,
    turns,
    word,
)
from engram.capture.sources.shared.source_base import TranscriptSource
from engram.capture.sources.shared.tools import tool_line
from engram.model.ports import SourceReading
from engram.model.turn import Role, Turn

NAME = "claude-ai"
_LISTS = MEMORY_LISTS | {"conversations"}
_PROJECTS = re.compile(r"(?:\A|/)projects(?:[-_/][^/]*)?\.json\Z", re.IGNORECASE)
_USERS = re.compile(r"(?:\A|/)users\.json\Z", re.IGNORECASE)
_ROLES: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}
#: Kinds of content that are known and hold no words.
_SILENT = frozenset(
    [
        "thinking", "redacted_thinking", "tool_result", "token_budget", "flag", "image", "document",
        "file", "voice_note", "server_tool_use", "web_search_tool_result",
    ]
)  # fmt: skip
_MEMORY_KEYS = frozenset({"conversations_memory", "project_memories", "memory_files"})
_THINKING = re.compile(r"<(antThinking)\b[^<>]*>")
_ARTIFACT = re.compile(r"<antArtifact\b((?>(?:[^\"<>]|\"[^\"]*+(?:\"|\Z))*))(?:>|\Z)")
_ARTIFACT_END = "</antArtifact>"
_TITLE = re.compile(r"\btitle=\"([^\"]*)\"")
#: What older exports write into the text in place of a block.
_PLACEHOLDER = re.compile(
    r"(?:```\s*)?This block is not supported on your current device yet\.?(?:\s*```)?"
)
_MAX_PROJECTS = 10_000


class ClaudeAi(TranscriptSource):
    """The source `claude-ai`."""

    name = NAME
    suffixes: tuple[str, ...] = (".json", ".zip")
    verified = "2026-11-20"

    def recognises(self, head: bytes) -> bool:
        """Whether it begins with a conversation or memories of this export, or an archive does."""
        if not head.startswith(b"PK"):
            return _is_own(head)
        return any(_is_member(name, content) for name, content in glimpses(head))

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """All turns of the export, as `model.ports.Source` says; BadInput for a hopeless zip."""
        wanted = (_PROJECTS, CONVERSATIONS, MEMORIES, _USERS)
        projects: dict[str, str] = {}
        for name, document in documents(stream, reading, wanted):
            for listed, value in elements(document, reading.tally, self._max_line_bytes, _LISTS):
                if isinstance(value, dict) and isinstance(value.get("chat_messages"), list):
                    yield from _conversation(value, reading)
                elif isinstance(value, dict) and value.keys() & _MEMORY_KEYS:
                    yield from _memories(value, projects, reading)
                elif isinstance(value, dict) and _PROJECTS.search(name):
                    if len(projects) < _MAX_PROJECTS:
                        projects[word(value, "uuid")] = short_name(word(value, "name").strip())
                else:
                    yield from memory_or_unknown(NAME, name, listed, value, reading)


def _is_own(head: bytes) -> bool:
    keys = first_keys(head)
    return keys.get("chat_messages") == "[" or "conversations_memory" in keys


def _is_member(name: str, content: bytes) -> bool:
    """Whether a member of an archive is one of this export's files."""
    if CONVERSATIONS.search(name) or MEMORIES.search(name):
        return _is_own(content)
    if _USERS.search(name):
        return {"uuid", "full_name"} <= first_keys(content).keys()
    return bool(_PROJECTS.search(name)) and "prompt_template" in first_keys(content)


def _conversation(whole: Object, reading: SourceReading) -> Iterator[Turn]:
    messages = _current(whole)
    time = time_of(whole.get("created_at")) or time_of(whole.get("updated_at"))
    project = whole.get("project")
    named = short_name(word(project, "name").strip()) if isinstance(project, dict) else ""
    talk = ExportedConversation(
        NAME, word(whole, "uuid", "id"), title_of(whole.get("name")), named, time
    )
    said = [one for message in messages if (one := _said(message, reading)) is not None]
    return turns(talk, said, reading)


def _current(whole: Object) -> list[Object]:
    """The messages of the current branch, where it is known; else all, in order of time."""
    listed = whole.get("chat_messages")
    messages = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    leaf = whole.get("current_leaf_message_uuid")
    by_id = {word(one, "uuid"): one for one in messages if "parent_message_uuid" in one}
    if not isinstance(leaf, str) or leaf not in by_id:
        return _by_time(messages)
    path: dict[str, Object] = {}
    while isinstance(leaf, str) and leaf in by_id and leaf not in path:
        path[leaf] = by_id[leaf]
        leaf = by_id[leaf].get("parent_message_uuid")
    return list(reversed(path.values()))


def _by_time(messages: list[Object]) -> list[Object]:
    """Messages in order of time; one without a time stays behind the one before it."""
    last, timed = "", list[tuple[str, Object]]()
    for message in messages:
        last = time_of(message.get("created_at")) or last
        timed.append((last, message))
    return [message for _, message in sorted(timed, key=lambda one: one[0])]


def _said(message: Object, reading: SourceReading) -> ExportedMessage | None:
    sender = message.get("sender")
    role = _ROLES.get(sender) if isinstance(sender, str) else None
    if role is None:
        unknown(reading, sender)
        return None
    text, calls = _content(message, reading)
    if role == "assistant" and "<antThinking" in text:
        text = without_wrappers(text, _THINKING)
    if role == "assistant" and "<antArtifact" in text:
        text, titles = _without_artifacts(text)
        text = text if text.strip() else "\n".join(titles)
        calls = [*map(_artifact_line, titles), *calls]
    return ExportedMessage(
        role, text, time_of(message.get("created_at")), word(message, "uuid"), calls
    )


def _content(message: Object, reading: SourceReading) -> tuple[str, list[str]]:
    """The words of a message, and the elided lines of the tools that it called."""
    blocks, texts, calls = message.get("content"), [], []
    if isinstance(blocks, str):
        texts.append(blocks)
    for block in blocks if isinstance(blocks, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text":
            texts.append(word(block, "text"))
        elif kind == "tool_use":
            calls.append(_call(block))
        elif not isinstance(kind, str) or kind not in _SILENT:
            unknown(reading, kind)
    text = "\n".join(text for text in texts if text.strip())
    if not text:
        text = _PLACEHOLDER.sub("", word(message, "text"))
    return text, [call for call in calls if call]


def _call(block: Object) -> str:
    given = block.get("input")
    if block.get("name") == "artifacts" and isinstance(given, dict):
        return _artifact_line(word(given, "title", "id"))
    return tool_line(block.get("name"), given)


def _artifact_line(title: str) -> str:
    return tool_line("Artifact", {"query": title})


def _without_artifacts(text: str) -> tuple[str, list[str]]:
    """Text without the artifacts in it, and their titles; one without its end takes the rest."""
    pieces: list[str] = []
    titles: list[str] = []
    done = 0
    while opening := _ARTIFACT.search(text, done):
        pieces.append(text[done : opening.start()])
        title = _TITLE.search(opening[1])
        titles.append(title[1] if title else "")
        end = text.find(_ARTIFACT_END, opening.end())
        done = end + len(_ARTIFACT_END) if end >= 0 else len(text)
    return "".join(pieces) + text[done:], titles


def _memories(whole: Object, projects: Mapping[str, str], reading: SourceReading) -> Iterator[Turn]:
    """The memories of an account: of all conversations, of each project, in files."""
    found = [saved(NAME, word(whole, "conversations_memory"), reading)]
    of_projects, files = whole.get("project_memories"), whole.get("memory_files")
    for key, text in of_projects.items() if isinstance(of_projects, dict) else ():
        if isinstance(text, str):
            name = projects.get(key, "")
            found.append(saved(NAME, text, reading, id=key, project=name))
    for one in (of_projects, files):
        for entry in one if isinstance(one, list) else ():
            found.append(saved_memory(NAME, entry, reading))
    yield from (turn for turn in found if turn is not None)
