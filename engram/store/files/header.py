"""Header lines <-> named values, all of them text (design 4.1, 4.3).

Reading: a header is cut at the lines that begin with a key, and each entry is read by itself. Our
own shape needs no library: plain or quoted scalars, one-line flow lists, block lists, comments;
also a bare `[[link]]`, which people write and YAML takes for a list. Any other shape is left to
`foreign_header`. What cannot be read is named in `HeaderReading.problem`, and the other entries are
still given. A key that stands twice has its last value, as for other YAML readers, and is named
too.

Writing: one line for a scalar, a block list otherwise, in a form that YAML 1.1 and 1.2 readers take
for the same text. Numbers, days and instants stand bare, but not in `TEXT_KEYS` or lists, where a
property is text in the whole vault; whatever a reader would turn into something else is quoted.

Both ends agree: what is written is read back equal, by this reader and by YAML. Nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value


#: Keys whose values are names or prose: a number or a day among them is still text.
TEXT_KEYS = frozenset(
    [
        "id", "category", "kind", "schema", "title", "status", "status_reason", "authority",
        "sensitivity", "project", "space", "key",
    ]
)  # fmt: skip


class HeaderEntry(NamedTuple):
    """One key of a header: its lines are `start` to `stop`, its value begins at `colon`."""

    key: str
    start: int
    stop: int
    colon: int


class HeaderReading(NamedTuple):
    """The parsed lines. `sound`: every line was understood, so that entries may be replaced."""

    values: dict[str, Value]
    problem: str | None
    sound: bool


#: A line that begins with one of these belongs to the entry above it ("" is a blank line).
_CONTINUES = frozenset(["", " ", "\t", "#", "-"])
_NULLS = frozenset(["~", "null", "Null", "NULL"])
#: A plain scalar begins with none of these, but for `- ? :` before something else than a blank.
_SPECIAL = frozenset("\"'[]{},#&*!|>%@`-?:")
_STRING = r""""[^"\\]*(?:\\.[^"\\]*)*"|'[^']*(?:''[^']*)*'"""
_QUOTED = re.compile(rf"({_STRING})(?:[ \t]+#.*)?")
_QUOTED_KEY = re.compile(rf"({_STRING})[ \t]*:(?=[ \t]|$)")
_COLON = re.compile(r":(?=[ \t]|$)")
_COMMENT = re.compile(r"[ \t]#")
_REMARK = re.compile(r"(?<![ \t])[ \t]+#.*")
#: The inside of quotes and brackets up to a comment.
_INSIDE = re.compile(rf"(?:{_STRING}|[^\"'#]|(?<![ \t])#)*+")
_LINK = re.compile(r"(\[\[[^\[\]]+\]\])(?:[ \t]+#.*)?")
_FLOW_ITEM = re.compile(rf"[ \t]*+(?:({_STRING})[ \t]*+|([^\[\]{{}},\"'\s][^\[\]{{}},]*+))([,\]])")
_FLOW_END = re.compile(r"[ \t]*\](?:[ \t]+#.*)?")
_FLOW_REST = re.compile(r"(?:[ \t]+#.*)?")
_ITEM = re.compile(r"( *)-(?:[ \t]+(.*))?")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_NAMED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f",
    "r": "\r", "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029",
}  # fmt: skip


def read(lines: Sequence[str]) -> HeaderReading:
    """Header lines, without line ends and fences, as values."""
    starts = _starts(lines)
    if starts is None:
        return read_whole(lines)
    values: dict[str, Value] = {}
    faults: list[str] = []
    sound = True
    refused: str | None = None
    ends = [start for _, start, _ in starts[1:]]
    ends.append(len(lines))
    for (key, start, colon), end in zip(starts, ends, strict=False):
        entry = None
        value: Value | None
        if end - start == 1:
            value = _value(lines[start][colon:])
        else:
            entry = _entry(lines, key, start, end, colon)
            value = _several(lines, entry)
        if value is None:
            # imported here: most headers have our own shape
            from engram.store.files.foreign_header import oversize

            refused = oversize(lines) if refused is None else refused
            value, fault = _odd(lines, entry or HeaderEntry(key, start, end, colon), refused)
            if fault:
                faults.append(fault)
            if value is None:
                sound = False
                continue
        if key in values:
            faults.append(f"{key!r} stands twice, the last one counts")
        values[key] = value
    return HeaderReading(values, "; ".join(faults) or None, sound)


def read_whole(lines: Sequence[str]) -> HeaderReading:
    """A header that has no line of its own for each key: one flow mapping, indented keys."""
    from engram.store.files.foreign_header import oversize, read_yaml

    refused = oversize(lines)
    found = refused or read_yaml(lines)
    if isinstance(found, str):
        return HeaderReading({}, f"unreadable header: {found}", False)
    return HeaderReading(found, None, False)


def cut(lines: Sequence[str]) -> list[HeaderEntry]:
    """The entries of a header that was read and found sound, in order."""
    starts = _starts(lines) or []
    ends = [start for _, start, _ in starts[1:]] + [len(lines)]
    return [
        _entry(lines, key, start, end, colon)
        for (key, start, colon), end in zip(starts, ends, strict=False)
    ]


def _starts(lines: Sequence[str]) -> list[tuple[str, int, int]] | None:
    """Each key with its line and the end of its colon; None when something stands before it all."""
    starts: list[tuple[str, int, int]] = []
    for number, line in enumerate(lines):
        if line[:1] in _CONTINUES:
            if not starts and line.lstrip(" \t")[:1] not in ("", "#"):
                return None
            continue
        colon = line.find(": ")
        key = line[:colon]
        if colon > 0 and key.isidentifier():
            starts.append((key, number, colon + 1))
        elif found := _key(line):
            starts.append((found[0], number, found[1]))
        elif not starts:
            return None
    return starts


def _key(line: str) -> tuple[str, int] | None:
    """The key of a line and where its colon ends; None when the line does not begin with a key."""
    if line[0] in "\"'":
        quoted = _QUOTED_KEY.match(line)
        key = _unquoted(quoted[1]) if quoted else None
        return None if quoted is None or key is None else (key, quoted.end())
    if line[-1] == ":" and line[:-1].isidentifier():
        return line[:-1], len(line)
    colon = None if line[0] in _SPECIAL else _COLON.search(line)
    if colon is None or _COMMENT.search(line, 0, colon.start()):
        return None
    return line[: colon.start()].rstrip(" \t"), colon.end()


def _entry(lines: Sequence[str], key: str, start: int, end: int, colon: int) -> HeaderEntry:
    """An entry without the blank lines and comments below it."""
    literal = lines[start][colon:].lstrip(" \t")[:1] in ("|", ">")
    while end - start > 1:
        line = lines[end - 1]
        bare = line.lstrip(" \t")
        if bare and (bare[0] != "#" or (literal and len(bare) < len(line))):
            break
        end -= 1
    return HeaderEntry(key, start, end, colon)


def comment_after(text: str) -> str:
    """The comment behind a value on its line, with the blanks before it; empty without one."""
    bare = text.lstrip(" \t")
    at = len(text) - len(bare)
    if bare[:1] in ("'", '"', "[", "{") and (inside := _INSIDE.match(text, at)):
        at = inside.end()
        if text[at : at + 1] != "#":
            return ""
        return text[len(text[:at].rstrip(" \t")) :]
    found = _REMARK.search(text)
    return found.group() if found else ""


def _value(text: str) -> Value | None:
    """What stands after a colon or a hyphen on one line; None when it is not of our own shape."""
    text = text.strip(" \t")
    if not text:
        return ""
    if text[0] in _SPECIAL:
        return _special(text)
    if "#" in text and (comment := _COMMENT.search(text)):
        text = text[: comment.start()].rstrip(" \t")
    if ":" in text and _COLON.search(text):
        return None
    return "" if text in _NULLS else text


def _special(text: str) -> Value | None:
    """A value that begins with an indicator: quoted, a flow list, a link, a comment."""
    if text[0] in "\"'":
        quoted = _QUOTED.fullmatch(text)
        return _unquoted(quoted[1]) if quoted else None
    if text[0] == "[":
        link = _LINK.fullmatch(text)
        return link[1] if link else _flow(text)
    if text[0] == "#":
        return ""
    if text[0] in "-?:" and len(text) > 1 and text[1] not in " \t":
        plain = _value("x" + text)
        return plain[1:] if isinstance(plain, str) else None
    return None


def _flow(text: str) -> list[str] | None:
    """`[a, "b, c", 'd']` on one line, its items plain or quoted."""
    items: list[str] = []
    at = 1
    while not _FLOW_END.fullmatch(text, at):
        found = _FLOW_ITEM.match(text, at)
        if found is None:
            return None
        item = _value(found[1] or found[2])
        if not isinstance(item, str):
            return None
        items.append(item)
        at = found.end()
        if found[3] == "]":
            return items if _FLOW_REST.fullmatch(text, at) else None
    return items


def _several(lines: Sequence[str], entry: HeaderEntry) -> Value | None:
    """The value of an entry with lines below it; None when it is not of our own shape."""
    if entry.stop - entry.start == 1:
        return _value(lines[entry.start][entry.colon :])
    found = block_items(lines, entry)
    return None if found is None else [item for item, _ in found]


def block_items(lines: Sequence[str], entry: HeaderEntry) -> list[tuple[str, int]] | None:
    """The items of a block list with their line numbers; None for any other value."""
    if lines[entry.start][entry.colon :].strip(" \t")[:1] not in ("", "#"):
        return None
    items: list[tuple[str, int]] = []
    indent = -1
    for number in range(entry.start + 1, entry.stop):
        line = lines[number]
        if line.startswith("  - "):
            depth, text = 2, line[4:]
        elif found := _ITEM.fullmatch(line):
            depth, text = len(found[1]), found[2] or ""
        elif line.lstrip(" \t")[:1] in ("", "#"):
            continue
        else:
            return None
        item = _value(text)
        if not isinstance(item, str) or indent not in (-1, depth):
            return None
        indent = depth
        items.append((item, number))
    return items


def _unquoted(text: str) -> str | None:
    """The text of a quoted scalar; None for an escape that YAML does not know."""
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    if "\\" not in text:
        return text[1:-1]
    try:
        return _ESCAPE.sub(_escaped, text[1:-1])
    except (KeyError, ValueError, OverflowError):
        return None


def _escaped(escape: re.Match[str]) -> str:
    code = escape[1]
    if len(code) == 1:
        return _NAMED[code]
    point = int(code[1:], 16)
    if 0xD800 <= point <= 0xDFFF:
        raise ValueError("half of a surrogate pair")
    return chr(point)


def _odd(lines: Sequence[str], entry: HeaderEntry, refused: str) -> tuple[Value | None, str]:
    """An entry of another shape: by YAML, or as the plain words that a person meant; or a fault."""
    from engram.store.files.foreign_header import read_yaml

    found = refused or read_yaml(lines[entry.start : entry.stop])
    if not isinstance(found, str):
        if list(found) == [entry.key]:
            return found[entry.key], ""
        found = "not one key and its value"
    words = lines[entry.start][entry.colon :].strip(" \t")
    if entry.stop - entry.start == 1 and (words[0] not in _SPECIAL or words[0] in "@`%"):
        text = _COMMENT.split(words, maxsplit=1)[0].rstrip(" \t")
        return text, f"{entry.key!r} needs quotes around its value"
    return None, f"unreadable header: {entry.key!r}: {found}"


# Writing.

_PLAIN = re.compile(r"\w[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]*(?<!\s)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{0,5}[1-9])?")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}Z)?")
#: What some reader may take for a number, a day or a time: `1_000`, `12345e67`, `010`, `12:30`.
_LIKE_NUMBER = re.compile(r"[0-9][0-9a-fA-FxXoO_.,:eE+\-TtZz ]*")
_FLOW_MARK = re.compile(r"[\[\]{},:?\"'#&*!|>%@`]")
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
_WRITTEN = str.maketrans(
    {chr(code): f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
    | {chr(code): f"\\u{code:04x}" for code in (0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)}
    | {chr(code): "\ufffd" for code in range(0xD800, 0xE000)}
    | {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)


def scalar(text: str, *, typed: bool = False, flow: bool = False) -> str:
    """A text as YAML scalar on one line; `typed` lets numbers and days stand bare.

    Lone surrogates, which no file can hold, become U+FFFD.
    """
    if typed and _bare(text):
        return text
    plain = (
        _PLAIN.fullmatch(text)
        and ": " not in text
        and " #" not in text
        and text[-1] != ":"
        and text.lower() not in _WORDS
        and not _LIKE_NUMBER.fullmatch(text)
        and not (flow and _FLOW_MARK.search(text))
    )
    return text if plain else f'"{text.translate(_WRITTEN)}"'


def _bare(text: str) -> bool:
    """Whether a reader may take it for a number, day or instant and still show the same text."""
    if _NUMBER.fullmatch(text):
        return text != "-0"
    if not _TIME.fullmatch(text):
        return False
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def entry_lines(key: str, value: str | Sequence[str]) -> list[str]:
    """The lines of one key, in the shape that `read` needs no YAML for."""
    name = scalar(key)
    if isinstance(value, str):
        return [f"{name}: {scalar(value, typed=key not in TEXT_KEYS)}"]
    if not value:
        return [f"{name}: []"]
    return [f"{name}:", *(f"  - {scalar(item)}" for item in value)]
