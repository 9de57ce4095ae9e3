"""Argument parser of the qmd face: command, words and options; lenient as qmd is.

Options may stand anywhere; unknown ones are taken for flags and ignored; of an option that is given
twice the last counts (but for collections). What begins with `-` is a bundle of options, so words
that begin so have to stand behind `--` or in one argument with others. Nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

#: options that take a value
_VALUED = frozenset({
    "index", "context", "n", "min-score", "format", "collection", "name", "mask", "glob", "l",
    "max-docs-per-batch", "max-batch-mb", "timeout", "from", "max-bytes", "candidate-limit",
    "intent", "chunk-strategy", "port", "host",
})  # fmt: skip
_SHORT = {"h": "help", "v": "version", "c": "collection", "f": "force", "C": "candidate-limit"}
_WHOLE = re.compile(r"\s*([+-]?[0-9]{1,18})")
_SHARE = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)")


@dataclass(slots=True)
class Arguments:
    """One command line. An option without the value that it needs is a flag."""

    command: str = ""
    words: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    collections: list[str] = field(default_factory=list)

    @property
    def query(self) -> str:
        """All words behind the command, with a blank between them."""
        return " ".join(self.words)

    def word(self, place: int) -> str:
        """The word behind the command at a place from 0, or ""."""
        return self.words[place] if place < len(self.words) else ""

    def text(self, name: str) -> str:
        """The value of an option, or ""."""
        return self.values.get(name, "")

    def has(self, name: str) -> bool:
        """Whether an option was given, with a value or without."""
        return name in self.flags or name in self.values

    def whole(self, name: str) -> int | None:
        """The whole number that a value begins with; None for none, or for no number."""
        match = _WHOLE.match(self.text(name))
        return int(match[1]) if match else None

    def share(self, name: str) -> float | None:
        """The number that a value begins with; None for none, or for no number."""
        match = _SHARE.match(self.text(name))
        return float(match[1]) if match else None


def parse(argv: Sequence[str]) -> Arguments:
    """One command line in its parts."""
    found = Arguments()
    words: list[str] = []
    rest = iter(argv)
    for given in rest:
        if given == "--":
            words.extend(rest)
        elif given.startswith("--"):
            name, equals, value = given[2:].partition("=")
            _take(found, name, value if equals else None, rest)
        elif given.startswith("-") and len(given) > 1:
            _bundle(found, given[1:], rest)
        else:
            words.append(given)
    if words:
        found.command, found.words = words[0], words[1:]
    return found


def _bundle(found: Arguments, letters: str, rest: Iterator[str]) -> None:
    """`-n 5`, `-n5`, `-fc notes`: letters up to the first that takes a value."""
    for at, letter in enumerate(letters):
        name = _SHORT.get(letter, letter)
        if name in _VALUED:
            behind = letters[at + 1 :]
            _take(found, name, behind or None, rest)
            return
        found.flags.add(name)


def _take(found: Arguments, name: str, value: str | None, rest: Iterator[str]) -> None:
    """An option with the value it came with, or with the next argument, whatever that is."""
    if value is None and name in _VALUED:
        value = next(rest, None)
    if value is None:
        found.flags.add(name)
    elif name == "collection":
        found.collections.append(value)
    else:
        found.values[name] = value
