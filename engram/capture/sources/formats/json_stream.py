"""Streaming JSON parser: a byte stream -> its elements one by one, whatever the length.

| the document is | its elements are |
|---|---|
| an array | its values |
| an object with one of the named lists in it (`{"results": [...]}`) | the values of those lists |
| any other object | itself |
| several of these, glued or on lines of their own | those of each |

Guarantees: nothing is raised on content, time is linear, and of the text no more is held than the
longest element allowed. A longer one is skipped and counted, and so is a damaged one; reading
goes on where the next surely begins: behind the brackets that close it, or on a line that begins
as its own line began, for inside a string no line can. Where neither is found, nothing more is
taken; nor is the rest of a document behind 100,000 damaged ones. UTF-8 is decoded as it
comes, with or without a byte order mark; invalid bytes are replaced.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Protocol

from engram.capture.sources.formats.json_lines import Object
from engram.model.ports import Tally

#: How much is read at a time; an element that is longer makes it double.
_PIECE = 1 << 16
#: An object up to this length is decoded at once, a longer one is opened key by key.
_WHOLE = 1 << 20
#: So near to the end of the text an error may only mean that more is to come: the longest piece
#: that is understood as one (a pair of escapes) is shorter.
_NEAR = 16
_MAX_INDENT = 64
#: a document with more damaged elements is not of this format: the rest is not read
_MAX_DAMAGED = 100_000

#: What may stand between two elements.
_GAP = re.compile(r"[\s\0\ufeff,]*")
#: What begins no value, up to what may begin or end one that matters.
_JUNK = re.compile(r"[^\[\]{}\"]+|.", re.DOTALL)
_LINE = re.compile(r"[^\n]*")
_MARK = re.compile(r"[\"\n]|[{\[]+|[}\]]+")
#: The rest of a string, with what ends it: its quote, a line end that tears it, or no more text.
_REST = re.compile(r"[^\"\\\n]*+(?>(?:\\[^\n][^\"\\\n]*+)*)(\"|\\?\n)?")
_decode = json.JSONDecoder().raw_decode


class Readable(Protocol):
    """Bytes that come in pieces; an empty piece is the end."""

    def read(self, size: int, /) -> bytes:
        """Up to so many bytes."""
        ...


class _TooLong(ValueError):
    """A value has more characters than allowed."""


class _Window:
    """The part of the text that is looked at; `at` is the place, what lies before it is done."""

    def __init__(self, stream: Readable) -> None:
        self._read = stream.read
        self._decoded = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        #: text that was read already and stands behind the window
        self._spare = ""
        self._spare_at = 0
        self._ended = False
        self._begun = False
        self._damaged = 0
        self.text = ""
        self.at = 0

    def grow(self, size: int) -> bool:
        """Add about so much text, dropping what is done; False when there is no more."""
        if self._ended:
            return False
        piece = self._next(size)
        self.text = self.text[self.at :] + piece
        self.at = 0
        self._ended = not piece
        return bool(piece)

    def _next(self, size: int) -> str:
        if self._spare:
            piece = self._spare[self._spare_at : self._spare_at + size]
            self._spare_at += len(piece)
            if self._spare_at == len(self._spare):
                self._spare = ""
            return piece
        while data := self._read(size):
            if piece := self._decoded(data):
                return piece
        return self._decoded(b"", True)

    def narrow(self) -> None:
        """Put text that was read far ahead aside: an error costs the length of the window."""
        end = self.at + _PIECE
        ahead = len(self.text) - end
        if ahead <= 0:
            return
        if self._spare:
            self._spare_at -= ahead  # a window that was narrow before has grown out of it
        else:
            self._spare, self._spare_at = self.text[end:], 0
        self.text, self.at = self.text[self.at : end], 0
        self._ended = False

    def gap(self) -> str | None:
        """Pass over white space and commas; the indentation, if a line begins at the place."""
        indent = None if self._begun else ""
        self._begun = True
        while True:
            run = _GAP.match(self.text, self.at)
            self.at, passed = (run.end(), run[0]) if run else (self.at, "")
            line = passed.rfind("\n")
            if line >= 0:
                indent = passed[line + 1 :]
            elif indent is not None:
                indent += passed
            if indent is not None and len(indent) > _MAX_INDENT:
                indent = None
            if self.at < len(self.text) or not self.grow(_PIECE):
                return indent

    @property
    def sign(self) -> str:
        """The character at the place; empty at the end. Known behind a gap."""
        return self.text[self.at : self.at + 1]

    def value(self, most: int) -> tuple[object, int]:
        """The value at the place, and its length; the place is then behind it.

        Raises ValueError for a damaged one, or none, and _TooLong, a ValueError; the place stays.
        """
        if self.sign in ("", "]", "}"):
            raise ValueError("no value")
        while True:
            text, at, last = self.text, self.at, self._ended
            try:
                value, end = _decode(text, at)
            except RecursionError as error:
                raise ValueError("nested too deeply") from error
            except json.JSONDecodeError as error:
                if last or not (error.msg.startswith("Unterm") or error.pos > len(text) - _NEAR):
                    raise
            else:
                if end - at > most:
                    raise _TooLong
                if last or end < len(text) or isinstance(value, dict | list | str):
                    self.at = end
                    return value, end - at
            held = len(text) - at
            if held > most:
                raise _TooLong
            self.grow(min(max(_PIECE, held), max(_PIECE, most + 1 - held)))

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Pass over what a pattern matches at the place, as far as it is in the window."""
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def count_damaged(self, tally: Tally) -> None:
        """Count an element that cannot be read; after very many, the text is at its end."""
        tally.lines += 1
        tally.unparsed_lines += 1
        self._damaged += 1
        if self._damaged > _MAX_DAMAGED:
            self._ended = True
            self._spare = self.text = ""
            self.at = 0

    def leave(self, indent: str | None, depth: int = 0) -> None:
        """Pass over the value at the place, `depth` containers included, without decoding it.

        Ends before that where a line begins like the one that it stood on, at `indent`.
        """
        self.narrow()
        quoted = False
        while True:
            found = (_REST.match if quoted else _MARK.search)(self.text, self.at)
            mark = (found[1] if quoted else found[0]) if found else None
            if found is None or mark is None:
                self.at = found.end() if found else len(self.text)
                if not self.grow(_PIECE):
                    self.at = len(self.text)
                    return
                continue
            self.at = found.end()
            if mark == '"':
                quoted = not quoted
                if not quoted and not depth:
                    return
            elif mark[-1] == "\n":
                self.at -= 1
                if not depth or (indent is not None and self._begins(f"\n{indent}{{")):
                    return
                self.at += 1
                quoted = False
            elif mark[0] in "{[":
                depth += len(mark)
            elif len(mark) >= depth:
                self.at = found.start() + depth
                return
            else:
                depth -= len(mark)

    def _begins(self, start: str) -> bool:
        while len(self.text) - self.at < len(start) and self.grow(_PIECE):
            pass
        return self.text.startswith(start, self.at)


def elements(
    stream: Readable, tally: Tally, most: int, lists: frozenset[str] = frozenset()
) -> Iterator[tuple[str, object]]:
    """Each element with the name of the list it stands in; empty for those at the top.

    Elements of more than `most` characters, and damaged ones, are counted in the tally.
    """
    window = _Window(stream)
    while True:
        indent = window.gap()
        if not window.sign:
            return
        if window.sign == "[":
            window.at += 1
            yield from _listed("", window, tally, most)
        elif window.sign == "{":
            yield from _object(window, tally, most, lists, indent)
        else:
            window.count_damaged(tally)
            window.skip(_LINE)


def first_keys(head: bytes) -> dict[str, str]:
    """The keys of the first object in the beginning of a document, and how each value begins."""
    window = _Window(BytesIO(head))
    keys: dict[str, str] = {}
    window.gap()
    if window.sign == "[":
        window.at += 1
        window.gap()
    if window.sign != "{":
        return keys
    window.at += 1
    try:
        while True:
            key = _key(window, len(head))
            keys[key] = window.sign
            window.value(len(head))
    except ValueError:
        return keys


def _listed(name: str, window: _Window, tally: Tally, most: int) -> Iterator[tuple[str, object]]:
    """The values of a list whose opening bracket is passed, and its end."""
    while True:
        indent = window.gap()
        sign = window.sign
        if sign == "]":
            window.at += 1
        if sign in ("", "]") or (sign == "}" and name):
            return
        try:
            value, _ = window.value(most)
        except ValueError:
            window.count_damaged(tally)
            if sign in '{["':
                window.leave(indent)
            else:
                window.narrow()
                window.skip(_JUNK)
        else:
            tally.lines += 1
            yield name, value


def _object(
    window: _Window, tally: Tally, most: int, lists: frozenset[str], indent: str | None
) -> Iterator[tuple[str, object]]:
    """The object at the place, or the values of the named lists in it."""
    try:
        value, _ = window.value(min(most, _WHOLE))
    except ValueError:
        window.narrow()
        yield from _opened(window, tally, most, lists, indent)
        return
    inner: Object = value if isinstance(value, dict) else {}
    named = [name for name in inner if name in lists and isinstance(inner[name], list)]
    if not named:
        tally.lines += 1
        yield "", value
    for name in named:
        found = inner[name]
        for one in found if isinstance(found, list) else ():
            tally.lines += 1
            yield name, one


def _opened(
    window: _Window, tally: Tally, most: int, lists: frozenset[str], indent: str | None
) -> Iterator[tuple[str, object]]:
    """The same for an object that is long or damaged: key by key, its named lists value by value.

    A damaged object without such a list is counted, never taken in part.
    """
    window.at += 1
    whole: Object | None = {}
    room, streamed = most, False
    while True:
        window.gap()
        if window.sign == "}":
            break
        try:
            key = _key(window, room)
            if key in lists and window.sign == "[":
                streamed = True
                window.at += 1
                yield from _listed(key, window, tally, most)
                continue
            value, length = window.value(room)
        except _TooLong:
            whole = None
            window.leave(None)
        except ValueError:
            window.count_damaged(tally)
            window.leave(indent, 1)
            return
        else:
            room -= length
            if whole is not None:
                whole[key] = value
    window.at += 1
    if whole is None and not streamed:
        window.count_damaged(tally)
    elif whole is not None and not streamed:
        tally.lines += 1
        yield "", whole


def _key(window: _Window, most: int) -> str:
    """The key at the place, which is then at its value. Raises ValueError where there is none."""
    window.gap()
    key, _ = window.value(most)
    window.gap()
    if not isinstance(key, str) or window.sign != ":":
        raise ValueError("not a key")
    window.at += 1
    window.gap()
    return key
