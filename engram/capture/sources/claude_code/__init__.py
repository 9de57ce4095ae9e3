"""Claude Code session files (`~/.claude/projects/<folder>/<session>.jsonl`) -> turns.

Formats seen: 1.0.98 to 2.1.218 (verified 2026-11-20); unofficial and drifting, so unknown types
are counted and passed over. One turn is what a person typed, or all text of one answer.

- Of `user` lines most are no prompt: tool results, `isMeta`, compaction summaries, sidechains
  (the model's own prompts to subagents), interruptions, bash mode, task notifications and other
  machine origins are left out, wrappers and our own injected block are cut. Prompts of scripts
  (`entrypoint: sdk-...`) and of plan mode (`planContent`) are turns that a program wrote.
- An answer is spread over several lines with one `message.id`, between tool results: its text is
  held until the next answer or prompt begins, or the stream ends. When more of an answer arrives
  after the end of an earlier reading, that is a turn of its own: no text is lost, none comes twice.
- Tool calls become elided lines on the answer they follow (or, before any text, precede).
- A message is named by its uuid alone: copies that a resumed session makes are the same. Session
  and project belong to the line, not the file: the base name of the session's first folder. An
  answer that goes on in another folder goes on as another turn.
- A summary titles the file only where the message that it names (`leafUuid`) is one of its own:
  others are of the session before it.
- Prompts that were typed while the agent worked and stand on no user line are turns marked
  `queued` (`claude_queue`), behind the answer during which they were typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from engram.capture.clean import base_name, readable, remember, said, shortened, without_wrappers
from engram.capture.sources.claude_code.queue import PromptQueue, QueuedPrompt
from engram.capture.sources.claude_code.screen import silent
from engram.capture.sources.formats.json_lines import (
    MAX_LINE_BYTES as MAX_LINE_BYTES,
)
from engram.capture.sources.formats.json_lines import (
    Object,
    Place,
    digest,
    objects,
    records,
    short_name,
    time_of,
    unknown,
)
from engram.capture.sources.shared.dialogue import Calls, texts
from engram.capture.sources.shared.source_base import TranscriptSource
from engram.capture.sources.shared.tools import tool_line
from engram.model.ids import message_digest
from engram.model.injected_block import without_own
from engram.model.instant import Instant
from engram.model.ports import SourceReading
from engram.model.text import first_line
from engram.model.turn import Role, Turn

NAME = "claude-code"
#: Types that are known and hold no turn of their own.
_SILENT = frozenset(
    [
        "progress", "system", "attachment", "file-history-snapshot", "file-history-delta",
        "last-prompt", "mode", "permission-mode", "pr-link", "agent-name", "worktree-state",
        "ai-title", "custom-title", "summary",
    ]
)  # fmt: skip
_QUEUE = "queue-operation"
#: Types with a title, the key it stands under, and what outranks what.
_TITLES = (("custom-title", "customTitle"), ("ai-title", "aiTitle"), ("summary", "summary"))
#: How a machine-written user line begins. Older versions mark it in no other way.
_MACHINE = (
    "<task-notification>", "<bash-input>", "<bash-stdout>", "<bash-stderr>",
    "This session is being continued from a previous conversation",
)  # fmt: skip
#: where a prompt came from that nobody typed, in the words of newer versions
_PROMPT_SOURCES = ("system", "sdk")
_INTERRUPTED = re.compile(r"\[Request interrupted[^\]\n]*\]?\s*")
_NOTICE = re.compile(r"<(task-notification)>")
#: An answer longer than this is closed and goes on as another turn: memory stays bounded.
_MAX_ANSWER = 1 << 20
#: What a line of an answer costs beside its text, roughly.
_LINE_COST = 100
_MAX_TITLE = 120


class ClaudeCode(TranscriptSource):
    """The source `claude-code`."""

    name = NAME
    suffixes: tuple[str, ...] = (".jsonl",)
    verified = "2026-11-20"

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The projects folder; `CLAUDE_CONFIG_DIR` moves it."""
        moved = environment.get("CLAUDE_CONFIG_DIR")
        if moved:
            return [Path(moved) / "projects"]
        return [home / ".claude" / "projects", home / ".config" / "claude" / "projects"]

    def recognises(self, head: bytes) -> bool:
        """Whether one of the first lines is an object of a known type with this format's keys."""
        for line in head.split(b"\n", 50)[:50]:
            for found in objects(line)[0]:
                if _known(found):
                    return True
            if b'"parentUuid"' in line and b'"isSidechain"' in line:
                return True
        return False

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """Turns from `reading.offset` on, as `model.ports.Source` says.

        At every turn `reading` stands where a later reading can go on without losing text: before
        the answer that is still held, or behind the line just read.
        """
        conversation = _Conversation(reading)
        end = (reading.offset, reading.line)
        for found, before, end in records(
            stream, reading, self._max_line_bytes, conversation.passes
        ):
            ready: list[Turn] = []
            for line in found:
                conversation.take(line, before, ready)
            yield from ready[:-1]
            conversation.settle()
            if ready:
                reading.offset, reading.line = conversation.since or end
                yield ready[-1]
        rest = conversation.close()
        conversation.settle()
        yield from rest[:-1]
        reading.offset, reading.line = end
        yield from rest[-1:]


def _known(line: Object) -> bool:
    kind = line.get("type")
    if kind in ("user", "assistant"):
        return isinstance(line.get("message"), dict) and ("uuid" in line or "sessionId" in line)
    return (
        isinstance(kind, str)
        and (kind in _SILENT or kind == _QUEUE)
        and any(key in line for key in ("sessionId", "leafUuid", "messageId", "isSidechain"))
    )


@dataclass(slots=True)
class _ClaudeAnswer:
    """An answer whose text is still coming in; `since` is where its first line begins."""

    name: str
    since: Place
    session: str
    time: Instant
    digest: str
    calls: Calls
    texts: list[str] = field(default_factory=list)
    lines: set[str] = field(default_factory=set)
    size: int = 0
    folder: str = ""


class _Conversation:
    """What must be known of the lines so far to make turns of the next."""

    def __init__(self, reading: SourceReading) -> None:
        self._reading = reading
        self._state = reading.state
        self._answer: _ClaudeAnswer | None = None
        self._queue = PromptQueue(reading.state)
        #: tool calls before any text since the last prompt
        self._calls = Calls()
        self._stamp: object = None
        self._instant: Instant = ""
        #: the bytes that name session and folder of the last line that was decoded
        self._mark: tuple[bytes, bytes] | None = None
        #: ids of the last messages, and titles by the id of the message that they wait for
        self._messages: dict[str, str] = {}
        self._summaries: dict[str, str] = {}

    @property
    def since(self) -> Place | None:
        """Where the answer that is held begins."""
        return self._answer.since if self._answer is not None else None

    def passes(self, data: bytes) -> bool:
        """Whether a line needs no decoding: nothing said, and no other session or folder in it."""
        if self._mark is None or not silent(data):
            return False
        return b'"cwd"' not in data or (self._mark[0] in data and self._mark[1] in data)

    def take(self, line: Object, place: Place, ready: list[Turn]) -> None:
        """Take in one object of a line; turns that are complete by it go to `ready`."""
        kind = line.get("type")
        session = self._session(line)
        if isinstance(uuid := line.get("uuid"), str):
            remember(self._messages, uuid, "")
            if uuid in self._summaries:
                remember(self._state, "summary", self._summaries.pop(uuid))
        if kind == "user":
            text = _typed(line)
            if text:
                self._queue.heard(text)
                ready += self.close()
                self._calls = Calls()
                time, own = self._time(line)
                named = self._digest(line, session, "user", own, place, text)
                turn = self._turn("user", text, session, time, named)
                ready.append(replace(turn, program=True) if _by_program(line) else turn)
        elif kind == "assistant":
            self._hear(line, session, place, ready)
        elif kind == _QUEUE:
            self._note_queued(line, session, place)
            if self._answer is None:
                ready += self.close()
        elif isinstance(kind, str) and kind in _SILENT:
            self._note_title(line, session)
        else:
            unknown(self._reading, kind)

    def close(self) -> list[Turn]:
        """The turn of the answer that is held, if any, and what was queued meanwhile."""
        answer, self._answer = self._answer, None
        text = readable(without_own("\n".join(answer.texts))).strip() if answer else ""
        closed = [self._queued(prompt) for prompt in self._queue.removed()]
        if answer is not None and text:
            calls = answer.calls.lines()
            turn = self._turn("assistant", text, answer.session, answer.time, answer.digest, calls)
            same = turn.folder == answer.folder
            closed.insert(0, turn if same else replace(turn, folder=answer.folder))
        return closed

    def settle(self) -> None:
        """Bring the reading's state up to date with the lines taken in."""
        self._queue.settle()

    def _note_queued(self, line: Object, session: str, place: Place) -> None:
        operation, content = line.get("operation"), line.get("content")
        if operation == "enqueue":
            self._queue.put(content, session, self._time(line)[1], place[1])
        else:
            self._queue.take(operation, content)

    def _queued(self, prompt: QueuedPrompt) -> Turn:
        """The turn of a prompt that stands on no user line; it is named by its time and words."""
        named = digest(NAME, prompt.session, "queued", prompt.time, prompt.line, prompt.text)
        time = prompt.time or self._state.get("time") or self._reading.guess()
        turn = self._turn("user", prompt.text, prompt.session, time, named)
        return replace(turn, queued=True)

    def _hear(self, line: Object, session: str, place: Place, ready: list[Turn]) -> None:
        """Take in one line of an answer: text is held, a tool call becomes one line."""
        if line.get("isSidechain"):
            return
        message = line.get("message")
        if not isinstance(message, dict):
            return
        content = message.get("content")
        text = "\n".join(part for part in texts(content) if part.strip())
        if text:
            uuid = line.get("uuid")
            answer = self._answering(message.get("id"), line, session, place, text, ready)
            if isinstance(uuid, str):
                if uuid in answer.lines:
                    return
                answer.lines.add(uuid)
            answer.texts.append(text)
            answer.size += len(text) + _LINE_COST
        calls = self._calls if self._answer is None else self._answer.calls
        for call in _tool_calls(content):
            calls.add(call)

    def _answering(
        self, name: object, line: Object, session: str, place: Place, text: str, ready: list[Turn]
    ) -> _ClaudeAnswer:
        """The answer that a text belongs to: the one that is held, or a new one that ends it."""
        answer = self._answer
        if (
            answer is not None
            and isinstance(name, str)
            and name == answer.name != ""
            and answer.size <= _MAX_ANSWER
            and answer.folder == self._state.get("folder", "")
        ):
            return answer
        ready += self.close()
        time, own = self._time(line)
        named = self._digest(line, session, "assistant", own, place, text)
        held = name if isinstance(name, str) else ""
        self._answer = answer = _ClaudeAnswer(
            held, place, session, time, named, self._calls, folder=self._state.get("folder", "")
        )
        self._calls = Calls()
        return answer

    def _note_title(self, line: Object, session: str) -> None:
        """Remember a title; a summary names no session, it serves those without a title."""
        for kind, key in _TITLES:
            if line.get("type") == kind:
                title = line.get(key)
                if isinstance(title, str) and title.strip():
                    whole = shortened(readable(first_line(title, len(title))), _MAX_TITLE)
                    if kind == "summary":
                        self._note_summary(whole, line.get("leafUuid"))
                    else:
                        remember(self._state, f"{kind} {session}", whole)

    def _note_summary(self, title: str, leaf: object) -> None:
        """Take in the summary of the conversation that ends with a message, if that is here."""
        if not isinstance(leaf, str) or leaf in self._messages:
            remember(self._state, "summary", title)
        else:
            remember(self._summaries, leaf, title)

    def _session(self, line: Object) -> str:
        """The session of a line; the first folder that is seen of it becomes its project."""
        known = self._state.get("session", "")
        named = line.get("sessionId") or line.get("session_id")
        session = named if isinstance(named, str) and named else known or self._reading.name
        folder = line.get("cwd")
        if session != known:
            session = short_name(session)
            remember(self._state, "session", session)
            self._mark = None
        moved = isinstance(folder, str) and folder != self._state.get("folder")
        if isinstance(folder, str) and folder and (moved or self._mark is None):
            remember(self._state, "folder", folder)
            if f"project {session}" not in self._state:
                remember(self._state, f"project {session}", short_name(base_name(folder)))
            cwd = f'"cwd":{json.dumps(folder, ensure_ascii=False)}'
            self._mark = f'"sessionId":"{session}"'.encode(), cwd.encode("utf-8", "replace")
        return session

    def _time(self, line: Object) -> tuple[Instant, Instant]:
        """The time of a line, or else the last one known, or else now; and its own or nothing."""
        stamp = line.get("timestamp")
        if stamp != self._stamp or not self._instant:
            self._stamp, self._instant = stamp, time_of(stamp)
        if self._instant:
            remember(self._state, "time", self._instant)
        return self._instant or self._state.get("time") or self._reading.guess(), self._instant

    def _digest(
        self, line: Object, session: str, role: Role, own: Instant, place: Place, text: str
    ) -> str:
        uuid = line.get("uuid")
        if isinstance(uuid, str) and uuid:
            return message_digest(NAME, "", uuid)
        return digest(NAME, session, role, own, place[1], text)

    def _turn(
        self,
        role: Role,
        text: str,
        session: str,
        time: Instant,
        message: str,
        tools: tuple[str, ...] = (),
    ) -> Turn:
        state = self._state
        title = (
            state.get(f"custom-title {session}")
            or state.get(f"ai-title {session}")
            or state.get("summary", "")
        )
        project = state.get(f"project {session}", "")
        folder = state.get("folder", "")
        return Turn(NAME, session, role, text, time, message, project, title, tools, folder=folder)


def _typed(line: Object) -> str:
    """What a person typed on a user line; empty when no person did."""
    if line.get("isMeta") or line.get("isCompactSummary") or line.get("isSidechain"):
        return ""
    message, origin = line.get("message"), line.get("origin")
    if isinstance(origin, dict) and origin.get("kind") not in (None, "human"):
        return ""
    if not isinstance(message, dict):
        return ""
    text = said("\n".join(texts(message.get("content"))))
    if text.startswith("[Request"):
        text = _INTERRUPTED.sub("", text, count=1)
    if text.startswith(_MACHINE):
        return ""
    return without_wrappers(text, _NOTICE).strip() if "<task-n" in text else text


def _by_program(line: Object) -> bool:
    """Whether a prompt came from a script, from plan mode, or from the program itself."""
    entry = line.get("entrypoint")
    scripted = isinstance(entry, str) and entry.startswith("sdk")
    return scripted or "planContent" in line or line.get("promptSource") in _PROMPT_SOURCES


def _tool_calls(content: object) -> Iterator[str]:
    if isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                call = tool_line(block.get("name"), block.get("input"))
                if call:
                    yield call
