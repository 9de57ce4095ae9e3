"""What every ranking formula shares: the collection as it is seen, rarity, and the best of scores.

`memory_scores` and `turn_scores` hold the formulas: BM25 for memories and pages, and for turns
with the conversation around them. They are for every index that can show its postings (`Corpus`).
Scores are positive, and comparable within one question only.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from engram.model.hit import BEGUN, RELATED

if TYPE_CHECKING:
    from engram.index.turn_order import TurnOrder

#: what a word of a body weighs, in tenths
BODY = 10
#: prefixes that no term of a text has: of speakers, of German stems, of those backwards, of days
MARK, GERMAN, BACKWARDS, SPOKEN_OF = "\x01", "\x02", "\x03", "\x04"
#: what the days of a span that a text speaks of weigh together, so that a byte holds one of them
WHOLE_SPAN = 250
#: a German word of as many letters may be a compound
COMPOUND = 8
#: BM25's k1 and b for short documents of a similar kind: on conversations .9 and .3 find more than
#: the textbook's 1.2 and .75, because length says little about a memory or a turn.
K1, B = 0.9, 0.3
#: Of the terms that stand in for one that is asked for, the best so many postings count; none that
#: so many documents hold.
_MOST_POSTINGS, _TOO_COMMON = 2_000, 5_000
#: `(first, documents, tenths)`: of the documents from `first` on, those that hold a term, and the
#: weight of the term in each
Postings = tuple[int, Sequence[int], Sequence[int]]
#: the first and the last day of a span, in days since 1970
Span = tuple[int, int]
#: scores that agree in this many decimals are equal
_DIGITS, _CLOSE = 6, 1e-5


class Term(NamedTuple):
    """A term that is asked for.

    `instead` are terms that may stand for it, each with the share of it that they are worth: of
    the term and these only the most counts. `begun` are those of them that only begin like it.
    """

    name: str
    weight: float = 1.0
    instead: tuple[tuple[str, float], ...] = ()
    begun: frozenset[str] = frozenset()


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


def day_term(day: int) -> str:
    """The term of what speaks of a day, in days since 1970."""
    return f"{SPOKEN_OF}{day:x}"


class Corpus(Protocol):
    """One collection as scoring sees it; documents are numbered from 0.

    `count` is the number of live documents, `average` their mean length. `lengths` are in terms, 0
    for a deleted document; `days` in days since 1970, 0 for none, and `on_day` the documents of
    each day; `priors` are bytes (`prior`); `order` is that of turns.
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
    def priors(self) -> Sequence[int]: ...
    @property
    def on_day(self) -> Mapping[int, Sequence[int]]: ...
    @property
    def order(self) -> TurnOrder: ...

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


def held_by(postings: Sequence[Postings]) -> int:
    """How many documents hold a term."""
    return sum(len(documents) for _, documents, _ in postings)


def surprises(corpus: Corpus, terms: Sequence[str]) -> list[float]:
    """The surprise of each term in a collection."""
    return [surprise(corpus.count, held_by(corpus.postings(term))) for term in terms]


class StandIn(NamedTuple):
    """A term that stands for one that is asked for: `share` of it, and what it is worth, in which
    its rarity counts."""

    name: str
    share: float
    worth: float
    postings: list[Postings]


def standing_in(
    corpus: Corpus, asked: Term, rare: Callable[[int, int], float]
) -> Iterator[StandIn]:
    """The terms that stand for one that is asked for and are held, best shares first.

    By `rare` (`rarity` or `surprise`) none counts as rarer than the term, where anybody holds that.
    Common ones are left out, and what would be too many postings.
    """
    own = held_by(corpus.postings(asked.name))
    most = rare(corpus.count, own) if own else math.inf
    left = _MOST_POSTINGS
    for name, share in asked.instead:
        found = corpus.postings(name)
        holding = held_by(found)
        if 0 < holding <= min(left, _TOO_COMMON):
            left -= holding
            worth = asked.weight * share * min(rare(corpus.count, holding), most)
            yield StandIn(name, share, worth, found)


def kind_of(instead: Collection[str], asked: Sequence[Term]) -> str:
    """What some terms are that stand for those that are asked for, as the name of a part."""
    begun = frozenset[str]().union(*(term.begun for term in asked)).intersection(instead)
    if not begun:
        return RELATED
    return BEGUN if len(begun) == len(instead) else f"{RELATED} and beginnings"


def saturation(corpus: Corpus) -> tuple[float, float]:
    """The two numbers that weigh a length against a weight, both in tenths."""
    return BODY * K1 * (1 - B), BODY * K1 * B / (corpus.average or 1.0)


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
