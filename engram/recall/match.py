"""The words of a prompt -> the memories that it is truly about, or none.

Nobody asked for an answer, so the threshold is high: better nothing than noise. Words that half of
all prompts hold (`fix`, `test`, `continue`) and words that a good part of the memories holds say
nothing here. What is left has to agree in two words that carry weight, in the one rare word that
the prompt consists of, or in one rare word that is a name in the memory (`redis`, `6379`, a file).
Pure: who holds which word, and what are names, is handed in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

#: A term of more than this share of the memories, and of more than so many, tells none apart.
_COMMON_SHARE, _COMMON_LEAST = 20, 50
#: What share of the prompt's weight, or of the memory's terms, has to agree in two words or more.
_OF_PROMPT, _OF_MEMORY = 0.34, 0.5
#: One word is enough when it is half of the prompt, and this rare.
_ALONE, _RARE_SHARE, _RARE_LEAST = 0.5, 2000, 3
#: A name is enough when it is this rare, and so much of the prompt: not of a log that was pasted.
_NAMED = 0.1


class Match(NamedTuple):
    """One memory that a prompt is about; scores of one prompt can be compared."""

    number: int
    score: float


class PromptWords(NamedTuple):
    """What a vault knows of words: `holders(term, most)` gives the numbers of memories that hold a
    term, `sizes` how many terms memories have; `total` memories there are, and the terms of
    `filler` say nothing. `names` are the terms of a memory that name what it is about."""

    holders: Callable[[str, int], Sequence[int]]
    sizes: Callable[[Sequence[int]], Mapping[int, int]]
    total: int
    filler: frozenset[str]
    names: Callable[[int], Collection[str]] = lambda number: ()


def matches(asked: Sequence[str], words: PromptWords, most: int) -> list[Match]:
    """The memories that the terms of a prompt fit, best first, at most `most`."""
    common = max(_COMMON_LEAST, words.total // _COMMON_SHARE)
    held: dict[str, Sequence[int]] = {}
    for term in asked:
        if _tells(term, words.filler):
            holders = words.holders(term, common + 1)
            if len(holders) <= common:
                held[term] = holders
    weights = {term: _weight(max(1, len(some)), words.total) for term, some in held.items()}
    scores: dict[int, float] = {}
    counts: dict[int, int] = {}
    for term, holders in held.items():
        for number in holders:
            scores[number] = scores.get(number, 0.0) + weights[term]
            counts[number] = counts.get(number, 0) + 1
    whole = sum(weights.values())
    rare = max(_RARE_LEAST, words.total // _RARE_SHARE)
    seldom = {term: some for term, some in held.items() if len(some) <= rare}
    alone = {number for holders in seldom.values() for number in holders}
    named = {
        number
        for term, holders in seldom.items()
        if weights[term] >= _NAMED * whole
        for number in holders
        if term in words.names(number)
    }
    worth = {
        number: score
        for number, score in scores.items()
        if counts[number] > 1 or number in named or (number in alone and score >= _ALONE * whole)
    }
    # only the best few are worth a second look
    looked_at = {one.number: one.score for one in _best(worth, most * 4)}
    sizes = words.sizes(list(looked_at)) if looked_at else {}
    fitting = {
        number: score
        for number, score in looked_at.items()
        if number in named
        or score >= _OF_PROMPT * whole
        or counts[number] >= _OF_MEMORY * sizes.get(number, 1 << 20)
    }
    return _best(fitting, most)


def _tells(term: str, filler: frozenset[str]) -> bool:
    """Whether a term says what a prompt is about: no filler, no single letter or small number."""
    return len(term) > 1 and term not in filler and not (term.isdigit() and len(term) < 3)


def _weight(holders: int, total: int) -> float:
    """How much a term tells: the fewer hold it the more."""
    return math.log(1 + (max(total, holders) - holders + 0.5) / (holders + 0.5))


def _best(scores: Mapping[int, float], most: int) -> list[Match]:
    ranked = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
    return [Match(number, score) for number, score in ranked[:most]]
