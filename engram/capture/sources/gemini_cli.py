"""Gemini CLI chats (`~/.gemini/tmp/<project>/chats/session-*.json`, `.jsonl`) -> turns.

Two forms (2026-11-20): one JSON document `{sessionId, projectHash, startTime, messages}`, and a log
of records: that header without messages, then messages, `{"$set": ...}`, `{"$rewindTo": id}`.

- A message record that comes again under its id replaces the one before (tool calls and tokens are
  added that way). It keeps its place.
- What was rewound was said all the same: it stays, as it would have been captured before.
- `$set.messages` is what the model is shown: masked, compressed, under new ids. Only what was said
  nowhere else is taken from it, and none of what the program puts in itself.
- A prompt is what was typed (`displayContent`) where that is kept apart from what files and hooks
  added. Chats of sub-agents hold the model's own prompts and nothing of a person: no turns.

Both forms are read from the start each time, for records change what stands before them; of a log
only words are kept in memory, up to a limit. No working folder is recorded: the project is that
of `.project_root` beside the chats, or the folder's name where that is no digest.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engram.capture.clean import base_name, readable, said, shortened, without_wrappers
from engram.capture.sources.formats.json_document import documents, mapping, sequence, text_of
from engram.capture.sources.formats.json_lines import (
    Object,
    digest,
    objects,
    records,
    short_name,
    time_of,
    unknown,
)
from engram.capture.sources.shared.conversation import Conversation, Growing
from engram.capture.sources.shared.source_base import TranscriptSource, moved
from engram.capture.sources.shared.tools import tool_line
from engram.model.ids import message_digest
from engram.model.injected_block import without_own
from engram.model.instant import Instant
from engram.model.ports import SourceReading
from engram.model.text import first_line
from engram.model.turn import Role, Turn

NAME = "gemini-cli"
_ROLES: dict[str, Role] = {"user": "user", "gemini": "assistant"}
_SILENT = frozenset({"info", "error", "warning", "session_metadata"})
_MAX_TITLE = 120
#: Characters of text that are held before what is complete is handed on, and what a message costs.
_MAX_HELD, _COST = 16_000_000, 200
_ROOT_BYTES = 4096
#: Blocks that the program and its hooks put beside a prompt.
_CONTEXT = re.compile(r"<(session_context|hook_context|state_snapshot|environment_context)>")
#: Behind this line stands what files named in a prompt hold.
_REFERENCED = re.compile(r"^--- Content from referenced files ---$", re.MULTILINE)
#: How a prompt begins that the program made itself, and how the model takes note of it.
_MACHINE = ("This is the Gemini CLI. We are setting up the context", "System: Please continue.")
_NOTED = frozenset(
    {"Got it. Thanks for the context!", "Got it. Thanks for the additional context!"}
)
_DIGEST = re.compile(r"[0-9a-f]{32,}", re.IGNORECASE)


class GeminiCli(TranscriptSource):
    """The source `gemini-cli`."""

    name = NAME
    suffixes: tuple[str, ...] = (".json", ".jsonl")
    verified = "2026-11-20"

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The folder of all projects' chats; `GEMINI_CLI_HOME` stands in for the home folder."""
        return [moved(environment, "GEMINI_CLI_HOME", home) / ".gemini" / "tmp"]

    def recognises(self, head: bytes) -> bool:
        """Whether it begins with the header of a chat, as a line or as a document."""
        bare = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\0 \t\r\n")
        first = objects(bare.split(b"\n", 1)[0])[0]
        if first:
            kind = first[0].get("type")
            return "sessionId" in first[0] and (
                "projectHash" in first[0] or kind == "session_metadata"
            )
        header = bare.partition(b'"messages"')[0]
        return bare[:1] == b"{" and b'"sessionId"' in header and b'"projectHash"' in header

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """All turns, each time; `model.ports.Source` says why the offset stays where it is."""
        chat = _GeminiChat(reading)
        if _in_lines(stream, self._max_line_bytes):
            for found, _, _ in records(stream, reading, self._max_line_bytes):
                for record in found:
                    chat.take(record)
                if chat.size > _MAX_HELD:
                    yield from chat.turns(all_of_them=False)
        else:
            for value in documents(stream, reading, self._max_line_bytes):
                if isinstance(value, dict) and "sessionId" in value:
                    chat.take(value)
                    reading.tally.lines += len(sequence(value.get("messages")))
        yield from chat.turns(all_of_them=True)


def _in_lines(stream: BinaryIO, most: int) -> bool:
    """Whether one of the first two lines is a whole object; in a document none is."""
    stream.seek(0)
    seen = 0
    while seen < 2 and (line := stream.readline(most)):
        if line.strip(b"\0 \t\r\n"):
            found, whole = objects(line)
            if found and whole:
                return True
            seen += 1
    return False


@dataclass(slots=True)
class _Said:
    """What the latest record of a message holds; `text` may be empty where there are only calls."""

    role: Role
    text: str
    time: Instant
    message: str
    calls: list[str]


class _GeminiChat:
    """A chat as its records build it up."""

    def __init__(self, reading: SourceReading) -> None:
        self._reading = reading
        self._conversation = Conversation(NAME, readable(reading.name), reading)
        self._conversation.folder, self._conversation.project = _places(reading)
        self._growing = Growing(reading.state)
        self._named = False
        self._of_agent = False
        self._messages: dict[str, _Said] = {}
        #: messages that were handed on already, and digests of all that was said
        self._done: set[str] = set()
        self._heard: set[str] = set()
        self._count = 0
        #: roughly how much is held
        self.size = 0

    def take(self, record: Object) -> None:
        """Take in one record of a log, or a whole document."""
        patch = record.get("$set")
        if "$rewindTo" in record:
            return
        if isinstance(patch, dict):
            self._note(patch)
            for message in sequence(patch.get("messages")):
                self._hear(mapping(message), shown=True)
        elif "id" in record or "content" in record:
            self._hear(record)
        elif "sessionId" in record:
            self._note(record)
            for message in sequence(record.get("messages")):
                self._hear(mapping(message))
        elif text_of(record.get("type")) not in _SILENT:
            unknown(self._reading, record.get("type"))

    def turns(self, *, all_of_them: bool) -> Iterator[Turn]:
        """The turns of what is held; the last message may still change, unless that was all."""
        held = list(self._messages.items())
        late = [] if all_of_them else held[-1:]
        answers = [one for _, one in held if one.role == "assistant" and one.text]
        for name, one in held[: len(held) - len(late)]:
            self._done.add(name)
            if not self._of_agent:
                yield from self._turns(one, last=all_of_them and one in answers[-1:])
        if all_of_them and not self._of_agent:
            yield from self._conversation.close()
        self._messages = dict(late)
        self.size = 0

    def _turns(self, one: _Said, *, last: bool) -> Iterator[Turn]:
        conversation = self._conversation
        if one.role == "user":
            yield from conversation.say(one.text, one.time, one.message)
            return
        pieces = self._growing.pieces(one.message, one.text, last=last)
        for message, piece in pieces:
            yield from conversation.answer(piece, one.time, message)
        conversation.answer("", one.time, one.message, one.calls)

    def _note(self, header: Mapping[str, object]) -> None:
        """Take in what a header, or a change of it, says of the chat."""
        conversation = self._conversation
        session = header.get("sessionId")
        if isinstance(session, str) and session and not self._named:
            self._named = True
            conversation.session = short_name(session)
        if header.get("kind") == "subagent":
            self._of_agent = True
        conversation.began = conversation.began or time_of(header.get("startTime"))
        summary = text_of(header.get("summary"))
        if summary.strip():
            title = readable(first_line(summary, len(summary)))
            conversation.title = shortened(title, _MAX_TITLE)

    def _hear(self, message: Mapping[str, object], *, shown: bool = False) -> None:
        """Take in one message; `shown` ones are the model's view and count only where new."""
        kind = text_of(message.get("type"))
        role = _ROLES.get(kind)
        if role is None:
            if kind not in _SILENT:
                unknown(self._reading, kind)
            return
        text = _typed(message) if role == "user" else _answered(message)
        calls = list(_calls(message)) if role == "assistant" else []
        if role == "user" and not text:
            return
        own = time_of(message.get("timestamp"))
        self._count += 1
        given, session = text_of(message.get("id")), self._conversation.session
        name = given or f"line {self._count}"
        if name in self._done or (shown and name in self._messages):
            return
        heard = message_digest(role, text)
        if shown and (heard in self._heard or text in _NOTED):
            return
        self._heard.add(heard)
        if given:
            digested = message_digest(NAME, session, given)
        else:
            digested = digest(NAME, session, role, own, self._count, text)
        self._messages[name] = _Said(role, text, own, digested, calls)
        self.size += len(text) + _COST


def _typed(message: Mapping[str, object]) -> str:
    """What a person typed: as it was shown to them, else without what the program added."""
    shown = said("\n".join(_parts(message.get("displayContent"))))
    if shown:
        return shown
    parts = []
    for part in _parts(message.get("content")):
        bare = without_wrappers(part, _CONTEXT) if "<" in part else part
        if not _CONTEXT.match(bare.lstrip()):
            parts.append(bare)
    text = said(_REFERENCED.split("\n".join(parts), maxsplit=1)[0])
    return "" if text.startswith(_MACHINE) else text


def _answered(message: Mapping[str, object]) -> str:
    return readable(without_own("\n".join(_parts(message.get("content"))))).strip()


def _parts(content: object) -> Iterator[str]:
    """The texts of a content: a string, a part, or a list of either; thoughts are none."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and not part.get("thought"):
            text = part.get("text")
            if isinstance(text, str):
                yield text


def _calls(message: Mapping[str, object]) -> Iterator[str]:
    """The elided lines of a message's tool calls, wherever they are kept."""
    calls = sequence(message.get("toolCalls"))
    if not calls:
        calls = [mapping(part).get("functionCall") for part in sequence(message.get("content"))]
    for call in map(mapping, calls):
        yield tool_line(call.get("name"), call.get("args"))


def _places(reading: SourceReading) -> tuple[str, str]:
    """Folder and project of a chat from where its file lies; empty where that does not tell."""
    chats = next((folder for folder in reading.path.parents if folder.name == "chats"), None)
    if chats is None:
        return "", ""
    root = _content(Path(chats.parent, ".project_root")).strip()
    name = "" if _DIGEST.fullmatch(chats.parent.name) else chats.parent.name
    return root, short_name(base_name(root) or name)


def _content(path: Path) -> str:
    """The text of a small file beside the chats; empty where there is no such regular file."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return ""
        with open(path, "rb") as file:
            return file.read(_ROOT_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
