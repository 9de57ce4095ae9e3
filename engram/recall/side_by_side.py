"""Words of a query that stand side by side in a text -> how much of the query they are.

    "commit, push and pr"      "Now commit, push and PR it."    all of it: 1
    "did we fix lint errors"   "Two lint errors are left."      too little of it: 0
    "the lint errors"          "Two lint errors are left."      two words of three: (1 / 2)²

Who types what was said finds it, however short it is and however often others use its words. Of
the longest run in the order of the query, which has to be half of it, the square of its steps
counts. Compared are words as they stand, in any case. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from engram.model.text import normalise, words

#: words of a query, and characters of a text, that are looked at
_MOST_WORDS, _MOST_TEXT = 64, 10_000


def asked_words(query: str) -> list[str]:
    """The words of a query in order, as `share_side_by_side` compares them."""
    return words(query[: _MOST_WORDS * _MOST_WORDS])[:_MOST_WORDS]


def share_side_by_side(asked: Sequence[str], text: str) -> float:
    """0..1; 0 for a query of one word."""
    count = len(asked)
    if count < 2:
        return 0.0
    said, longest = f" {normalise(text[:_MOST_TEXT])} ", max(1, (count - 1) // 2)
    for first in range(count):
        while first + longest < count and _run(asked, first, longest + 1) in said:
            longest += 1
    return ((longest - 1) / (count - 1)) ** 2 if longest > max(1, (count - 1) // 2) else 0.0


def _run(asked: Sequence[str], first: int, length: int) -> str:
    return f" {' '.join(asked[first : first + length])} "
