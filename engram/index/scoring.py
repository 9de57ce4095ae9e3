"""Ranking formula: BM25, and for turns the conversation around them.

One formula for every index that can show its postings (`Corpus`). Scores are positive, and
comparable within one question only.

- A memory: the sum over the question's terms of rarity x saturation.
- A turn: the same, and what its neighbours say counts too, because in a conversation the words of
  a question stand in the turn that asked, the answer in the next. A term gives to a turn the most
  of what it gives to the turn itself and, for less, to the two before it and the two after. Then:
  a speaker that the question names counts more, never instead; how well the whole conversation
  answers; and whether the day is one that the question speaks of.

Neighbours are found at question time, by the turn's place: nothing is indexed twice. The numbers
were tuned on conversations between two people (tests/benchmarks/README.md).
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from engram.language.calendar_words import MONTHS, WEEKDAYS
from engram.model.hit import ORDINALS

#: what a word of a body weighs, in tenths
BODY = 10
#: prefixes that no term of a text has: of speakers, of German stems, and of those backwards
MARK, GERMAN, BACKWARDS = "\x01", "\x02", "\x03"
#: a German word of as many letters may be a compound
COMPOUND = 8
#: BM25's k1 and b for short documents of a similar kind: on conversations .9 and .3 find more than
#: the textbook's 1.2 and .75, because length says little about a memory or a turn.
K1, B = 0.9, 0.3
#: What a term in the turn before, the one before that, the next and the one after is worth.
NEIGHBOURS = ((1, 0.7), (2, 0.5), (-1, 0.2), (-2, 0.15))
#: of a term that more turns hold only the best so many give to their neighbours
_SPREADING = 2_000
SPEAKER = 1.8
#: a turn without a word of the question has to reach this share of the best score
BESIDE = 0.5
#: the most that the conversation, and a day that is asked about, add: a share of the best score
CONVERSATION, DAY = 0.5, 0.5
_TALK_K1, _TALK_B = 1.2, 0.75
#: words of time, which a question for a time asks for without saying them
TIME_WORDS = (
    f"yesterday today tomorrow last next week month year ago {' '.join((*WEEKDAYS, *MONTHS))}"
    " weekend recently"
)
TIME_WORD = 0.2
#: what the stem of a German word is worth beside the word itself, and a compound that holds it
STEM, COMPOUNDED = 0.8, 0.5
#: `(first, documents, tenths)`: of the documents from `first` on, those that hold a term, and the
#: weight of the term in each
Postings = tuple[int, Sequence[int], Sequence[int]]
#: the first and the last day of a span, in days since 1970
Span = tuple[int, int]
#: scores that agree in this many decimals are equal
_DIGITS, _CLOSE = 6, 1e-5


def speaker_term(name: str) -> str:
    """The term of what a person of that name, a single word, has said."""
    spoken = name.casefold()[:60].encode("utf-8", "replace").decode("utf-8")
    return f"{MARK}{spoken}"


def german_term(stem: str) -> str:
    """The term of a German word by its stem."""
    return GERMAN + stem[:60]


def german_end(stem: str) -> str:
    """The term of a long German word by its end: the letters backwards."""
    return BACKWARDS + stem[:60][::-1]


class Corpus(Protocol):
    """One collection as scoring sees it; documents are numbered from 0.

    `count` is the number of live documents, `average` their mean length. `lengths` are in terms, 0
    for a deleted document; `days` in days since 1970, 0 for none; `places` are the places of turns
    (`model.hit.place_in`), 0 for none; `at_place` is the document at each place, and `sessions` the
    number of terms of each conversation (the upper part of a place).
    """

    @property
    def count(self) -> int: ...
    @property
    def average(self) -> float: ...
    @property
    def lengths(self) -> Sequence[int]: ...
    @property
    def days(self) -> Sequence[int]: ...
    @property
    def places(self) -> Sequence[int]: ...
    @property
    def at_place(self) -> Mapping[int, int]: ...
    @property
    def sessions(self) -> Mapping[int, int]: ...

    def postings(self, term: str) -> list[Postings]:
        """The postings of a term in order, without deleted documents; empty when there are none."""
        ...

    def expand(self, prefix: str, most: int) -> list[str]:
        """The first terms that begin with a prefix, in order."""
        ...

    def key(self, document: int) -> str:
        """The key of a document."""
        ...


def rarity(documents: int, holding: int) -> float:
    """Inverse document frequency of a term that `holding` of `documents` hold; above 0.

    With a floor near 1, as Whoosh has it: in a vault about one subject, where half of the memories
    say `postgres`, a memory with all words of the question still beats a shorter one with one.
    """
    return math.log(documents / (holding + 1)) + 1.0


def surprise(documents: int, holding: int) -> float:
    """Inverse document frequency for turns, whose common words are chatter and may count 0."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def memory_scores(corpus: Corpus, asked: Mapping[str, float]) -> dict[int, float]:
    """Document -> score, for all that hold a term; `asked` weighs the terms."""
    scores: defaultdict[int, float] = defaultdict(float)
    lengths = corpus.lengths
    scale, slope = BODY * K1 * (1 - B), BODY * K1 * B / (corpus.average or 1.0)
    for term, weight in asked.items():
        found = corpus.postings(term)
        holding = sum(len(documents) for _, documents, _ in found)
        if not holding:
            continue
        most = weight * rarity(corpus.count, holding) * (K1 + 1)
        for first, documents, tenths in found:
            for document, tenth in zip(documents, tenths, strict=True):
                number = first + document
                scores[number] += most * tenth / (tenth + scale + slope * lengths[number])
    return scores


class TurnScores:
    """The scores of turns for one question; `asked` weighs its terms, `named` are its speakers."""

    def __init__(
        self,
        corpus: Corpus,
        asked: Mapping[str, float],
        named: Iterable[str],
        spans: Sequence[Span],
    ) -> None:
        self._corpus = corpus
        self._asked = asked
        #: place -> score of the words; a neighbouring place may have no turn
        self._words: defaultdict[int, float] = defaultdict(float)
        #: the places of turns that hold a term themselves
        self._own_words: set[int] = set()
        self._talk: defaultdict[int, float] = defaultdict(float)
        sessions = corpus.sessions
        self._average_talk = sum(sessions.values()) / max(len(sessions), 1) or 1.0
        for term, weight in asked.items():
            self._add(term, weight)
        self._named = self._places_of(map(speaker_term, named))
        said = (SPEAKER * self._words[place] for place in self._named & self._words.keys())
        top = max(max(self._words.values(), default=0.0), max(said, default=0.0))
        self._talk_share = CONVERSATION * top / max(self._talk.values(), default=1.0)
        self._day = DAY * top
        self._spans = spans

    def scores(self) -> dict[int, float]:
        """Document -> score, for all turns that hold a term or stand near one that does."""
        at_place, talk, share = self._corpus.at_place, self._talk, self._talk_share
        found: dict[int, float] = {}
        for place, words in self._words.items():
            number = at_place.get(place)
            if number is not None:
                found[number] = words + share * talk.get(place // ORDINALS, 0.0)
        for place in self._named & self._words.keys():
            found[at_place[place]] += self._words[place] * (SPEAKER - 1)
        if self._spans:
            days = self._corpus.days
            for number in found:
                if any(first <= days[number] <= last for first, last in self._spans):
                    found[number] += self._day
        least, places = BESIDE * max(found.values(), default=0.0), self._corpus.places
        return {
            number: score
            for number, score in found.items()
            if score >= least or places[number] in self._own_words
        }

    def parts(self, document: int) -> tuple[tuple[str, float], ...]:
        """The parts of a turn's score, in words."""
        place, day = self._corpus.places[document], self._corpus.days[document]
        words = self._words[place]
        own = min(
            sum(self._own(term, asked, document) for term, asked in self._asked.items()), words
        )
        spoken_of = any(first <= day <= last for first, last in self._spans)
        named = (
            ("words", own),
            ("neighbouring turns", words - own),
            ("speaker named", words * (SPEAKER - 1) if place in self._named else 0.0),
            ("conversation", self._talk_share * self._talk.get(place // ORDINALS, 0.0)),
            ("day named", self._day if spoken_of else 0.0),
        )
        return tuple((name, round(value, 3)) for name, value in named if value > 0.0005)

    def _add(self, term: str, weight: float) -> None:
        """Add one term to the turns that hold it, to their neighbours, and to conversations."""
        corpus = self._corpus
        found = corpus.postings(term)
        lengths, places = corpus.lengths, corpus.places
        most, scale, slope = self._measure(found, weight)
        given: dict[int, float] = {}
        counts: list[tuple[int, int]] = []
        for first, documents, tenths in found:
            for document, tenth in zip(documents, tenths, strict=True):
                number = first + document
                place = places[number]
                given[place] = most * tenth / (tenth + scale + slope * lengths[number])
                counts.append((place, tenth))
        self._own_words.update(given)
        telling = list(given.items())
        if len(telling) > _SPREADING:
            least = heapq.nlargest(_SPREADING, given.values())[-1]
            telling = [one for one in telling if one[1] > least]
            # ties with the last one are broken by place, the same in every index
            ties = sorted(place for place, value in given.items() if value == least)
            telling += [(place, least) for place in ties[: _SPREADING - len(telling)]]
        known = given.get
        for place, value in telling:
            for step, share in NEIGHBOURS:
                if known(place + step, 0.0) < value * share:
                    given[place + step] = value * share
        words = self._words
        if words:
            for place, value in given.items():
                words[place] += value
        else:
            words.update(given)
        self._add_talk(counts, weight)

    def _add_talk(self, counts: Sequence[tuple[int, int]], weight: float) -> None:
        """Add a term to the scores of whole conversations, as documents of their own."""
        spoken: defaultdict[int, int] = defaultdict(int)
        for place, tenth in counts:
            spoken[place // ORDINALS] += tenth
        sessions, average = self._corpus.sessions, self._average_talk
        most = weight * surprise(len(sessions), len(spoken)) * (_TALK_K1 + 1)
        for session, tenths in spoken.items():
            norm = _TALK_K1 * (1 - _TALK_B + _TALK_B * sessions.get(session, 1) / average)
            self._talk[session] += most * tenths / (tenths + norm * BODY)

    def _measure(self, found: Sequence[Postings], weight: float) -> tuple[float, float, float]:
        """The most a term can give, and the two numbers that weigh a length, in tenths."""
        corpus = self._corpus
        holding = sum(len(documents) for _, documents, _ in found)
        most = weight * surprise(corpus.count, holding) * (K1 + 1)
        return most, BODY * K1 * (1 - B), BODY * K1 * B / (corpus.average or 1.0)

    def _places_of(self, terms: Iterable[str]) -> frozenset[int]:
        corpus = self._corpus
        return frozenset(
            corpus.places[first + document]
            for term in terms
            for first, documents, _ in corpus.postings(term)
            for document in documents
        )

    def _own(self, term: str, weight: float, document: int) -> float:
        """The score of a term for a turn that holds it."""
        found = self._corpus.postings(term)
        most, scale, slope = self._measure(found, weight)
        for first, documents, tenths in found:
            at = bisect_left(documents, document - first) if document >= first else len(documents)
            if at < len(documents) and documents[at] == document - first:
                return (
                    most
                    * tenths[at]
                    / (tenths[at] + scale + slope * self._corpus.lengths[document])
                )
        return 0.0


def best(
    scores: Mapping[int, float], limit: int, key_of: Callable[[int], str]
) -> list[tuple[int, str, float]]:
    """The `limit` best as (number, key, score), best first; equal scores by key."""
    top = heapq.nlargest(limit, scores.values())
    if not top:
        return []
    last = round(top[-1], _DIGITS)
    hits = [
        (number, key_of(number), round(score, _DIGITS))
        for number, score in scores.items()
        if score >= last - _CLOSE and round(score, _DIGITS) >= last
    ]
    return sorted(hits, key=lambda hit: (-hit[2], hit[1]))[:limit]
