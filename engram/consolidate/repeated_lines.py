"""Repeated statements on a page: which lines say the same, and which say something new.

Two are alike when their normalised words are equal, or when one contains the other, which is longer
than 20 characters and than 60 % of it (lifecycle 1.6). Unlike there, whole words are compared
("Team 12" is not in "Team 123"), and what is alike within one batch counts once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

from engram.model.text import normalise

#: least length of a contained statement, characters, and as a share of the longer one
_LEAST, _SHARE = 20, 0.6


def alike(one: str, other: str) -> bool:
    """Whether two statements, normalised already, say the same."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > max(_LEAST, _SHARE * len(long)) and f" {short} " in f" {long} "


def unsaid(known: Iterable[str], said: Iterable[str]) -> list[int]:
    """The indexes of the statements that neither `known` nor an earlier one says."""
    heard = _SeenStatements()
    for text in known:
        heard.take(normalise(text))
    found = []
    for place, text in enumerate(said):
        normal = normalise(text)
        if normal and not heard.has(normal):
            heard.take(normal)
            found.append(place)
    return found


class _SeenStatements:
    """Normalised statements by their words: alike ones share the longest word of the shorter."""

    def __init__(self) -> None:
        self._whole: set[str] = set()
        self._holding: dict[str, list[str]] = defaultdict(list)
        self._longest: dict[str, list[str]] = defaultdict(list)

    def take(self, normal: str) -> None:
        """Add a statement."""
        words = dict.fromkeys(normal.split())
        for word in words:
            self._holding[word].append(normal)
        self._longest[max(words, key=len, default="")].append(normal)
        self._whole.add(normal)

    def has(self, normal: str) -> bool:
        """Whether an alike one was added."""
        words = dict.fromkeys(normal.split())
        longer = self._holding.get(max(words, key=len), ())
        shorter = (self._longest.get(word, ()) for word in words)
        return normal in self._whole or any(alike(normal, one) for one in chain(longer, *shorter))


def substance(statements: Iterable[str]) -> int:
    """How many characters the distinct statements have, normalised."""
    texts = list(statements)
    return sum(len(normalise(texts[place])) for place in unsaid((), texts))
