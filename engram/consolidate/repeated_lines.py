"""Statements on a page that say the same, and those that say something new.

Two are alike when their normalised words are equal, or when one holds the other, which is longer
than 20 characters and than 60 % of it (lifecycle 1.6). Unlike there, whole words are compared
("Team 12" is not in "Team 123"), and what is alike within one batch counts once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

from engram.model.text import normalise

#: what is held by a longer statement has at least so many characters, and that share of it
_LEAST, _SHARE = 20, 0.6


def alike(one: str, other: str) -> bool:
    """Whether two statements, normalised already, say the same."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > max(_LEAST, _SHARE * len(long)) and f" {short} " in f" {long} "


def unsaid(known: Iterable[str], said: Iterable[str]) -> list[int]:
    """The places of those statements that neither `known` nor one before them says."""
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
    """Normalised statements by their words: what is alike shares the longest of the shorter."""

    def __init__(self) -> None:
        self._whole: set[str] = set()
        self._holding: dict[str, list[str]] = defaultdict(list)
        self._longest: dict[str, list[str]] = defaultdict(list)

    def take(self, normal: str) -> None:
        """Remember a statement."""
        words = dict.fromkeys(normal.split())
        for word in words:
            self._holding[word].append(normal)
        self._longest[max(words, key=len, default="")].append(normal)
        self._whole.add(normal)

    def has(self, normal: str) -> bool:
        """Whether one that is alike was taken."""
        words = dict.fromkeys(normal.split())
        longer = self._holding.get(max(words, key=len), ())
        shorter = (self._longest.get(word, ()) for word in words)
        return normal in self._whole or any(alike(normal, one) for one in chain(longer, *shorter))


def substance(statements: Iterable[str]) -> int:
    """How many characters the distinct statements have, normalised."""
    texts = list(statements)
    return sum(len(normalise(texts[place])) for place in unsaid((), texts))
