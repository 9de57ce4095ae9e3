"""Search of one collection: a query -> the best documents, whatever index gives the postings.

The query's words become terms (`asked_terms`), which are scored by the formula of the collection.
Documents are read in the order of their scores until enough are admitted: a filter never loses what
lies behind the first page of results.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engram.index.asked_terms import asked_terms, named_speakers
from engram.index.day_scores import LATEST_DAY, number_of
from engram.index.memory_scores import MemoryScores
from engram.index.prior import factors
from engram.index.scoring import Corpus, Span, best
from engram.index.turn_scores import TurnScores
from engram.model.hit import Admit, Collection, Document, Found, Hints, place_in

if TYPE_CHECKING:
    from engram.model.instant import Day

#: documents that are filtered in one call, the first time
_BATCH = 64


def find(
    corpus: Corpus, query: str, collection: Collection, limit: int, hints: Hints,
    admit: Admit | None,
) -> list[Found]:  # fmt: skip
    """The best documents that hold any of the words, best first, equal ones by key."""
    if not corpus.count:
        return []
    names = named_speakers(corpus, query) if collection == "turns" else []
    asked = asked_terms(corpus, query, names, hints)
    spans = [_span(*span) for span in hints.spans]
    if collection == "turns":
        weighed = factors(when=hints.when, named=hints.named)
        scored: TurnScores | MemoryScores = TurnScores(corpus, asked, names, spans, weighed)
    else:
        scored = MemoryScores(corpus, asked, spans)
    scores = scored.scores()
    first, last = number_of(hints.since), number_of(hints.before)
    if first or last:
        days, end = corpus.days, last if 0 < last < LATEST_DAY else LATEST_DAY + 1
        scores = {number: score for number, score in scores.items() if first <= days[number] < end}
    return [
        Found(key, collection, score, scored.parts(number), scored.instead(number))
        for number, key, score in _let_through(corpus, scores, limit, admit)
    ]


def _let_through(
    corpus: Corpus, scores: dict[int, float], limit: int, admit: Admit | None
) -> Iterator[tuple[int, str, float]]:
    if admit is None:
        yield from best(scores, limit, corpus.key)
        return
    looked_at, left, size = 0, limit, max(_BATCH, limit)
    while left and looked_at < len(scores):
        # nearly always the first call will do; each further one is twice as deep
        ordered = best(scores, looked_at + size, corpus.key)[looked_at:]
        passed = frozenset(admit([key for _, key, _ in ordered]))
        for one in ordered:
            if left and one[1] in passed:
                left -= 1
                yield one
        looked_at, size = looked_at + len(ordered), size * 2


def place_of(document: Document) -> int:
    """The place of a turn; without session and number it is a conversation of its own."""
    if document.place or document.collection != "turns":
        return document.place
    return place_in(document.key, 1)


def _span(first: Day, last: Day) -> Span:
    return number_of(first), number_of(last)
