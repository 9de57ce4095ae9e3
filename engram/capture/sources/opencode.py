"""OpenCode sessions -> turns: documents of `opencode export`, and the database that it writes.

Forms (2026-11-20): `{info, messages: [{info, parts}]}`, and the tables `session`, `message` and
`part` of `~/.local/share/opencode/opencode.db` (`XDG_DATA_HOME` moves it), whose `data` columns
hold the same objects. The older folder of small files is not read: a part does not say who spoke,
and OpenCode moves it into the database itself. Nor are tables of a version 2, not yet settled.

- Text parts are what is said, but those that are `synthetic` or `ignored`; a summary that the
  program made for itself is no answer.
- In a child session (`parentID`) the prompts are the model's and no turns; its answers are.
- In the database an answer counts when it is complete, was followed by another answer, or is a day
  old; until then it is left for the next reading with all behind it, and so is a last prompt whose
  parts may be still on their way. Of what was read before, only the last day is looked at again.
- An export is taken as it is; what a later one adds to its last answer is a turn of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from engram.capture.clean import base_name, readable, said, shortened
from engram.capture.sources.formats.json_document import (
    decoded,
    documents,
    mapping,
    sequence,
    text_of,
)
from engram.capture.sources.formats.json_lines import (
    digest,
    short_name,
    time_of,
    unknown,
)
from engram.capture.sources.shared.conversation import Conversation, Growing
from engram.capture.sources.shared.since import DAY, Since
from engram.capture.sources.shared.source_base import TranscriptSource, moved
from engram.capture.sources.shared.tools import tool_line
from engram.model.ids import message_digest
from engram.model.injected_block import without_own
from engram.model.ports import ForeignRows, SourceReading
from engram.model.text import first_line
from engram.model.turn import Turn

NAME = "opencode"
SQLITE = b"SQLite format 3\0"
_MAX_TITLE = 120
_TABLES = (("session", "directory"), ("message", "session_id"), ("part", "message_id"))
_EXPORT = re.compile(rb'\s*\{\s*"info"\s*:\s*\{')
_OWN_IDS = re.compile(rb'"(?:projectID|sessionID)"\s*:|"id"\s*:\s*"ses_')
_CREATED = re.compile(rb'create\s+table\s+(?:if\s+not\s+exists\s+)?[`"\[]?(message|part)\b', re.I)
#: How long, in milliseconds, the parts of a prompt may be on their way.
_MINUTE = 60_000


class OpenCode(TranscriptSource):
    """The source `opencode`."""

    name = NAME
    suffixes: tuple[str, ...] = (".json", ".db")
    verified = "2026-11-20"

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The database, in the same place on every system."""
        data = moved(environment, "XDG_DATA_HOME", home / ".local" / "share")
        return [data / "opencode" / "opencode.db"]

    def recognises(self, head: bytes) -> bool:
        """Whether it begins like an export, or like a database with these tables."""
        if head.startswith(SQLITE):
            made = {found.lower() for found in _CREATED.findall(head)}
            return made == {b"message", b"part"} and b"session_id" in head
        bare = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\0")
        return _EXPORT.match(bare) is not None and _OWN_IDS.search(bare) is not None

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """All turns of an export, or what is new in a database; the offset stays where it is."""
        stream.seek(0)
        if stream.read(len(SQLITE)) == SQLITE:
            if reading.database is None:
                reading.tally.unparsed_lines += 1
            else:
                yield from _Store(reading.database(), reading).turns()
            return
        for value in documents(stream, reading, self._max_line_bytes):
            if isinstance(value, dict) and isinstance(value.get("messages"), list):
                yield from _exported(value, reading)
            else:
                unknown(reading, "document")


def _exported(export: Mapping[str, object], reading: SourceReading) -> Iterator[Turn]:
    info = mapping(export.get("info"))
    messages = [mapping(message) for message in sequence(export.get("messages"))]
    session = text_of(info.get("id")) or next(
        (name for one in messages if (name := text_of(mapping(one.get("info")).get("sessionID")))),
        reading.name,
    )
    talk = _Session(session, reading, bool(info.get("parentID")), Growing(reading.state))
    talk.conversation.began = time_of(mapping(info.get("time")).get("created"))
    talk.describe(text_of(info.get("directory")), text_of(info.get("title")))
    answers = [
        number
        for number, message in enumerate(messages)
        if mapping(message.get("info")).get("role") == "assistant"
    ]
    for number, message in enumerate(messages):
        reading.tally.lines += 1
        last = bool(answers) and number == answers[-1]
        parts = sequence(message.get("parts"))
        yield from talk.take(mapping(message.get("info")), parts, number, last=last)
    yield from talk.conversation.close()


class _Session:
    """One session, message by message."""

    def __init__(
        self, session: str, reading: SourceReading, child: bool, growing: Growing | None
    ) -> None:
        self._reading = reading
        self._child = child
        self._growing = growing
        self.conversation = Conversation(NAME, short_name(session), reading)

    def describe(self, folder: str, title: str) -> None:
        """Take in the working folder and the title."""
        self.conversation.folder = folder
        self.conversation.project = short_name(base_name(folder))
        first = readable(first_line(title, len(title)))
        self.conversation.title = shortened(first, _MAX_TITLE)

    def take(
        self, info: Mapping[str, object], parts: list[object], number: int, *, last: bool = False
    ) -> list[Turn]:
        """The turns that are complete by one message."""
        role, talk = info.get("role"), self.conversation
        if role not in ("user", "assistant"):
            unknown(self._reading, role)
            return []
        talk.folder = text_of(mapping(info.get("path")).get("cwd")) or talk.folder
        if not talk.project:
            talk.project = short_name(base_name(talk.folder))
        own = time_of(mapping(info.get("time")).get("created"))
        text = "\n".join(_texts(parts))
        given = text_of(info.get("id"))
        if given:
            message = message_digest(NAME, talk.session, given)
        else:
            message = digest(NAME, talk.session, str(role), own, number, text)
        if role == "user":
            text = said(text)
            return talk.say(text, own, message) if text and not self._child else []
        if info.get("summary") is True:
            return []
        text = readable(without_own(text)).strip()
        pieces = [(message, text)]
        if self._growing is not None:
            pieces = self._growing.pieces(message, text, last=last and bool(text))
        ready: list[Turn] = []
        for name, piece in pieces:
            ready += talk.answer(piece, own, name)
        return ready + talk.answer("", own, message, _calls(parts))


def _texts(parts: list[object]) -> Iterator[str]:
    """The texts that were said; what the program put in is none."""
    for part in map(mapping, parts):
        if part.get("type") == "text" and not part.get("synthetic") and not part.get("ignored"):
            yield text_of(part.get("text"))


def _calls(parts: list[object]) -> Iterator[str]:
    for part in map(mapping, parts):
        if part.get("type") == "tool":
            arguments = mapping(mapping(part.get("state")).get("input"))
            path = arguments.get("filePath")
            yield tool_line(part.get("tool"), {**arguments, "path": path} if path else arguments)


class _Store:
    """The database: sessions by age, a message at a time, so that memory stays bounded."""

    def __init__(self, database: ForeignRows, reading: SourceReading) -> None:
        self._database = database
        self._reading = reading
        self._since = Since(reading)

    def turns(self) -> Iterator[Turn]:
        """What is new since the last reading, and what was left then; notes how far this went."""
        columns = {table: self._columns(table) for table, _ in _TABLES}
        if not all(needed in columns[table] for table, needed in _TABLES):
            self._reading.tally.unparsed_lines += 1
            return
        latest = self._database.rows(
            "select session_id, max(time_created) from message group by session_id"
        )
        recent = {
            session: created if isinstance(created, int) else 0
            for session, created in latest
            if self._since.is_new(created)
        }
        parent = "parent_id" if "parent_id" in columns["session"] else "null"
        known = {
            row[0]: row[1:]
            for row in self._database.rows(f"select id, {parent}, directory, title from session")
            if row[0] in recent
        }
        for session in sorted(recent, key=lambda one: (recent[one], str(one))):
            yield from self._session(text_of(session), known.get(session, (None, "", "")))
        self._since.settle()

    def _columns(self, table: str) -> set[object]:
        return {
            name
            for (name,) in self._database.rows(f"select name from pragma_table_info('{table}')")
        }

    def _session(self, session: str, known: tuple[object, ...]) -> Iterator[Turn]:
        parent, folder, title = known
        talk = _Session(session, self._reading, bool(parent), None)
        talk.describe(text_of(folder), text_of(title))
        messages = list(
            self._database.rows(
                "select id, time_created from message where session_id = ?"
                " and time_created >= ? order by time_created, id",
                (session, self._since.start),
            )
        )
        for number, (name, created) in enumerate(messages):
            self._reading.tally.lines += 1
            info, parts = self._message(text_of(name))
            if info is None:
                self._reading.tally.unparsed_lines += 1
                continue
            if self._is_growing(info, created, [text_of(one) for one, _ in messages[number + 1 :]]):
                break
            yield from talk.take({**info, "id": name}, parts, number)
        yield from talk.conversation.close()

    def _message(self, name: str) -> tuple[Mapping[str, object] | None, list[object]]:
        """A message and its parts, as far as they can be read."""
        parts: list[object] = []
        for (data,) in self._database.rows(
            "select data from part where message_id = ? order by id", (name,)
        ):
            part = decoded(data)
            self._reading.tally.unparsed_lines += part is None
            parts.append(_slim(mapping(part)))
        return self._info(name), parts

    def _info(self, name: str) -> Mapping[str, object] | None:
        for (data,) in self._database.rows("select data from message where id = ?", (name,)):
            value = decoded(data)
            return value if isinstance(value, dict) else None
        return None

    def _is_growing(self, info: Mapping[str, object], created: object, later: list[str]) -> bool:
        """Whether a message may not be all there yet; `later` are the names of those behind it."""
        age = self._since.now - created if isinstance(created, int) else DAY
        if info.get("role") == "user":
            return age < _MINUTE and not later
        if mapping(info.get("time")).get("completed") or info.get("error") or age >= DAY:
            return False
        return not any((self._info(name) or {}).get("role") == "assistant" for name in later)


def _slim(part: Mapping[str, object]) -> Mapping[str, object]:
    """A part without the output of its tool, which may be large and is not looked at."""
    if part.get("type") != "tool":
        return part if part.get("type") == "text" else {}
    return {**part, "state": {"input": mapping(part.get("state")).get("input")}}
