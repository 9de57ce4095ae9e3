"""Average linkage of sparse vectors: what is alike on average becomes one group, the nearest first.

    vectors of unit length, how often each stands -> groups of their places, none above a size

Two groups become one while the mean cosine of all their pairs is at least `least`. Two that would
be too large together stay as they are, and take in nothing more: that is the same grouping, cut
again at a stricter likeness. Only vectors that share one of their rarest words are compared, others
count as unlike, so that the work grows about as their number does. The same vectors in the same
order give the same groups. Pure.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

#: the weight of each term of a text
Vector = Mapping[str, float]
#: how many of its rarest terms a vector is looked up by; one that more vectors hold is not
_KEYS, _COMMON = 6, 60


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of unit length; of sums of such the sum of all pairs."""
    if len(one) > len(other):
        one, other = other, one
    return sum(weight * other[term] for term, weight in one.items() if term in other)


def unit(vector: Vector) -> Vector:
    """The vector of the same direction that is 1 long; an empty one as it is."""
    length = math.hypot(*vector.values())
    return {term: weight / length for term, weight in vector.items()} if length else vector


def total(vectors: Sequence[Vector], counts: Sequence[int] | None = None) -> dict[str, float]:
    """The sum of some vectors, each as often as it counts."""
    found: dict[str, float] = {}
    for vector, count in zip(vectors, counts or [1] * len(vectors), strict=True):
        for term, weight in vector.items():
            found[term] = found.get(term, 0.0) + weight * count
    return found


def linked_groups(
    vectors: Sequence[Vector], counts: Sequence[int], least: float, most: int
) -> list[list[int]]:
    """The places of the vectors of each group, in order; a vector that nothing is like is alone.

    `counts` says how often each vector stands, and `most` how many may be in a group.
    """
    groups = {place: [place] for place in range(len(vectors))}
    sizes = list(counts)
    #: of each group the sums of the cosines of all pairs with another group
    near: list[dict[int, float]] = [{} for _ in vectors]
    waiting: list[tuple[float, int, int]] = []
    for one, other, likeness in _likenesses(vectors):
        near[one][other] = near[other][one] = likeness * sizes[one] * sizes[other]
        if likeness >= least:
            waiting.append((-likeness, one, other))
    heapify(waiting)
    growing = set(groups)
    while waiting:
        _, one, other = heappop(waiting)
        if one not in growing or other not in growing:
            continue
        growing -= {one, other}
        if sizes[one] + sizes[other] > most:
            continue
        made, size = len(near), sizes[one] + sizes[other]
        groups[made] = groups.pop(one) + groups.pop(other)
        sizes.append(size)
        sums = {place: value for place, value in near[one].items() if place in growing}
        for place, value in near[other].items():
            if place in growing:
                sums[place] = sums.get(place, 0.0) + value
        near.append(sums)
        growing.add(made)
        for place, value in sums.items():
            near[place][made] = value
            likeness = value / (size * sizes[place])
            if likeness >= least:
                heappush(waiting, (-likeness, place, made))
    return sorted(sorted(group) for group in groups.values())


def _likenesses(vectors: Sequence[Vector]) -> Iterator[tuple[int, int, float]]:
    """The places of those that share some of their rarest terms, each pair once, and how alike."""
    frequency = Counter(term for vector in vectors for term in vector)
    holding: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for place, vector in enumerate(vectors):
        rare = sorted((frequency[term], term) for term in vector if 1 < frequency[term] <= _COMMON)
        found: dict[int, float] = {}
        for _, term in rare[:_KEYS]:
            weight = vector[term]
            for other, held in holding[term]:
                found[other] = found.get(other, 0.0) + weight * held
            holding[term].append((place, weight))
        for other, likeness in found.items():
            yield other, place, likeness
