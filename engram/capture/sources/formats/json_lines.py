"""JSON Lines reader: bytes of a transcript -> lines, and a line -> the objects on it.

Tolerant, because transcripts are written by others while they are being read: two objects glued
on one line are both taken, a last line without its newline is taken when it is whole and waits
when it is torn, byte order marks and NUL bytes around objects are skipped, invalid UTF-8 is
replaced inside strings. What cannot be parsed is counted in the tally. Nothing here raises on
content. Memory is bounded by the longest line allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from engram.capture.clean import readable, shortened
from engram.model.ids import message_digest
from engram.model.instant import Instant, instant_of
from engram.model.ports import SourceReading

Object = dict[str, object]
#: A byte offset, and the number of lines before it.
Place = tuple[int, int]

#: A longer line is counted and passed over (the default of `capture.max_line_bytes`).
MAX_LINE_BYTES = 33_554_432
MAX_NAME = 200
#: Names of unknown line types that a tally keeps apart; a hostile file must not fill memory.
MAX_UNKNOWN = 64
_PIECE = 1 << 16

#: What may stand between two objects of one line: white space, zeroes of a crashed file system.
_GAP = re.compile(r"[\s\0\ufeff]*")
_decode = json.JSONDecoder().raw_decode


def records(
    stream: BinaryIO,
    reading: SourceReading,
    most: int,
    silent: Callable[[bytes], bool] | None = None,
) -> Iterator[tuple[list[Object], Place, Place]]:
    """The objects of each line with the places before and after it; counts lines in the tally.

    Reading starts at `reading.offset` where the stream can seek. `silent` says which complete
    lines need no decoding: of several in a row only the places are given. A line of more than
    `most` bytes is passed over in pieces. A last line that is torn ends the iteration before it.
    """
    if stream.seekable():
        stream.seek(reading.offset)
    tally, readline = reading.tally, stream.readline
    offset, line = first = reading.offset, reading.line
    while data := readline(most):
        before = offset, line
        ended = data[-1] == 0x0A
        offset += len(data)
        found: list[Object] = []
        if silent is not None and ended and silent(data):
            tally.lines += 1
            line += 1
            continue
        if not ended and len(data) >= most:
            rest = _pass_over(stream)
            whole, ended, offset = False, rest > 0, offset + rest
        else:
            found, whole = objects(data)
        if not ended and not (whole and found):
            offset, line = before
            break
        tally.unparsed_lines += not whole
        tally.lines += 1
        line += ended
        first = offset, line
        yield found, before, first
    if first != (offset, line):
        yield [], first, (offset, line)


def _pass_over(stream: BinaryIO) -> int:
    """The bytes up to and with the next newline, read in pieces; 0 when there is none yet."""
    size = 0
    while piece := stream.readline(_PIECE):
        size += len(piece)
        if piece[-1] == 0x0A:
            return size
    return 0


def objects(data: bytes) -> tuple[list[Object], bool]:
    """The JSON objects of one line, glued ones too, and whether all of the line was understood.

    Behind the first byte that does not decode nothing is taken: inside a torn object the next
    brace may belong to a nested one, and that must not become a line of its own.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    try:
        value, at = _decode(text)
        if isinstance(value, dict) and len(text) - at <= 1 and text[at:] in ("\n", ""):
            return [value], True
    except (ValueError, RecursionError):
        pass
    return _several(text)


def _several(text: str) -> tuple[list[Object], bool]:
    """`objects` for a line that is not simply one object from its first character to its end."""
    found: list[Object] = []
    at = 0
    while True:
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
        if at == len(text):
            return found, True
        try:
            value, at = _decode(text, at)
        except (ValueError, RecursionError):
            return found, False
        if not isinstance(value, dict):
            return found, False
        found.append(value)


def unknown(reading: SourceReading, kind: object) -> None:
    """Count a line type that the source does not know, under a short name."""
    name = kind[:40] if isinstance(kind, str) and kind else "(none)"
    names = reading.tally.unknown
    if name not in names and len(names) >= MAX_UNKNOWN:
        name = "(more)"
    names[name] = names.get(name, 0) + 1


def time_of(value: object) -> Instant:
    """A transcript's time as an Instant; empty when it is missing or no time at all."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            return instant_of(value)
        except (ValueError, OverflowError):
            return ""
    return ""


def digest(source: str, session: str, role: str, stamp: Instant, line: int, text: str) -> str:
    """The digest of a message that carries no id: from its time, or else from its line.

    The clock has no part in it, so that reading a file again finds the same messages.
    """
    return message_digest(source, session, role, stamp or f"line {line}", text)


def short_name(text: str) -> str:
    """A name of a session or project, at most 200 characters: a longer one is cut between words."""
    name = readable(text)
    if len(name) <= MAX_NAME:
        return name
    return shortened(name, MAX_NAME) or message_digest("name", name)
