"""How much a word says about a document: BM25 over title and body, the same for every index.

A document's score is the sum over query terms and its two fields of
`boost * rarity(term) * saturation(term)`. Scores are positive and comparable within one query only.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping
from typing import TypeVar

#: For short documents of a similar kind: on conversations .9 and .3 find more than the textbook's
#: 1.2 and .75, because length says little about a memory or a turn.
K1 = 0.9
B = 0.3
#: A word of the title weighs this much more than one of the body.
TITLE_BOOST = 1.5
FIELDS = (("title", TITLE_BOOST), ("body", 1.0))
#: Scores that agree in this many decimals are equal.
_DIGITS = 6

Number = TypeVar("Number", int, str)


def rarity(documents: int, holding: int) -> float:
    """Inverse document frequency of a term that `holding` of `documents` hold; above 0.

    With a floor near 1, as Whoosh has it: in a vault about one thing, where half of the memories
    say `postgres`, a memory with all words of the question still beats a shorter one with one.
    """
    return math.log(documents / (holding + 1)) + 1.0


def saturation(count: float, length: float, average: float) -> float:
    """What `count` occurrences in a field of `length` terms are worth, 0..K1+1.

    `average` is the mean length of that field over all documents, above 0.
    """
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))


def best(
    scores: Mapping[Number, float], limit: int, key_of: Callable[[Number], str]
) -> list[tuple[str, float]]:
    """The `limit` best as (key, score), best first; equal scores by key, also at the limit."""
    rounded = {number: round(score, _DIGITS) for number, score in scores.items()}
    top = heapq.nlargest(limit, rounded.values())
    if not top:
        return []
    hits = [(key_of(number), score) for number, score in rounded.items() if score >= top[-1]]
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:limit]
