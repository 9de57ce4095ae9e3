"""Triage's hits -> the excerpt of a conversation that a model is shown about them.

    - decision (score 0.53): a choice, and why this and not the other
    ...
    [3] user, 2026-03-06T10:00:00Z (Friday):      ten lines around each hit, ranges merged
    ---                                           between ranges

Guarantees: inside a fence that cannot be closed from inside and is a digest of what it holds; at
most 50 kB and the room it is given, cut between characters; the same scores and turns give the same
bytes. Where there is too little room, less is shown around a hit before a hit is left out. The
number of a message is its place among the turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engram.extract.conversation_lines import LEFT_OUT, ConversationLine, lines_of
from engram.extract.llm.prompt import label_of
from engram.model.instant import weekday_of
from engram.model.model_request import fenced
from engram.model.schema_score import SchemaScore
from engram.model.text import tokens_of
from engram.model.turn import Turn

#: seed 001: lines around a hit, bytes of an excerpt
WINDOW, MOST_BYTES = 10, 50_000
#: what is tried where there is too little room, and so much around boosted hits alone
_NARROWER, _AROUND_BOOSTED = (5, 2), 3
#: as much of one line is shown, characters
_LONGEST_LINE = 2_000
APART = "---"


class TriageExcerpt(NamedTuple):
    """What is shown: its text without a fence, and the places of the turns in it."""

    text: str
    turns: tuple[int, ...]


def excerpt_of(
    scores: Iterable[SchemaScore], turns: Sequence[Turn], room: int = MOST_BYTES
) -> TriageExcerpt | None:
    """The excerpt around the hits of some scores, in `room` tokens; None where nothing was hit."""
    scores = [one for one in scores if one.hits]
    if not scores:
        return None
    lines = lines_of(turns)
    hits = sorted({hit.line for one in scores for hit in one.hits})
    boosted = sorted({hit.line for one in scores for hit in one.hits if hit.boosted})
    tried = [
        *((hits, window) for window in (WINDOW, *_NARROWER)),
        (boosted or hits, _AROUND_BOOSTED),
    ]
    for centres, window in tried:
        found = _excerpt(merged_ranges(centres, len(lines), window), lines, turns)
        if tokens_of(found.text) <= room and len(_bytes(found.text)) <= MOST_BYTES:
            return found
    return _cut(found, turns, room)


def shown_block(scores: Iterable[SchemaScore], turns: Sequence[Turn]) -> str:
    """The excerpt below its schemas, fenced; empty where nothing was hit."""
    scores = list(scores)
    found = excerpt_of(scores, turns)
    return fenced(f"{headings(scores)}\n\n{found.text}") if found else ""


def headings(scores: Iterable[SchemaScore]) -> str:
    """A line for each schema: its score, and what belongs into it."""
    return "\n".join(f"- {one.schema} (score {one.score:.2f}): {one.describe}" for one in scores)


def merged_ranges(centres: Iterable[int], count: int, window: int) -> list[tuple[int, int]]:
    """First and last line around each of some lines of `count`, those that meet merged."""
    found: list[tuple[int, int]] = []
    for centre in sorted(centres):
        first, last = max(centre - window, 0), min(centre + window, count - 1)
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def _excerpt(
    ranges: Sequence[tuple[int, int]], lines: Sequence[ConversationLine], turns: Sequence[Turn]
) -> TriageExcerpt:
    parts: list[str] = []
    places: list[int] = []
    for first, last in ranges:
        told: list[str] = []
        at = -1
        for line in lines[first : last + 1]:
            if line.turn != at:
                at = line.turn
                places.append(at)
                told.append(("\n" if told else "") + _heading(at, turns[at]))
            text = line.text.rstrip()
            told.append(
                text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]} {LEFT_OUT}"
            )
        parts.append("\n".join(told).strip("\n"))
    return TriageExcerpt(f"\n{APART}\n".join(parts), tuple(dict.fromkeys(places)))


def _heading(place: int, turn: Turn) -> str:
    return f"[{place + 1}] {label_of(turn)}, {turn.local_time} ({weekday_of(turn.day)}):"


def _cut(found: TriageExcerpt, turns: Sequence[Turn], room: int) -> TriageExcerpt:
    """As much as there is room for, from the end: what was said last holds."""
    most = min(room * len(_bytes(found.text)) // max(tokens_of(found.text), 1), MOST_BYTES)
    kept = _bytes(found.text)[-max(most - len(LEFT_OUT) - 1, 0) :]
    text = f"{LEFT_OUT}\n{kept.decode('utf-8', 'ignore')}"
    # the first message that is left may have lost its number
    shown = [place for place in found.turns if _heading(place, turns[place]) in text]
    first = found.turns.index(shown[0]) if shown else len(found.turns)
    return TriageExcerpt(text, found.turns[max(first - 1, 0) :])


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
