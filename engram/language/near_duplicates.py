"""Which of many statements are nearly the same: an exact join, no pair compared twice.

Alikeness is the shared part (Jaccard) of two phrasings' terms, in percent; statements of other
marks or names are not alike. Two statements that are
`LEAST` percent alike share one of the rarest terms of each, so that only those are looked up
(prefix filter); short ones cannot be as alike to long ones (size filter). What is found is exactly
what comparing all pairs would find.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from engram.language.paraphrase.phrasing import Phrasing

#: from here on two statements with the same marks may say the same, percent: somebody is asked
LEAST = 60


def alike(one: Phrasing, other: Phrasing) -> int:
    """How much of the terms of both is shared, percent; 0 when they cannot say the same."""
    if one.marks != other.marks or not (one.names <= other.terms and other.names <= one.terms):
        return 0
    union = len(one.terms | other.terms)
    return 100 * len(one.terms & other.terms) // union if union else 0


def joined(statements: Sequence[Phrasing]) -> Iterator[tuple[int, int, int]]:
    """`(place, later place, percent)` of all pairs that are at least `LEAST` alike."""
    held = Counter(term for said in statements for term in said.terms)
    order = {term: rank for rank, term in enumerate(sorted(held, key=lambda t: (held[t], t)))}
    bags = [sorted(map(order.__getitem__, said.terms)) for said in statements]
    by_marks: dict[frozenset[str], list[int]] = defaultdict(list)
    for place in sorted(range(len(bags)), key=lambda place: (len(bags[place]), place)):
        if bags[place]:
            by_marks[statements[place].marks].append(place)
    for places in by_marks.values():
        if len(places) > 1:
            yield from _joined(places, bags, statements)


def _joined(
    places: Sequence[int], bags: Sequence[list[int]], statements: Sequence[Phrasing]
) -> Iterator[tuple[int, int, int]]:
    """The pairs among some places, shortest statements first."""
    holding: dict[int, list[int]] = defaultdict(list)
    for place in places:
        bag = bags[place]
        prefix = bag[: prefix_of(len(bag))]
        near: set[int] = set()
        for term in prefix:
            near.update(holding[term])
        for other in near:
            if len(bags[other]) * 100 >= LEAST * len(bag):
                percent = alike(statements[place], statements[other])
                if percent >= LEAST:
                    yield min(place, other), max(place, other), percent
        for term in prefix:
            holding[term].append(place)


def prefix_of(size: int) -> int:
    """How many of its terms every statement that is alike enough must share one of."""
    return size - -(-LEAST * size // 100) + 1


#: the index's terms, at least one, of each word that may stand for a term
Surfaces = Sequence[frozenset[str]]


def rarest(looked_up: Mapping[str, Surfaces], held: Mapping[str, int], count: int) -> set[str]:
    """What to look up to find all that share one of the `count` rarest terms of a statement.

    `held` says how many memories hold each of the index's terms. A memory with a word holds all
    terms of the word, so that the rarest of them is enough.
    """
    chosen = {
        term: {min(some, key=lambda one: (held.get(one, 0), one)) for some in words}
        for term, words in looked_up.items()
    }
    cost = {term: sum(held.get(one, 0) for one in some) for term, some in chosen.items()}
    first = sorted(chosen, key=lambda term: (cost[term], term))[:count]
    return set().union(*(chosen[term] for term in first))
