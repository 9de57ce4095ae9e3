"""Score of a memory or a page: the sum over the question's terms of rarity x saturation (BM25).

A term counts as itself or as the best that stands for it, whichever gives more. What was learnt on
a day that the question names, or speaks of one, is found without a word of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from engram.index.day_scores import day_shares
from engram.index.scoring import (
    K1,
    Corpus,
    Postings,
    Span,
    Term,
    held_by,
    kind_of,
    rarity,
    saturation,
    standing_in,
)

#: the most that a day that is asked about adds: a share of the best score
DAY = 0.3


class MemoryScores:
    """The scores of memories or pages for one question."""

    def __init__(self, corpus: Corpus, asked: Sequence[Term], spans: Sequence[Span]) -> None:
        self._corpus = corpus
        self._asked = asked
        self._scale, self._slope = saturation(corpus)
        #: document -> what the words give
        self._words: defaultdict[int, float] = defaultdict(float)
        #: document -> what of that the terms give that stand for others, and which these are
        self._instead: defaultdict[int, float] = defaultdict(float)
        self._named: defaultdict[int, dict[str, None]] = defaultdict(dict)
        for term in asked:
            self._add(term)
        top = max(self._words.values(), default=0.0) or 1.0
        self._days = {
            document: DAY * top * share for document, share in day_shares(corpus, spans).items()
        }

    def scores(self) -> dict[int, float]:
        """Document -> score, for all that hold a term or are of a day that is asked about."""
        found = dict(self._words)
        for document, score in self._days.items():
            found[document] = found.get(document, 0.0) + score
        return found

    def parts(self, document: int) -> tuple[tuple[str, float], ...]:
        """The parts of a score, in words."""
        instead = self._instead.get(document, 0.0)
        named = (
            ("words", self._words.get(document, 0.0) - instead),
            (kind_of(self.instead(document), self._asked), instead),
            ("day named", self._days.get(document, 0.0)),
        )
        return tuple((name, round(value, 3)) for name, value in named if value > 0.0005)

    def instead(self, document: int) -> tuple[str, ...]:
        """The terms that stand in it for others that are asked for."""
        return tuple(self._named.get(document, ()))

    def _add(self, term: Term) -> None:
        corpus, words = self._corpus, self._words
        own = corpus.postings(term.name)
        holding = held_by(own)
        worth = term.weight * rarity(corpus.count, holding) if holding else 0.0
        given = self._given(own, worth)
        for other in standing_in(corpus, term, rarity):
            for document, value in self._given(other.postings, other.worth).items():
                gain = value - given.get(document, 0.0)
                if gain > 0:
                    given[document] = value
                    self._instead[document] += gain
                    self._named[document][other.name] = None
        if words:
            for document, value in given.items():
                words[document] += value
        else:
            words.update(given)

    def _given(self, found: Sequence[Postings], worth: float) -> dict[int, float]:
        """Document -> what a term gives to it."""
        lengths, scale, slope = self._corpus.lengths, self._scale, self._slope
        most = worth * (K1 + 1)
        return {
            first + document: most * tenth / (tenth + scale + slope * lengths[first + document])
            for first, documents, tenths in found
            for document, tenth in zip(documents, tenths, strict=True)
        }
