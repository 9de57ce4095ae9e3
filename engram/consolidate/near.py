"""Which of many statements are nearly the same: an exact join, no pair compared twice.

Alikeness is the shared part (Jaccard) of two phrasings' terms, in percent. Two statements that are
`LEAST` percent alike share one of the rarest terms of each, so that only those are looked up
(prefix filter); short ones cannot be as alike to long ones (size filter). What is found is exactly
what comparing all pairs would find.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from engram.consolidate.phrasing import Phrasing

#: from here on two statements with the same marks may say the same, percent: somebody is asked
LEAST = 60


def alike(one: frozenset[str], other: frozenset[str]) -> int:
    """How much of the terms of both is shared, percent; 0 when there are none."""
    union = len(one | other)
    return 100 * len(one & other) // union if union else 0


def joined(statements: Sequence[Phrasing]) -> Iterator[tuple[int, int, int]]:
    """`(place, later place, percent)` of pairs at least `LEAST` alike whose marks are equal."""
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
                percent = alike(statements[place].terms, statements[other].terms)
                if percent >= LEAST:
                    yield min(place, other), max(place, other), percent
        for term in prefix:
            holding[term].append(place)


def prefix_of(size: int) -> int:
    """How many of its terms every statement that is alike enough must share one of."""
    return size - -(-LEAST * size // 100) + 1


def rarest(
    looked_up: Mapping[str, frozenset[str]], held: Mapping[str, int], count: int
) -> frozenset[str]:
    """What to look up to find all that share one of the `count` rarest terms of a statement.

    `looked_up` are the index's terms for each term, `held` how many memories hold those.
    """
    cost = {term: sum(held.get(one, 0) for one in ones) for term, ones in looked_up.items()}
    chosen = sorted(looked_up, key=lambda term: (cost[term], term))[:count]
    return frozenset().union(*(looked_up[term] for term in chosen))
