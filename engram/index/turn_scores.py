"""Score of a turn: BM25 with the conversation around it.

In a conversation the words of a question stand in the turn that asked, the answer in the next: a
term gives to a turn the most of what it gives to the turn itself and, for less, to the four before
it and the two after; or of what the best term that stands for it gives to the turn itself. The sum
counts less for a turn that asks, more for one that tells what is asked for (`prior`). Then: a turn
of a day that the question names is found without any word; a speaker that the question names
counts more, never instead; and how well the whole conversation answers.

Neighbours are found at question time, by the turn's position (`turn_order`): nothing is indexed
twice. The numbers were tuned on conversations between two people (tests/benchmarks/README.md).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from engram.index.day_scores import day_shares
from engram.index.scoring import (
    BODY,
    K1,
    Corpus,
    Postings,
    Span,
    Term,
    held_by,
    kind_of,
    saturation,
    speaker_term,
    standing_in,
    surprise,
)
from engram.model.hit import WHOLE_CONVERSATION

#: What a term in the turn before, the ones before that, the next and the one after is worth.
NEIGHBOURS = ((1, 0.6), (2, 0.45), (3, 0.3), (4, 0.2), (-1, 0.2), (-2, 0.15))
#: of a term that more turns hold only the best so many give to their neighbours
_SPREADING = 1_000
SPEAKER = 2.0
#: the most that the conversation, and a day that is asked about, add: a share of the best score
CONVERSATION, DAY = 0.5, 0.9
_TALK_K1, _TALK_B = 1.2, 0.75


class TurnScores:
    """The scores of turns for one question; `named` are the speakers that it names.

    `factors` are those of the priors (`prior.factors`).
    """

    def __init__(
        self,
        corpus: Corpus,
        asked: Sequence[Term],
        named: Iterable[str],
        spans: Sequence[Span],
        factors: Sequence[float],
    ) -> None:
        self._corpus = corpus
        self._asked = asked
        self._factors = factors
        self._scale, self._slope = saturation(corpus)
        self._order = corpus.order
        #: position -> score of the words; there may be no turn
        self._words: defaultdict[int, float] = defaultdict(float)
        #: position -> what of that the terms give that stand for others, and which these are
        self._instead: defaultdict[int, float] = defaultdict(float)
        self._names: defaultdict[int, dict[str, None]] = defaultdict(dict)
        #: of each conversation
        self._talk = [0.0] * len(self._order.terms)
        self._average_talk = sum(self._order.terms) / max(len(self._talk), 1) or 1.0
        for term in asked:
            self._add(term)
        documents, priors = self._order.documents, corpus.priors
        #: document -> score of the words, as far as it tells
        self._told = {
            number: words * factors[priors[number]]
            for position, words in self._words.items()
            if (number := documents[position]) >= 0
        }
        self._named = self._documents_of(map(speaker_term, named))
        said = (SPEAKER * self._told[number] for number in self._named & self._told.keys())
        top = max(max(self._told.values(), default=0.0), max(said, default=0.0)) or 1.0
        share = CONVERSATION * top / (max(self._talk, default=0.0) or 1.0)
        self._talk = talk = [share * one for one in self._talk]
        talks = self._order.talks
        #: document -> score without what is named
        self._plain = {number: told + talk[talks[number]] for number, told in self._told.items()}
        shares = day_shares(corpus, spans)
        # what a conversation adds to mere words must not put them before the day
        whole = max(self._plain.values(), default=top) if shares else top
        self._days = {number: DAY * whole * share for number, share in shares.items()}

    def scores(self) -> dict[int, float]:
        """Document -> score, for turns that hold a term, stand near one that does, or are of a day
        that is asked about."""
        talk, talks = self._talk, self._order.talks
        found = dict(self._plain)
        for number, day in self._days.items():
            found[number] = self._told.get(number, 0.0) + day + talk[talks[number]]
        for number in self._named & found.keys():
            told = self._told.get(number, 0.0) + self._days.get(number, 0.0)
            found[number] = told * SPEAKER + talk[talks[number]]
        return found

    def parts(self, document: int) -> tuple[tuple[str, float], ...]:
        """The parts of a turn's score, in words."""
        position = self._order.positions[document]
        factor = self._factors[self._corpus.priors[document]]
        told, day = self._told.get(document, 0.0), self._days.get(document, 0.0)
        own = min(factor * sum(self._own(term, document) for term in self._asked), told)
        instead = min(factor * self._instead.get(position, 0.0), told - own)
        named = (
            ("words", own),
            (kind_of(self.instead(document), self._asked), instead),
            ("neighbouring turns", told - own - instead),
            ("day named", day),
            ("speaker named", (told + day) * (SPEAKER - 1) if document in self._named else 0.0),
            (WHOLE_CONVERSATION, self._talk[self._order.talks[document]]),
        )
        return tuple((name, round(value, 3)) for name, value in named if value > 0.0005)

    def instead(self, document: int) -> tuple[str, ...]:
        """The terms that stand in the turn for others that are asked for."""
        return tuple(self._names.get(self._order.positions[document], ()))

    def _add(self, term: Term) -> None:
        """Add one term to the turns that hold it, to their neighbours, and to conversations."""
        own = self._corpus.postings(term.name)
        spoken: defaultdict[int, float] = defaultdict(float)
        given = self._given(own, term.weight * self._worth(own), spoken, 1.0)
        self._spread(given)
        for other in standing_in(self._corpus, term, surprise):
            spoken_too: defaultdict[int, float] = defaultdict(float)
            held = self._given(other.postings, other.worth, spoken_too, other.share)
            for position, value in held.items():
                gain = value - given.get(position, 0.0)
                if gain > 0:
                    given[position] = value
                    self._instead[position] += gain
                    self._names[position][other.name] = None
            for talk, tenths in spoken_too.items():
                if tenths > spoken[talk]:
                    spoken[talk] = tenths
        words = self._words
        if words:
            for position, value in given.items():
                words[position] += value
        else:
            words.update(given)
        self._add_talk(spoken, term.weight)

    def _given(
        self,
        found: Sequence[Postings],
        worth: float,
        spoken: defaultdict[int, float],
        share: float,
    ) -> dict[int, float]:
        """Position -> what a term gives to the turn there; weights are added by conversation."""
        lengths, positions, talks = self._corpus.lengths, self._order.positions, self._order.talks
        scale, slope, most = self._scale, self._slope, worth * (K1 + 1)
        given: dict[int, float] = {}
        for first, documents, tenths in found:
            for document, tenth in zip(documents, tenths, strict=True):
                number = first + document
                given[positions[number]] = most * tenth / (tenth + scale + slope * lengths[number])
                spoken[talks[number]] += share * tenth
        return given

    def _spread(self, given: dict[int, float]) -> None:
        """Give to neighbours what a term is worth to them, where they do not hold it as well."""
        telling = list(given.items())
        if len(telling) > _SPREADING:
            least = sorted(given.values())[-_SPREADING]
            telling = [one for one in telling if one[1] > least]
            # ties with the last one are broken by position, the same in every index
            ties = sorted(position for position, value in given.items() if value == least)
            telling += [(position, least) for position in ties[: _SPREADING - len(telling)]]
        known = given.get
        for position, value in telling:
            for step, share in NEIGHBOURS:
                if known(position + step, 0.0) < value * share:
                    given[position + step] = value * share

    def _add_talk(self, spoken: Mapping[int, float], weight: float) -> None:
        """Add a term to the scores of whole conversations, as documents of their own."""
        terms, average, talks = self._order.terms, self._average_talk, self._talk
        most = weight * surprise(len(terms), len(spoken)) * (_TALK_K1 + 1)
        for talk, tenths in spoken.items():
            norm = _TALK_K1 * (1 - _TALK_B + _TALK_B * terms[talk] / average)
            talks[talk] += most * tenths / (tenths + norm * BODY)

    def _worth(self, found: Sequence[Postings]) -> float:
        return surprise(self._corpus.count, held_by(found))

    def _documents_of(self, terms: Iterable[str]) -> frozenset[int]:
        return frozenset(
            first + document
            for term in terms
            for first, documents, _ in self._corpus.postings(term)
            for document in documents
        )

    def _own(self, term: Term, document: int) -> float:
        """What a term gives to a turn that holds it, else 0."""
        own = self._corpus.postings(term.name)
        for first, documents, tenths in own:
            at = bisect_left(documents, document - first) if document >= first else len(documents)
            if at < len(documents) and documents[at] == document - first:
                worth, length = term.weight * self._worth(own), self._corpus.lengths[document]
                most = worth * (K1 + 1) * tenths[at]
                return most / (tenths[at] + self._scale + self._slope * length)
        return 0.0
