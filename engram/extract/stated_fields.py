"""A sentence -> the fields of a record that it states by itself; and the patterns for it.

    "We use Postgres instead of SQLite because two writers need it."
        -> sections of the decision: Rationale: two writers need it; Alternatives: SQLite

The patterns are data (`config/records.toml`, `[stated]`), compiled when they are first needed.
English only, as the rules are. Refused, with a ConfigError: a table of another shape, a pattern
that does not compile.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engram.model.candidate import Candidate
from engram.model.errors import ConfigError
from engram.model.record import FieldValue, made_record, parts_of

STATED = "stated"
_NAMES = ("reason", "alternative", "deferral", "failure", "cause", "fix", "check")
_UNLESS, _WORDS = "_unless", "_words"
#: the fields for the reason and for what was not taken
_FIELDS = {"decision": ("rationale", "alternatives"), "preference": ("reason", "avoid")}
_BREAK = re.compile(r"\n\s*")
_MARKS = re.compile(r"^[-*>#\s]+|\*\*")


class StatedPatterns:
    """`[stated]` of the parsed `config/records.toml`. Raises ConfigError."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        rows = table.get(STATED)
        if not isinstance(rows, Mapping) or _patterns_in(rows) != {*_NAMES}:
            raise ConfigError(f"config/records.toml: [{STATED}]: needs {', '.join(_NAMES)}")
        self._rows = rows
        self._words = {name: str(rows.get(f"{name}{_WORDS}", "")).split("|") for name in _NAMES}
        self._made: dict[str, re.Pattern[str]] = {}

    def may_hold(self, name: str, text: str) -> bool:
        """Whether a text, in lower case, has one of the words without which nothing is found."""
        return any(word in text for word in self._words[name])

    def at_start(self, name: str, said: str) -> str:
        """What a pattern names in a sentence that begins with it; '' where it does not."""
        match = self._pattern(name).match(said)
        return match["what"].strip() if match and not self._objects(name, said) else ""

    def holds(self, name: str, said: str) -> bool:
        """Whether a sentence has a pattern anywhere in it."""
        found = self._pattern(name).search(said) is not None
        return found and not self._objects(name, said)

    def within(self, name: str, said: str) -> str:
        """What a pattern names anywhere in a sentence, plain; '' where it does not stand there."""
        match = self._pattern(name).search(said)
        return plain(match["what"]) if match else ""

    def _objects(self, name: str, said: str) -> bool:
        unless = f"{name}{_UNLESS}"
        return unless in self._rows and self._pattern(unless).match(said) is not None

    def _pattern(self, name: str) -> re.Pattern[str]:
        if name not in self._made:
            try:
                self._made[name] = re.compile(_BREAK.sub("", self._rows[name]), re.IGNORECASE)
            except (re.error, TypeError) as error:
                raise ConfigError(f"config/records.toml: [{STATED}] {name}: {error}") from error
        return self._made[name]


def _patterns_in(rows: Mapping[str, Any]) -> set[str]:
    """The patterns that a table is about."""
    return {name.removesuffix(_UNLESS).removesuffix(_WORDS) for name in rows}


def with_sections(candidate: Candidate, patterns: StatedPatterns) -> Candidate:
    """A decision or preference with the sections that its own sentence fills."""
    fields = _FIELDS.get(candidate.category)
    if fields is None or candidate.schema:
        return candidate
    told = patterns.within("reason", candidate.text), patterns.within("alternative", candidate.text)
    values: dict[str, FieldValue] = dict(zip(fields, told, strict=True))
    # of a record without a statement, which stays as it is, only the sections are taken
    sections = parts_of(made_record(candidate.category, values)).sections
    return replace(candidate, sections=sections) if sections else candidate


def plain(text: str) -> str:
    """A text on one line without the marks before it and the stop behind it."""
    return " ".join(_MARKS.sub("", text).split()).rstrip(" .:;,")
