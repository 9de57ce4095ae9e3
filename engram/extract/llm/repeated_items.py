"""Items of one answer -> those that say something of their own.

Of several that say nearly the same the first one stays; one that the conversation does not fully
support gives way to one that it does. Numbers, names and denials make a difference (`alike`).
Refused ones stay, so that what was refused is counted, and so do those of equal words: each is a
receipt of one memory. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from engram.language.near_duplicates import joined
from engram.language.paraphrase.phrasing import phrasing
from engram.model.candidate import Candidate
from engram.model.text import normalise

#: from here on two items of one answer say the same, percent of their words
_SAME = 80


def distinct(found: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without repetitions, in order."""
    sound = [one for one in found if not one.fault]
    sound.sort(key=lambda one: one.support != "full")
    repeated: dict[int, Candidate] = {}
    for first, later, percent in sorted(joined([phrasing(one.text) for one in sound])):
        one, other = (normalise(sound[place].text) for place in (first, later))
        if percent >= _SAME and one != other and first not in repeated:
            repeated[later] = sound[later]
    left_out = {id(one) for one in repeated.values()}
    return [one for one in found if id(one) not in left_out]
