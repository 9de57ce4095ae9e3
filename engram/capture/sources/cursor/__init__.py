"""Cursor: agent transcripts (`agent-transcripts/**/*.jsonl`) and its editor's database -> turns.

Forms (2026-11-20): lines `{role, message: {content: [...]}}` below `~/.cursor/projects`, written by
the editor and its command line alike, and the editor's `state.vscdb` (`state_database`).

- A line has no id, time or session: the session is the file's name, and a message is named by its
  words, or by its line as well where they are few (people say "yes" twice). The database names
  long messages in the same way, so that a conversation that stands in both is taken once.
- A prompt is what stands in `<user_query>`. A line without one is what is left of it without the
  blocks that the program puts in (`<external_links>`, `<attached_files>` and other names like it).
- Newer prompts begin with a `<timestamp>` of their minute. Files without any have the time of
  their first capture.
- Transcripts in a folder `subagents` hold the model's own prompts: no turns.
- The project is known only where the folder's name can mean but one: directly below the home.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import BinaryIO

from engram.capture.clean import readable, said, without_wrappers
from engram.capture.sources.cursor.state_database import NAME, SQLITE, TABLE, named, stored
from engram.capture.sources.formats.json_document import mapping, text_of
from engram.capture.sources.formats.json_lines import (
    MAX_LINE_BYTES as MAX_LINE_BYTES,
)
from engram.capture.sources.formats.json_lines import (
    Object,
    Place,
    objects,
    short_name,
    time_of,
    unknown,
)
from engram.capture.sources.shared.dialogue import Dialogue, SpokenWords, blocks, texts
from engram.capture.sources.shared.source_base import TranscriptSource, moved
from engram.capture.sources.shared.tools import tool_line
from engram.model.injected_block import without_own
from engram.model.instant import Instant
from engram.model.ports import SourceReading
from engram.model.turn import Role, Turn

_SILENT = frozenset({"turn_ended"})
_LINE = re.compile(rb'\s*\{\s*"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:\s*\{')
#: Keys that lines of other agents have beside the role and the message.
_OTHERS = frozenset({"type", "id", "uuid", "sessionId", "timestamp"})
_QUERY, _END = "<user_query>", "</user_query>"
#: Blocks around a prompt: their names are words joined by `_`, as no markup that people type is.
_CONTEXT = re.compile(r"<(timestamp|rules|[a-z]+(?:_[a-z]+)+)(?:\s[^<>]*)?>")
_TIMESTAMP = re.compile(
    r"<timestamp>\s*(?:[A-Za-z]+,\s*)?(?P<month>[A-Z][a-z]{2})[a-z]*\s+(?P<day>\d{1,2}),\s*"
    r"(?P<year>\d{4}),\s*(?P<hour>\d{1,2}):(?P<minute>\d\d)\s*(?P<half>[AP]M)\s*"
    r"\(UTC(?:(?P<sign>[+-])(?P<hours>\d{1,2})(?::(?P<minutes>\d\d))?)?\)\s*</timestamp>"
)
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class CursorEditor(TranscriptSource):
    """The source `cursor`."""

    name = NAME
    suffixes: tuple[str, ...] = (".jsonl", ".vscdb")
    verified = "2026-11-20"

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The transcripts, and the editor's database where each system keeps it."""
        users = [
            moved(environment, "XDG_CONFIG_HOME", home / ".config"),
            home / "Library" / "Application Support",
            moved(environment, "APPDATA", home / "AppData" / "Roaming"),
        ]
        stores = [user / "Cursor" / "User" / "globalStorage" / "state.vscdb" for user in users]
        return [home / ".cursor" / "projects", *stores]

    def recognises(self, head: bytes) -> bool:
        """Whether it is the editor's database, or one of the first lines is of this form."""
        if head.startswith(SQLITE):
            return TABLE.encode() in head
        for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 20)[:20]:
            found, whole = objects(line)
            if not whole and _LINE.match(line):
                return True
            if found and text_of(found[0].get("type")) not in _SILENT:
                return _is_line(found[0])
        return False

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """Turns from `reading.offset` on, or what is new in a database."""
        stream.seek(0)
        if stream.read(len(SQLITE)) == SQLITE:
            if reading.database is None:
                reading.tally.unparsed_lines += 1
            else:
                yield from stored(reading.database(), reading, self._max_line_bytes)
        elif reading.path.parent.name != "subagents":
            transcript = _Transcript(reading)
            yield from transcript.talk.read(stream, self._max_line_bytes, transcript.take)


def _is_line(line: Object) -> bool:
    message = line.get("message")
    return (
        line.get("role") in ("user", "assistant")
        and isinstance(message, dict)
        and isinstance(message.get("content"), list | str)
        and not _OTHERS & line.keys()
    )


class _Transcript:
    """The lines of one transcript."""

    def __init__(self, reading: SourceReading) -> None:
        self._reading = reading
        self.talk = Dialogue(NAME, reading)
        self.talk.begins(None, _project(reading.path))

    def take(self, line: Object, place: Place) -> None:
        """Take in one line."""
        role, kind = line.get("role"), text_of(line.get("type"))
        content = mapping(line.get("message")).get("content")
        if role == "user":
            written = "\n".join(texts(content))
            self.talk.asked(self._words("user", _typed(written), _minute(written), place))
        elif role == "assistant":
            written = "\n".join(filter(str.strip, texts(content)))
            text = readable(without_own(written)).strip()
            self.talk.answered(self._words("assistant", text, "", place))
            for call in blocks(content, "tool_use"):
                self.talk.called(tool_line(call.get("name"), call.get("input")))
        elif kind not in _SILENT:
            unknown(self._reading, kind or role)

    def _words(self, role: Role, text: str, stamp: Instant, place: Place) -> SpokenWords:
        message = named(self.talk.session, role, text, f"line {place[1]}")
        return SpokenWords(text, stamp, place, message)


def _typed(text: str) -> str:
    """What a person typed: what stands in the queries, or what no block holds."""
    if _QUERY in text:
        return said("\n".join(_queries(text)))
    return said(without_wrappers(text, _CONTEXT))


def _queries(text: str) -> Iterator[str]:
    """What stands in each query. One goes on to the last end before the next query begins.

    Words about the tags are taken for what they are: without an end between two beginnings the
    second belongs to the query of the first.
    """
    held = ""
    for piece in text.split(_QUERY)[1:]:
        inside, end, _ = piece.rpartition(_END)
        if end:
            yield held + inside
            held = ""
        else:
            held += piece + _QUERY
    if held:
        yield held.removesuffix(_QUERY)


def _minute(text: str) -> Instant:
    """The time that a prompt begins with; empty where it has none."""
    found = _TIMESTAMP.search(text.partition(_QUERY)[0])
    if found is None or found["month"] not in _MONTHS:
        return ""
    hour = int(found["hour"]) % 12 + (12 if found["half"] == "PM" else 0)
    zone = "Z"
    if found["sign"]:
        zone = f"{found['sign']}{int(found['hours']):02d}:{found['minutes'] or '00'}"
    return time_of(
        f"{found['year']}-{_MONTHS.index(found['month']) + 1:02d}-{int(found['day']):02d}"
        f"T{hour:02d}:{found['minute']}:00{zone}"
    )


def _project(path: PurePath) -> str:
    """The project of a transcript from the folder named after it; empty where that is ambiguous.

    Every sign but letters and digits became `-` in that name, so that `home-kim-tea-shop` may be
    `shop` in `tea`. A single word behind the name of the home folder is one folder.
    """
    folders = path.parts
    if ".cursor" not in folders:
        return ""
    at = folders.index(".cursor")
    if folders[at + 1 : at + 2] != ("projects",) or len(folders) < at + 4:
        return ""
    home = re.sub(r"[^A-Za-z0-9]+", "-", PurePath(*folders[:at]).as_posix()).strip("-")
    name = folders[at + 2].removeprefix(f"{home}-") if home else ""
    alone = name != folders[at + 2] and name.isalnum() and not name.isdigit()
    return short_name(name) if alone else ""
