"""Plain text and Markdown files -> turns: notes that a person wrote, or a conversation in prose.

- A note is one user turn; a `---` line between blank lines, or a heading with a date, begins
  another. Where both a person and an assistant are labelled at the start of lines (`User:`,
  `**Assistant**:`, `## User`), each label begins a turn of that role.
- A turn longer than 4 kB goes on as another, cut between paragraphs, or lines, or words.
- The time is that of the last heading or line that is a date, of the front matter (`date`,
  `created`), of the file's name (`2026-03-06.md`), or now. Front matter gives title and project as
  well and is no turn; it is read line by line, never as YAML. A memory or transcript that this
  program wrote, told by its front matter, holds no turns: it must not confirm itself.
- In a note the same words are the same turn, so that an edited file adds only what is new; in a
  conversation the line counts too, for people say "yes" twice.

Memory is bounded by 64 KiB that are looked at first. Lines with NUL bytes are counted, not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from engram.capture.clean import base_name, readable, said, shortened
from engram.capture.sources.formats.json_lines import (
    Place,
    objects,
    short_name,
    time_of,
    unknown,
)
from engram.capture.sources.obsidian import NoteLines
from engram.model.ids import message_digest
from engram.model.instant import Instant
from engram.model.ports import SourceReading
from engram.model.text import first_line
from engram.model.turn import Role, Turn

TURN_BYTES = 4096
TITLE = 120
_HEAD_BYTES = 65_536
_FRONT_LINES = 200
_DATA = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[{\"])")
_RULE = re.compile(r"-{3,}\s*\Z")
_LAST_RULE = re.compile(r"(?:\A|\n)-{3,}\Z")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_FRONT = re.compile(r"([A-Za-z_-]+):\s*(.*?)\s*\Z")
#: What stands in the front matter of files that this program wrote itself.
_OWN_KEYS = (
    frozenset({"id", "category", "kind", "status", "importance"}),
    frozenset({"source", "session", "started"}),
)
#: Key of the state: the file is one of these.
_OWN = "own"
_DATE = r"(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?)"
_DATED = re.compile(rf"(?:#{{1,6}}\s[^\n]{{0,200}}?(?<![\w-]){_DATE}(?!\w)|\s*{_DATE}\s*:?\s*\Z)")
_PERSON = ("user", "human", "me", "you")
_NAMES = "|".join([*_PERSON, "assistant", "ai", "claude", "chatgpt", "gemini", "model", "bot"])
_LABEL = re.compile(
    rf"(?:#{{1,6}}\s+(?P<heading>{_NAMES})\s*:?\s*\Z"
    rf"|\*\*(?P<bold>{_NAMES})(?::\*\*|\*\*:|\*\*\s*\Z)"
    rf"|(?P<plain>{_NAMES}):(?=\s|\Z))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _TextLine:
    """A line, or a piece of at most 4 kB of a longer one, with the places around it."""

    text: str
    before: Place
    after: Place
    #: whether it goes on from a piece before it
    inner: bool = False


class PlainText:
    """The source `text`."""

    name = "text"
    suffixes: tuple[str, ...] = (".txt", ".text")
    verified = ""
    in_any_order = False

    def __init__(self, max_line_bytes: int = 0) -> None:
        """Long lines are cut into turns and never passed over, so the limit has no part here."""

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """No program owns these files: nothing is looked for."""
        return []

    def recognises(self, head: bytes) -> bool:
        """Whether it is UTF-8 prose: no NUL, and no JSON document."""
        if not head.strip() or b"\0" in head or _DATA.match(head):
            return False
        if objects(head.split(b"\n", 1)[0])[0]:
            return False
        try:
            head[: len(head) - _torn(head)].decode("utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """Turns from `reading.offset` on, as `model.ports.Source` says.

        A later reading of a file that has grown gives what was added as turns of their own.
        """
        end = (reading.offset, reading.line)
        lines = self._said(_lines(stream, reading))
        note = _Note(self.name, reading)
        if reading.offset == 0:
            first = _look_ahead(lines)
            body = note.front_matter(first)
            end = first[-1].after if first else end
            if _conversation(body):
                reading.state["speakers"] = "1"
            lines = chain(body, lines)
        for line in lines:
            if _OWN not in reading.state:
                yield from note.take(line)
            end = line.after
        yield from note.finish()
        reading.offset, reading.line = end

    def _said(self, lines: Iterator[_TextLine]) -> Iterator[_TextLine]:
        """The lines with what a person wrote in them."""
        return lines


class Markdown(PlainText):
    """The source `markdown`: the same for notes, of which only the words count (`obsidian`)."""

    name = "markdown"
    suffixes: tuple[str, ...] = (".md", ".markdown")
    verified = ""

    def _said(self, lines: Iterator[_TextLine]) -> Iterator[_TextLine]:
        note = NoteLines()
        for line in lines:
            text = note.plain(line.text, inner=line.inner)
            yield line if text == line.text else replace(line, text=text)


class _Note:
    """The lines of the turn that is being put together, and what is known of the file so far."""

    def __init__(self, source: str, reading: SourceReading) -> None:
        self._source = source
        self._reading = reading
        self._state = reading.state
        self._open: list[_TextLine] = []
        #: how many of the open lines end with a paragraph
        self._cut = 0
        self._after_blank = True
        self._fenced = False
        if "time" not in self._state:
            dated = re.search(_DATE, reading.name)
            self._set_time(dated[1] if dated else "")

    def front_matter(self, lines: list[_TextLine]) -> list[_TextLine]:
        """Take in the front matter, if there is any; the lines behind it."""
        if not lines or lines[0].text.rstrip() != "---":
            return lines
        for count, line in enumerate(lines[1:_FRONT_LINES], 1):
            if line.text.rstrip() in ("---", "..."):
                front = lines[1:count]
                if not any(_FRONT.match(one.text) for one in front):
                    break  # words between two rules: they are said
                self._read_front(front)
                return lines[count + 1 :]
        return lines

    def _read_front(self, lines: list[_TextLine]) -> None:
        pairs = [pair for line in lines if (pair := _FRONT.match(line.text)) is not None]
        keys = {pair[1] for pair in pairs}
        if any(keys >= own for own in _OWN_KEYS):
            unknown(self._reading, "a memory or transcript of engram")
            self._state[_OWN] = "1"
        for pair in pairs:
            key, value = pair[1].lower(), pair[2].strip("\"'")
            if key in ("date", "created", "time", "timestamp"):
                self._set_time(value)
            elif key == "title" and value:
                self._state["title"] = shortened(value, TITLE)
            elif key == "project":
                self._state["project"] = short_name(base_name(value))

    def take(self, line: _TextLine) -> Iterator[Turn]:
        """Take in one line; gives the turns that end before it."""
        if not line.inner:
            if _FENCE.match(line.text):
                self._fenced = not self._fenced
            elif not self._fenced:
                label = _label(line.text) if "speakers" in self._state else None
                if label is not None:
                    yield from self.finish()
                    self._state["role"] = label[0]
                    line = replace(line, text=label[1])
                elif self._after_blank and _RULE.match(line.text) and not self._state.get("role"):
                    yield from self.finish()
                    return
                else:
                    yield from self._take_date(line)
        while self._open and line.after[0] - self._open[0].before[0] > TURN_BYTES:
            yield from self._end(self._cut or len(self._open))
        self._open.append(line)
        self._after_blank = not line.text.strip()
        if self._after_blank and not self._fenced:
            self._cut = len(self._open)

    def _take_date(self, line: _TextLine) -> Iterator[Turn]:
        """A heading or a line with a date is the time of what follows it."""
        dated = _DATED.match(line.text)
        if dated is not None and time_of(dated[1] or dated[2]):
            if not _headings(self._open):
                yield from self.finish()
            self._set_time(dated[1] or dated[2])

    def _set_time(self, value: str) -> None:
        time = time_of(value)
        if time:
            self._state["time"] = time

    def finish(self) -> Iterator[Turn]:
        """The turn of all open lines, if they say anything."""
        yield from self._end(len(self._open))

    def _end(self, count: int) -> Iterator[Turn]:
        """End a turn behind the first `count` open lines."""
        lines, self._open = self._open[:count], self._open[count:]
        self._cut = 0
        text = said("".join(line.text for line in lines))
        heading = text.startswith("# ") and first_line(text, len(text))[2:].strip()
        if heading and "title" not in self._state:
            self._state["title"] = shortened(readable(heading), TITLE)
        talk = "speakers" in self._state
        if talk:
            text = _LAST_RULE.sub("", text).rstrip()
            if "role" not in self._state and _headings(lines):
                return
        if text:
            self._reading.offset, self._reading.line = lines[-1].after
            yield self._turn(text, lines[0].before[1] if talk else None)

    def _turn(self, text: str, number: int | None) -> Turn:
        """The turn of a text; `number` is its line where that is part of its name."""
        state, session = self._state, readable(self._reading.name)
        role: Role = "assistant" if state.get("role") == "assistant" else "user"
        own: Instant = state.get("time", "")
        place = own if number is None else f"line {number}"
        return Turn(
            self._source,
            session,
            role,
            text,
            own or self._reading.guess(),
            message_digest(self._source, session, role, place, text),
            state.get("project", ""),
            state.get("title", ""),
        )


def _lines(stream: BinaryIO, reading: SourceReading) -> Iterator[_TextLine]:
    """The lines from `reading.offset` on; long ones in pieces that end with a word."""
    if stream.seekable():
        stream.seek(reading.offset)
    offset, number, tally = reading.offset, reading.line, reading.tally
    left, inner, strange = b"", False, False
    while data := left + stream.readline(TURN_BYTES - len(left)):
        ended = data.endswith(b"\n")
        last = ended or len(data) < TURN_BYTES
        size = len(data) if last else _end_of_word(data)
        data, left = data[:size], data[size:]
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        if "\0" in text:
            text, strange = "", True
        before, offset, number = (offset, number), offset + size, number + ended
        yield _TextLine(
            text if before[0] else text.removeprefix("\ufeff"), before, (offset, number), inner
        )
        inner = not last
        if last:
            tally.lines += 1
            tally.unparsed_lines += strange
            strange = False


def _end_of_word(data: bytes) -> int:
    """Where to cut a piece of a long line: behind its last space, or else between characters."""
    space = data.rfind(b" ", len(data) // 2)
    return space + 1 if space >= 0 else len(data) - _torn(data)


def _torn(data: bytes) -> int:
    """How many bytes at the end begin a UTF-8 character without ending it."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte & 0xC0 != 0x80:
            long = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
            return back if long > back else 0
    return 0


def _look_ahead(lines: Iterator[_TextLine]) -> list[_TextLine]:
    """The lines of the first 64 KiB, for what must be known before the first turn."""
    first: list[_TextLine] = []
    for line in lines:
        first.append(line)
        if line.after[0] >= _HEAD_BYTES:
            break
    return first


def _conversation(lines: list[_TextLine]) -> bool:
    """Whether both a person and an assistant are labelled, outside of code."""
    fenced = False
    roles: set[Role] = set()
    for line in lines:
        if _FENCE.match(line.text):
            fenced = not fenced
        elif not fenced and not line.inner and (label := _label(line.text)) is not None:
            roles.add(label[0])
    return len(roles) == 2


def _label(text: str) -> tuple[Role, str] | None:
    """The role that a line is labelled with and the words behind the label; None without one."""
    found = _LABEL.match(text)
    if found is None:
        return None
    name = next(word for word in found.groups() if word)
    return "user" if name.lower() in _PERSON else "assistant", text[found.end() :].lstrip(" ")


def _headings(lines: list[_TextLine]) -> bool:
    """Whether lines hold nothing but headings."""
    return all(line.text.startswith("#") or not line.text.strip() for line in lines)
