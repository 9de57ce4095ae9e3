"""Statements -> for each the few earlier ones that share most of its seldom words.

Words are compared by their stems; a name of several parts (`us-east-1`, `settings.yaml`) is itself
and its parts. A word weighs by how few statements hold it, a number less than a word, and length
does not count (cosine).
Bounded: of a word that many hold only the newest statements are looked at, so that thousands of
equal statements take no longer than others. Equal input, equal answers. Pure.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from heapq import nlargest

from engram.language.stem import stem
from engram.language.stop_words import EMPTY
from engram.language.wording import cut_words

Words = frozenset[str]
#: earlier statements looked at for one: of its most seldom words as many as come to this, and of
#: each other word so many, the newest
_LOOKED_AT, _AT_LEAST = 250, 10
#: a word that so many statements hold weighs little
_MANY = 3_000
#: the weight of a number, which tells how much and seldom of what
_OF_NUMBER = 0.3
_NUMBER = re.compile(r"[\d.,:/%+-]+")
_PARTS = re.compile(r"[-._/]+")


class Stems:
    """The stems of texts' words, each word stemmed once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, text: str) -> Words:
        """The stems of the words of a text that say something."""
        found: set[str] = set()
        for word in cut_words(text):
            if word not in self._known:
                self._known[word] = _stems(word)
            found.update(self._known[word])
        return frozenset(found)


def _stems(word: str) -> tuple[str, ...]:
    parts = [part for part in _PARTS.split(word) if part]
    named = len(parts) > 1 and not word.replace(".", "").isdigit()
    words = dict.fromkeys([word, *parts] if named else [word.removesuffix("'s")])
    return tuple(
        stem(one) if one.isascii() and one.isalpha() else one for one in words if one not in EMPTY
    )


class NearWords:
    """Statements in the order of their time, each to be asked about before it is added."""

    def __init__(self, frequency: Mapping[str, int]) -> None:
        """`frequency` is how many statements hold each stem."""
        self._frequency = frequency
        self._weight: dict[str, float] = {}
        self._holding: defaultdict[str, list[int]] = defaultdict(list)
        self._length: list[float] = []

    def add(self, words: Words) -> None:
        """One more statement; its number is how many there were before."""
        number = len(self._length)
        self._length.append(self._length_of(words))
        for word in words:
            self._holding[word].append(number)

    def nearest(self, words: Words, count: int) -> list[tuple[float, int]]:
        """Likeness (0..1) and number of the nearest so far; of equally near ones the newest."""
        own = self._length_of(words)
        shared: defaultdict[int, float] = defaultdict(float)
        left = _LOOKED_AT
        known = (word for word in words if word in self._holding)
        for _, word in sorted((-self._weight[word], word) for word in known):
            held = self._holding[word][-max(left, _AT_LEAST) :]
            left -= len(held)
            part = self._weight[word] / own
            for number in held:
                shared[number] += part
        length = self._length
        return nlargest(count, ((part / length[number], number) for number, part in shared.items()))

    def _length_of(self, words: Words) -> float:
        for word in words:
            if word in self._weight:
                continue
            weight = math.log1p(_MANY / self._frequency.get(word, 1)) ** 2
            self._weight[word] = weight * _OF_NUMBER if _NUMBER.fullmatch(word) else weight
        return math.sqrt(sum(self._weight[word] for word in words)) or 1.0
