"""Search for the record that a draft is about: its words -> the nearest record, with points.

Seed 001: 2 points for a word that is a word of the title, 3 for one that is a tag, 1 for any other
of four letters or more that begins a word of the title or a tag; from `LEAST` points on a record is
a candidate, the best first, by id among equals. Words of any script count: what is written without
spaces is compared in pairs of characters, of which two count as much as a word. A record without a
title is known by the words of its statement's first line. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from engram.language.scripts import DENSE
from engram.language.stop_words import GERMAN_FILLERS, TOPIC, is_german
from engram.model.memory import Memory
from engram.model.record_draft import RecordDraft
from engram.model.text import first_line, words

#: points from which a record is a candidate
LEAST = 3
_TITLE, _TAG, _PREFIX = 2, 3, 1
#: of a title, for two characters of a script without spaces
_HALF = 1
#: letters of a word that counts, and of one that counts as the beginning of another
_SHORTEST, _SHORTEST_PREFIX = 3, 4
_SIGNS = re.compile(r"[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")


class FoundRecord(NamedTuple):
    """A record that a draft may be about, and its points."""

    memory: Memory
    score: int


def record_tokens(text: str) -> frozenset[str]:
    """The words of a text that tell what it is about: of three letters or more, no stop words."""
    stop = TOPIC | GERMAN_FILLERS if is_german(text) else TOPIC
    found: set[str] = set()
    for token in words(text):
        if token not in stop:
            for part in _SIGNS.split(token):
                found.update(_parts(part))
    return frozenset(found - stop)


def score(tokens: Iterable[str], title: str, tags: Iterable[str]) -> int:
    """The points of a record of that title and these tags."""
    said = frozenset(tokens)
    named, labels = record_tokens(title), {tag.strip().casefold() for tag in tags}
    known = named | labels
    points = 0
    for token in said:
        half = _is_pair(token)
        hits = (_HALF if half else _TITLE) * (token in named) + _TAG * (token in labels)
        if hits or half:
            points += hits
        elif len(token) >= _SHORTEST_PREFIX and any(one.startswith(token) for one in known):
            points += _PREFIX
    # a tag that is written without spaces is no token: it counts where all its pairs are said
    dense = (frozenset(_parts(tag)) for tag in labels - said)
    return points + sum(
        _TAG for pairs in dense if pairs and all(map(_is_pair, pairs)) and pairs <= said
    )


def nearest(draft: RecordDraft, records: Sequence[Memory]) -> FoundRecord | None:
    """The record that a draft is most likely about, of those of its schema and place."""
    record = draft.record
    told = record_tokens(f"{record.title}\n{record.statement}")
    told |= {tag.strip().casefold() for tag in record.tags}
    found = (FoundRecord(one, score(told, known_as(one), one.tags)) for one in records)
    likely = [one for one in found if one.score >= LEAST]
    return min(likely, key=lambda one: (-one.score, one.memory.id), default=None)


def known_as(memory: Memory) -> str:
    """A record's title, or what stands for one."""
    return memory.title or first_line(memory.text)


def _parts(word: str) -> Iterable[str]:
    """A word as it is, or in pairs where it is written without spaces."""
    if word.isascii():
        return [word] if len(word) >= _SHORTEST else []
    found: list[str] = []
    for run in _dense().split(word):
        if _dense().fullmatch(run):
            found += (run[at : at + 2] for at in range(len(run) - 1))
        elif len(run) >= _SHORTEST:
            found.append(run)
    return found


def _is_pair(token: str) -> bool:
    return len(token) == 2 and not token.isascii() and _dense().fullmatch(token) is not None


@cache
def _dense() -> re.Pattern[str]:
    return re.compile(f"([{DENSE}]+)")
