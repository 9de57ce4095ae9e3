"""Markdown note: bytes <-> header and body, and changes of single header keys (design 4.1).

A header begins on the first byte (a BOM may stand before it) with a line `---` and ends with the
next such line; blanks may follow the dashes. `parse` takes any bytes and raises nothing: without a
header the whole text is body; one that is never closed is half written, and the whole text is body
too; one that cannot be read is named in `problem`, what can be read of it is given, and so is the
body. Bytes that are not UTF-8 pass through as lone surrogates.

`patch` changes the lines of the named keys and no other byte: unknown keys, comments, order,
quoting, blank lines, BOM, line ends and the body stay as the person left them (promise 4). It reads
its own result back and refuses, rather than guess, when that does not say exactly what was asked.

`render` makes a new file, through python-frontmatter's exporter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value

from engram.model.errors import BadInput
from engram.store.files.header import (
    TEXT_KEYS,
    HeaderEntry,
    HeaderReading,
    block_items,
    comment_after,
    cut,
    entry_lines,
    read,
    read_whole,
    scalar,
)

Newline = Literal["\n", "\r\n"]

BOM = b"\xef\xbb\xbf"
UNCLOSED = "unclosed header"

_OPEN = re.compile(r"---[ \t]*(?:\r?\n|\Z)")
_CLOSE = re.compile(r"\n---[ \t]*(?:\r?\n|\r?\Z)")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class NoteDocument:
    """One note. Values are texts or lists of texts; `header_lines` is None without a header.

    `body` begins after the closing fence and has the line ends of the file; `newline` is its first
    one. `problem` is one line for a person; None when everything was understood.
    """

    header: Mapping[str, Value]
    body: str
    newline: Newline
    bom: bool
    header_lines: tuple[str, ...] | None
    problem: str | None


class _Frame(NamedTuple):
    """Where the parts of a text lie: header lines from `first` to `last`, the body from `body`.

    `body` is 0 without a header. The text has no BOM; bytes that are not UTF-8 are surrogates.
    """

    text: str
    first: int
    last: int
    body: int
    bom: bool
    problem: str | None


def parse(data: bytes) -> NoteDocument:
    """Any bytes as a NoteDocument. Never raises."""
    text, first, last, body, bom, problem = frame = _framed(data)
    newline: Newline = "\r\n" if _first_line_is_crlf(text) else "\n"
    if not body:
        return NoteDocument({}, text, newline, bom, None, problem)
    lines = _header_lines(frame)
    values, fault, _ = _reading(lines, text[first:last])
    if fault:
        problem = f"{fault}; {problem}" if problem else fault
    return NoteDocument(values, text[body:], newline, bom, tuple(lines), problem)


def render(header: Mapping[str, str | Sequence[str]], body: str) -> bytes:
    """A new note: keys in the order given, `\\n` line ends, UTF-8, a newline at its end.

    Lone surrogates, which UTF-8 cannot say, become U+FFFD.
    """
    from engram.store.files.foreign_header import export

    lines = export(header, entry_lines)
    head = f"---\n{lines}\n---\n" if lines else "---\n---\n"
    end = "" if not body or body.endswith("\n") else "\n"
    return (head + _SURROGATE.sub("\ufffd", body) + end).encode("utf-8")


def patch(
    data: bytes, changes: Mapping[str, str | Sequence[str] | None], *, create: bool = False
) -> bytes:
    """Set (text or list) or remove (None) header keys; every other byte stays.

    A key that says it already keeps its bytes; a new one is added at the end of the header, in the
    order given. A value over several lines is replaced as a whole, but the first and last items
    that a block list keeps stay as they are. Indented comments go with the removed key above them.
    With `create`, a note without a header gets one.

    Raises BadInput when the header is missing, unclosed or was not understood line by line.
    """
    if not changes:
        return data
    wanted = {key: _storable(value) for key, value in changes.items()}
    frame = _framed(data)
    if not frame.body:
        return _with_header(frame, wanted, create)
    lines = _header_lines(frame)
    reading = _reading(lines, frame.text[frame.first : frame.last])
    if not reading.sound:
        raise BadInput(
            f"the header cannot be changed line by line ({reading.problem or 'it is one value'})",
            "mend the lines between the two `---` in an editor; `engram doctor` lists such files",
        )
    newline: Newline = "\r\n" if _first_line_is_crlf(frame.text) else "\n"
    head = _patched(frame, lines, reading, wanted, newline)
    result = _bytes(frame, frame.text[: frame.first] + head + frame.text[frame.last :])
    expected = {**reading.values, **wanted}
    if parse(result).header != {key: value for key, value in expected.items() if value is not None}:
        raise BadInput(
            f"setting {', '.join(wanted)} would change how the rest of the header reads",
            "bring the header into the form `key: value`, one key a line",
        )
    return result


def with_body(data: bytes, body: str) -> bytes:
    """The note with another body; header and fences keep their bytes."""
    frame = _framed(data)
    return _bytes(frame, frame.text[: frame.body] + body)


def _framed(data: bytes) -> _Frame:
    """Find the header's fences."""
    bom = data.startswith(BOM)
    problem = None
    if bom:
        data = data[len(BOM) :]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
        problem = "bytes that are not UTF-8"
    opening = _OPEN.match(text) if text.startswith("---") else None
    if opening is None:
        return _Frame(text, 0, 0, 0, bom, problem)
    first = opening.end()
    closing = _CLOSE.search(text, first - 1) if text[first - 1] == "\n" else None
    if closing is None:
        return _Frame(text, 0, 0, 0, bom, UNCLOSED)
    return _Frame(text, first, closing.start() + 1, closing.end(), bom, problem)


def _header_lines(frame: _Frame) -> list[str]:
    """The lines between the fences without their ends."""
    head = frame.text[frame.first : frame.last]
    lines = head.split("\n")
    lines.pop()
    return [line.removesuffix("\r") for line in lines] if "\r" in head else lines


def _reading(lines: list[str], head: str) -> HeaderReading:
    """The values; a lone CR ends a line for some readers, so such a header is left to YAML."""
    if "\r" in head and any("\r" in line for line in lines):
        return read_whole(lines)
    return read(lines)


def _first_line_is_crlf(text: str) -> bool:
    end = text.find("\n")
    return end > 0 and text[end - 1] == "\r"


def _storable(value: str | Sequence[str] | None) -> Value | None:
    """A value as it will be read back: lists are lists, lone surrogates U+FFFD."""
    if value is None or isinstance(value, str):
        return value and _SURROGATE.sub("\ufffd", value)
    return [_SURROGATE.sub("\ufffd", item) for item in value]


def _bytes(frame: _Frame, text: str) -> bytes:
    return (BOM if frame.bom else b"") + text.encode("utf-8", "surrogateescape")


def _with_header(frame: _Frame, wanted: Mapping[str, Value | None], create: bool) -> bytes:
    """A note that has no header yet, with one when that was asked for."""
    present = {key: value for key, value in wanted.items() if value is not None}
    if frame.problem == UNCLOSED:
        raise BadInput(
            "the header is never closed: the file looks half written",
            "wait for the program that writes it, or add the missing `---` line",
        )
    if not present:
        return _bytes(frame, frame.text)
    if not create:
        raise BadInput(
            "the note has no header to change",
            "add a header between two `---` lines at the top, or let `engram edit ID` add one",
        )
    newline = "\r\n" if _first_line_is_crlf(frame.text) else "\n"
    lines = [line for key, value in present.items() for line in entry_lines(key, value)]
    head = "".join(line + newline for line in ["---", *lines, "---"])
    return _bytes(frame, head + frame.text)


def _patched(
    frame: _Frame,
    lines: list[str],
    reading: HeaderReading,
    wanted: Mapping[str, Value | None],
    newline: Newline,
) -> str:
    """The header lines with the wanted keys set or removed, as text with line ends."""
    raw = frame.text[frame.first : frame.last].split("\n")
    raw = [line + "\n" for line in raw[:-1]]
    places: dict[str, list[HeaderEntry]] = {}
    for entry in cut(lines):
        places.setdefault(entry.key, []).append(entry)
    edits: list[tuple[HeaderEntry, list[str]]] = []
    added: list[str] = []
    for key, value in wanted.items():
        if value is None:
            edits.extend((_with_remarks(lines, entry), []) for entry in places.get(key, []))
        elif key not in reading.values:
            added.extend(line + newline for line in entry_lines(key, value))
        elif value != reading.values[key]:
            last = places[key][-1]
            old = reading.values[key]
            edits.append((last, _replaced(lines, raw, last, old, value, newline)))
    for entry, new in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        raw[entry.start : entry.stop] = new
    return "".join(raw + added)


def _with_remarks(lines: list[str], entry: HeaderEntry) -> HeaderEntry:
    """An entry with the indented comments below it: left alone, they could join what is above."""
    stop = entry.stop
    for number in range(entry.stop, len(lines)):
        line = lines[number]
        if line.strip(" \t") and line[0] not in " \t":
            break
        if line.strip(" \t"):
            stop = number + 1
    return entry._replace(stop=stop)


def _replaced(
    lines: list[str], raw: list[str], entry: HeaderEntry, old: Value, value: Value, newline: Newline
) -> list[str]:
    """The lines of one entry with a new value, in the style of the old one."""
    line = lines[entry.start]
    end = raw[entry.start][len(line) :]
    name, rest = line[: entry.colon], line[entry.colon :]
    comment = comment_after(rest)
    bare = rest.lstrip(" \t")
    gap = rest[: len(rest) - len(bare)] if bare and bare[0] != "#" else " "
    if isinstance(value, str):
        text = scalar(value, typed=entry.key not in TEXT_KEYS)
    elif not value or (isinstance(old, list) and bare[:1] == "["):
        text = f"[{', '.join(scalar(item, flow=True) for item in value)}]"
    else:
        return [name + comment + end, *_items(lines, raw, entry, value, newline)]
    return [name + gap + text + comment + end]


def _items(
    lines: list[str], raw: list[str], entry: HeaderEntry, value: Sequence[str], newline: Newline
) -> list[str]:
    """The lines of a block list; those of items that stay at its start and end are kept."""
    old = block_items(lines, entry)
    if not old:
        return [f"  - {scalar(item)}{newline}" for item in value]
    start = 0
    while start < min(len(old), len(value)) and old[start][0] == value[start]:
        start += 1
    end = 0
    while end < min(len(old), len(value)) - start and old[-1 - end][0] == value[-1 - end]:
        end += 1
    first = lines[old[0][1]]
    indent = first[: len(first) - len(first.lstrip(" "))]
    head_to = old[start][1] if start < len(old) else entry.stop
    tail_from = old[len(old) - end][1] if end else entry.stop
    middle = value[start : len(value) - end]
    return [
        *raw[entry.start + 1 : head_to],
        *(f"{indent}- {scalar(item)}{newline}" for item in middle),
        *raw[tail_from : entry.stop],
    ]
