"""Triage: turns of one conversation -> how much in it points to a record, for each schema.

    lines -> hits (one a line) -> plain or boosted, by the words near them -> score 0..1

The patterns are data (`config/records.toml`, which says how a score is made); a person's settings
override thresholds and descriptions, and leave schemas out. A session is scored by what was done in
it, not by words. A score decides what is drafted, never what is kept. Guarantees: only typed and
agents' words count (`conversation_lines`); a further hit never lowers a score; at most 1. Refused,
with a ConfigError that names the schema: a table of another shape, a pattern that does not compile.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from engram.extract.conversation_lines import ConversationLine, lines_of
from engram.model.errors import ConfigError
from engram.model.memory import SESSION
from engram.model.schema_score import SchemaScore, TriageHit
from engram.model.schemas import SCHEMA_TABLE
from engram.model.settings import RecordSettings
from engram.model.turn import Turn

#: hits that count, and the lines around a hit in which a booster counts (records 2.2)
_MOST_PLAIN, _MOST_BOOSTED, _NEAR = 3, 2, 4
#: as much of a line is kept with a hit, characters
_SNIPPET = 120
_BREAK = re.compile(r"\n\s*")
_KEYS = frozenset({"describe", "threshold"})
_WORD_KEYS = _KEYS | {"plain", "boosted", "words", "beside"}
_SESSION_KEYS = _KEYS | {"tool_call", "tool", "turn"}


@dataclass(frozen=True, slots=True)
class _WordPatterns:
    plain: float
    boosted: float
    words: re.Pattern[str]
    beside: re.Pattern[str]
    unless: re.Pattern[str] | None

    def score(self, plain: int, boosted: int) -> float:
        most = _MOST_PLAIN * self.plain + _MOST_BOOSTED * self.boosted
        return min(1.0, round((plain * self.plain + boosted * self.boosted) / most, 4))


@dataclass(frozen=True, slots=True)
class TriagePatterns:
    """The compiled table: of each schema that is captured its description, threshold, patterns."""

    told: Mapping[str, tuple[str, float]]
    words: Mapping[str, _WordPatterns]
    session: Mapping[str, float]


def compile_triage(
    table: Mapping[str, Any], settings: RecordSettings = RecordSettings()
) -> TriagePatterns:
    """The patterns of `config/records.toml` for a person's settings. Raises ConfigError."""
    if set(table) - {"stated"} != set(SCHEMA_TABLE):
        raise ConfigError("config/records.toml: needs a table for each schema", _hint())
    describe, thresholds = dict(settings.describe), dict(settings.thresholds)
    capture = dict(settings.capture)
    told, words = {}, {}
    session: dict[str, float] = {}
    for name in SCHEMA_TABLE:
        row = table[name]
        _check(name, row)
        if capture.get(name, "auto") != "auto":
            continue
        told[name] = describe.get(name, row["describe"]), thresholds.get(name, row["threshold"])
        if name == SESSION:
            session = {key: row[key] for key in _SESSION_KEYS - _KEYS}
        else:
            words[name] = _patterns(name, row)
    return TriagePatterns(told, words, session)


def triage(turns: Sequence[Turn], patterns: TriagePatterns) -> tuple[SchemaScore, ...]:
    """The score of each schema that is captured by itself, in the order of the table."""
    tools = [line.split(" ", 1)[0] for turn in turns for line in turn.tools]
    lines = lines_of(turns)
    by_words = {one.schema: one for one in score_lines(lines, patterns)}
    if SESSION in patterns.told:
        by_words[SESSION] = score_session(len(tools), len(set(tools)), len(turns), patterns)
    return tuple(by_words[name] for name in patterns.told)


def score_session(
    tool_calls: int, tools: int, turns: int, patterns: TriagePatterns
) -> SchemaScore:  # fmt: skip
    """The score of a session, by what was done in it."""
    counted = (("tool_call", tool_calls), ("tool", tools), ("turn", turns))
    score = sum(patterns.session[name] * count for name, count in counted)
    describe, threshold = patterns.told[SESSION]
    return SchemaScore(SESSION, describe, min(1.0, round(score, 4)), threshold, counted=counted)


def score_lines(
    lines: Sequence[ConversationLine], patterns: TriagePatterns
) -> list[SchemaScore]:  # fmt: skip
    """The scores by words, of all schemas but the session."""
    scored = [line.scored.lower() for line in lines]
    text = "\n".join(scored)
    starts = [0, *accumulate(len(line) + 1 for line in scored)]
    found = []
    for name, own in patterns.words.items():
        at = _lines_with(own.words, text, starts)
        if own.unless is not None:
            at = [line for line in at if not own.unless.match(scored[line])]
        beside = _lines_with(own.beside, text, starts) if at else []
        plain = boosted = 0
        hits = []
        for line in at:
            near = bisect_left(beside, line - _NEAR) < bisect_right(beside, line + _NEAR)
            counts = near and boosted < _MOST_BOOSTED
            boosted += counts
            plain += not counts and plain < _MOST_PLAIN
            words = " ".join(lines[line].text.split())[:_SNIPPET]
            hits.append(TriageHit(line, lines[line].turn, words, near))
        score = own.score(plain, boosted)
        found.append(SchemaScore(name, *_told(patterns, name, score), plain, boosted, tuple(hits)))
    return found


def _told(patterns: TriagePatterns, name: str, score: float) -> tuple[str, float, float]:
    describe, threshold = patterns.told[name]
    return describe, score, threshold


def _lines_with(pattern: re.Pattern[str], text: str, starts: Sequence[int]) -> list[int]:
    """The lines in which a pattern is found, in order."""
    found: list[int] = []
    at = 0
    while match := pattern.search(text, at):
        line = bisect_right(starts, match.start()) - 1
        found.append(line)
        at = starts[line + 1]
    return found


def _patterns(name: str, row: Mapping[str, Any]) -> _WordPatterns:
    unless = row.get("unless", "")
    return _WordPatterns(
        row["plain"], row["boosted"], _compiled(name, rf"\b(?:{row['words']})\b"),
        _compiled(name, rf"\b(?:{row['beside']})\b"), _compiled(name, unless) if unless else None,
    )  # fmt: skip


def _compiled(name: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(_BREAK.sub("", pattern))  # lines are lower case when they are searched
    except re.error as error:
        raise ConfigError(f"config/records.toml: [{name}]: {error}", _hint()) from error


def _check(name: str, row: object) -> None:
    """Raise ConfigError for a table with other keys, or values of another kind."""
    keys = _SESSION_KEYS if name == SESSION else _WORD_KEYS
    if not isinstance(row, Mapping) or set(row) - {"unless"} != keys:
        raise ConfigError(
            f"config/records.toml: [{name}]: needs {', '.join(sorted(keys))}", _hint()
        )
    for key, value in row.items():
        is_text = key in ("describe", "words", "beside", "unless")
        is_share = isinstance(value, int | float) and 0 <= value <= 1
        if not (isinstance(value, str) if is_text else is_share):
            raise ConfigError(f"config/records.toml: [{name}]: {key} is not understood", _hint())


def _hint() -> str:
    return "install engram again: the file belongs to the program"
