"""TOML text -> tables, and the position of every key in the text.

tomllib says what a file means but not where; `lines` finds that, so that messages can name it, and
`flat` names each value by its dotted path.
`parse` refuses what could overload the parser: too much text, keys that are nested absurdly deep.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping

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


def lines(text: str) -> dict[str, int]:
    """The line of every header and key of valid TOML, by its dotted path; the first one counts.

    Lines count from 1; names with escapes in them are left out.
    """
    found: dict[str, int] = {}
    table: tuple[str, ...] = ()
    for statement, line in _statements(text):
        name = _NAME.match(statement)
        if statement.startswith("["):
            path = table = _path(statement.strip("[] \t"))
        elif name and statement[name.end() : name.end() + 1] == "=":
            path = table + _path(name.group())
        else:
            continue
        found.setdefault(".".join(path), line)
    return found


def line_of(name: str, places: Mapping[str, int]) -> int:
    """The line of a key, of the first one below it, or of the table that it stands in; else 0."""
    if name not in places:
        head = f"{name}."
        if below := [line for place, line in places.items() if place.startswith(head)]:
            return min(below)
    while name not in places and "." in name:
        name = name.rpartition(".")[0]
    return places.get(name, 0)


def flat(
    table: Mapping[str, object], paths: Collection[tuple[str, ...]], above: tuple[str, ...] = ()
) -> Iterator[tuple[str, object]]:
    """Dotted names and values; only tables at one of the paths are descended into."""
    for part, value in table.items():
        path = (*above, part)
        if path in paths and isinstance(value, dict):
            yield from flat(value, paths, path)
        else:
            # a quoted part with a dot in it must not pass for two parts
            yield ".".join(f'"{name}"' if "." in name else name for name in path), value


def _statements(text: str) -> Iterator[tuple[str, int]]:
    """Each header and each `key = value`, without a comment behind it, and its line."""
    start = depth = 0
    line, body = 1, -1
    for token in _TOKEN.finditer(text + "\n"):
        first = token.group()[0]
        if first in "[{":
            depth += 1
        elif first in "]}":
            depth -= 1
        elif first == "#" and depth == 0:
            body = token.start()
        elif first == "\n" and depth == 0:
            statement = text[start : body if body >= 0 else token.start()].strip()
            if statement:
                yield statement, line
            line += text.count("\n", start, token.end())
            start, body = token.end(), -1


def _path(name: str) -> tuple[str, ...]:
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in _PARTS.findall(name))
