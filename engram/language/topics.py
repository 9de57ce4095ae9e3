"""Text -> weighted words, and running totals of them -> the topics of a vault (seed 003).

A word's weight in one text is its share of the text's words in parts per million: an integer, so
that totals which were added to and subtracted from are those that a new count would give. The score
of a word is its total weight times a smoothed inverse document frequency, so that a word which all
texts hold, or the only text there is, counts for something. Equal input, equal order: ties are
broken by the word.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest

from engram.language.scripts import HAN, HANGUL, KANA, KATAKANA
from engram.language.stop_words import TOPIC
from engram.model.text import words

#: `topics.json` names so many (lifecycle 8.2, step 16)
MOST = 50
#: the weight of all words of a text together, but for what rounding takes
_WHOLE = 1_000_000
#: a longer text is judged by what it begins with, characters
_MOST_TEXT = 20_000
_SHORTEST, _LONGEST = 3, 40
#: Chinese is written without spaces: a longer run is cut into pairs of characters
_LONGEST_RUN = 4

_DENSE = re.compile(f"[{HAN}]{{2,}}|[{KATAKANA}]{{2,}}|[{HANGUL}]{{2,}}")
_HAS_DENSE = re.compile(f"[{HAN}{KANA}{HANGUL}]")
_BETWEEN = re.compile(r"[/\\:@&=~*%$€£¥°_.<>!]+")
_POSSESSIVE = re.compile(r"'s?$")
#: no database can keep them
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Topic:
    """A word, its score (four decimals), and how many texts hold it."""

    term: str
    score: float
    count: int


def topic_terms(text: str) -> dict[str, int]:
    """The words of a text that can be topics, each with its share in parts per million.

    Words of three letters or more of any script, with their hyphens; of scripts without spaces the
    runs of one script, Chinese ones in pairs of characters. Numbers and stop words are left out.
    """
    text = text[:_MOST_TEXT]
    tokens = words(text if text.isascii() else _SURROGATES.sub(" ", text))
    found: list[str] = []
    for token in tokens:
        found += _topics_of(token) if len(token) <= _LONGEST else _topics(token)
    counts = Counter(found)
    total = counts.total()
    return {term: count * _WHOLE // total for term, count in counts.items()}


def top_topics(
    totals: Iterable[tuple[str, int, int]], documents: int, most: int = MOST
) -> list[Topic]:
    """The best topics of `(word, texts that hold it, their weights' sum)` among so many texts."""
    scored = (
        (-round(weight / _WHOLE * _rarity(held, documents), 4), term, held)
        for term, held, weight in totals
    )
    best = nsmallest(max(most, 0), scored)
    return [Topic(term, -score, held) for score, term, held in best]


def _rarity(held: int, documents: int) -> float:
    """The smoothed inverse document frequency: never 0 (lifecycle 16, defect 19)."""
    return math.log(1 + max(documents, held) / held)


def _topics(token: str) -> Iterator[str]:
    for part in _BETWEEN.split(token):
        if _HAS_DENSE.search(part):
            yield from _runs(part)
            continue
        word = _POSSESSIVE.sub("", part).strip("-'")
        long_enough = _SHORTEST <= len(word) <= _LONGEST
        if long_enough and word not in TOPIC and any(map(str.isalpha, word)):
            yield word


@lru_cache(maxsize=32_768)
def _topics_of(token: str) -> tuple[str, ...]:
    return tuple(_topics(token))


def _runs(part: str) -> Iterator[str]:
    """The words of a run without spaces, as well as they can be told without a dictionary."""
    for run in _DENSE.findall(part):
        if len(run) <= _LONGEST_RUN or not re.match(f"[{HAN}]", run):
            yield run[:_LONGEST]
        else:
            yield from (run[at : at + 2] for at in range(len(run) - 1))
