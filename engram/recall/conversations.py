"""Answers from several conversations -> the first two of each, and the others.

One conversation about a subject would else fill a whole answer, and hide that there are others.
Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

#: so many of one conversation stand before those of others
_OF_ONE = 2

_Answer = TypeVar("_Answer")


def two_of_each(
    found: Iterable[_Answer], conversation: Callable[[_Answer], str]
) -> tuple[list[_Answer], list[_Answer]]:
    """The first two of each conversation, and all others; each in the order they had."""
    seen: Counter[str] = Counter()
    first: list[_Answer] = []
    rest: list[_Answer] = []
    for one in found:
        name = conversation(one)
        seen[name] += 1
        (first if seen[name] <= _OF_ONE else rest).append(one)
    return first, rest
