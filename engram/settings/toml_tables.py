"""TOML text -> tables, and the position of every key in the text.

tomllib says what a file means but not where; `statements` finds the lines, so that messages can
name them and `toml_edit` can change one of them. `parse` refuses what could overload the parser:
too much text, keys that are nested absurdly deep.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

#: limits: a settings file is written by people; the parser is quadratic in the depth of a key
MAX_CHARACTERS = 65_536
_MAX_DOTS = 100

#: what can hide a newline, a bracket or a `#`, and those themselves
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})|\'\'\'.*?\'\'\'(?:\'{0,2})'
    r'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]|\n',
    re.DOTALL,
)
_PART = r'[A-Za-z0-9_-]+|"[^"\\\n]*"|\'[^\'\n]*\''
_PARTS = re.compile(_PART)
_NAME = re.compile(rf"\s*(?:{_PART})(?:[ \t]*\.[ \t]*(?:{_PART}))*[ \t]*")


class TomlStatement(NamedTuple):
    """One table header or one `key = value`, as offsets into the text.

    `path` is the full path of the key or table; a header has no value (`value` is empty);
    `end` is the offset after the statement's last newline, `line` counts from 1.
    """

    path: tuple[str, ...]
    header: bool
    line: int
    value: slice
    end: int


def parse(text: str) -> dict[str, object]:
    """TOML text without a byte order mark -> its tables. Raises ValueError that says where."""
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"more than {MAX_CHARACTERS // 1024} KiB of settings")
    for number, line in enumerate(text.split("\n"), 1):
        name = "" if line.lstrip().startswith("#") else line.partition("=")[0]
        if name.count(".") > _MAX_DOTS:
            raise ValueError(f"a key is nested too deeply (at line {number}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("a value is nested too deeply") from error


def statements(text: str) -> Iterator[TomlStatement]:
    """The headers and keys of valid TOML, in order; names with escapes in them are left out."""
    table: tuple[str, ...] = ()
    for start, body, end, line in _pieces(text):
        stripped = text[start:body].strip()
        if stripped.startswith("["):
            table = tuple(_bare(part) for part in _PARTS.findall(stripped.strip("[] \t")))
            yield TomlStatement(table, True, line, slice(body, body), end)
            continue
        name = _NAME.match(text, start, body)
        if name and text[name.end() : name.end() + 1] == "=":
            value = name.end() + 1
            value += len(text[value:body]) - len(text[value:body].lstrip())
            path = table + tuple(_bare(part) for part in _PARTS.findall(name.group()))
            yield TomlStatement(path, False, line, slice(value, len(text[:body].rstrip())), end)


def lines(text: str) -> dict[str, int]:
    """The line of every header and key of valid TOML, by its dotted path; the first one counts."""
    found: dict[str, int] = {}
    for statement in statements(text):
        found.setdefault(".".join(statement.path), statement.line)
    return found


def _pieces(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Start, end without comment, end with newline, and line of each statement or blank line."""
    start = depth = 0
    line, body = 1, -1
    for token in _TOKEN.finditer(text):
        first = token.group()[0]
        if first in "[{":
            depth += 1
        elif first in "]}":
            depth -= 1
        elif first == "#" and depth == 0:
            body = token.start()
        elif first == "\n" and depth == 0:
            if text[start : token.start()].strip():
                yield start, body if body >= 0 else token.start(), token.end(), line
            line += text.count("\n", start, token.end())
            start, body = token.end(), -1
    if text[start:].strip():
        yield start, body if body >= 0 else len(text), len(text), line


def _bare(part: str) -> str:
    return part[1:-1] if part[0] in "\"'" else part
