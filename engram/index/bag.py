"""Bag of terms of a document: each term with its weight, and the length.

The body counts as it is, the title of a memory or page half as much again, the caption of a picture
(`[photo: two cardamom buns]`) a little less, for it was made by a machine and not said. So does a
word of a record's sections, and once however often it stands there: a long record must not come
before the memory that says just what is asked, nor count as long where it is found by its
statement. Who spoke is a term of its own, which no word of a text can be; it is searched apart
(`speaker_term`). So are the stems of German words, and long ones backwards: a part of a compound
begins or ends it. The days that a text speaks of are terms, too (`day_term`): each weighs as much
as its part of the span, so that "in June" says little about the 12th.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from engram.index.day_scores import number_of
from engram.index.prior import prior
from engram.index.scoring import (
    BODY,
    COMPOUND,
    WHOLE_SPAN,
    day_term,
    german_end,
    german_term,
    speaker_term,
)
from engram.language.german import german_stems
from engram.language.stop_words import is_german
from engram.language.tokens import terms
from engram.language.when import find_times
from engram.model.text import words

if TYPE_CHECKING:
    from engram.model.hit import Document
    from engram.model.instant import Day

#: weights in tenths
TITLE, CAPTION, SECTION = 15, 6, 8
#: days of a longer span are not told apart; a longer text is read for times as far as this
_MOST_DAYS, _MOST_TEXT = 31, 20_000
#: what speaks of more days is a table or a calendar, and about none of them
_LISTED = 100
#: a longer document counts as this long: the difference says nothing any more
_LONGEST = 65_535
_CAPTION = re.compile(
    r"\[(?:photo|image|picture|video|figure)s?: ([^\[\]\n]{1,2000})\]", re.IGNORECASE
)


class Bag(NamedTuple):
    """Terms with their weights in tenths, the length in terms (at least 1), and the prior."""

    terms: dict[str, int]
    length: int
    prior: int = 0


def bag_of(document: Document) -> Bag:
    """The bag of a memory, a page or a turn."""
    weights: defaultdict[str, int] = defaultdict(int)
    body = document.body
    if "]" in body:
        for caption in _CAPTION.findall(body):
            _add(weights, caption, CAPTION)
        body = _CAPTION.sub(" ", body)
    _add(weights, body, BODY)
    # the title of a turn is that of its conversation: it says nothing about the turn
    if document.collection != "turns":
        _add(weights, document.title, TITLE)
    told = frozenset(terms(document.sections)) if document.sections else frozenset()
    for term in told:
        weights[term] += SECTION
    length = sum(weights.values()) // BODY
    for name in words(document.speaker):
        weights[speaker_term(name)] = BODY
    said = body if document.collection == "turns" else f"{document.title}\n{body}"
    for stem, weight in _german_stems(said, document.sections).items():
        weights[german_term(stem)] = weight
        if len(stem) >= COMPOUND:
            weights[german_end(stem)] = weight
    days, timed = _spoken_of(said, document.day)
    for day, weight in days.items():
        weights[day_term(day)] = weight
    asks = prior(body, timed=timed) if document.collection == "turns" else 0
    return Bag(dict(weights), min(max(length, 1), _LONGEST), asks)


def _spoken_of(said: str, day: Day) -> tuple[dict[int, int], bool]:
    """The days that a text speaks of, since 1970, with weights; whether it speaks of any time.

    None where the day on which it was said is none, or before 1970.
    """
    if not number_of(day):
        return {}, False
    times = find_times(said[:_MOST_TEXT], day)
    found: dict[int, int] = {}
    for span in times:
        first, last = number_of(span.start), number_of(span.end)
        if last - first < _MOST_DAYS:
            weight = WHOLE_SPAN // (last - first + 1)
            for one in range(first, last + 1):
                found[one] = max(found.get(one, 0), weight)
    return found if len(found) <= _LISTED else {}, bool(times)


def _german_stems(said: str, sections: str) -> Counter[str]:
    """The stems of what is German, with their weights; sections are judged by themselves."""
    weights: Counter[str] = Counter()
    if is_german(said):
        for stem, count in Counter(german_stems(said)).items():
            weights[stem] += BODY * count
    if sections and is_german(sections):
        for stem in frozenset(german_stems(sections)):
            weights[stem] += SECTION
    return weights


def _add(weights: defaultdict[str, int], text: str, weight: int) -> None:
    for term, count in Counter(terms(text)).items():
        weights[term] += weight * count
