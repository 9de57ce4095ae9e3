"""Items of one answer -> those that say something of their own.

Of several that say nearly the same the first one stays; one that is doubted gives way to one that
is not. Numbers that were never shown make no difference: a model that counts says nothing new.
Refused ones stay, so that what was refused is counted, and so do those of equal words, which are
each a receipt of one memory. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engram.language.near_duplicates import joined
from engram.language.paraphrase.phrasing import phrasing
from engram.model.candidate import Candidate
from engram.model.text import normalise

#: from here on two items of one answer say the same, percent of their words
_SAME = 80


def distinct(found: Sequence[Candidate], told: Callable[[str], str]) -> list[Candidate]:
    """The candidates without repetitions, in order; `told` is what of a text is compared."""
    texts = [told(one.text) for one in found]
    sound = [place for place, one in enumerate(found) if not one.fault]
    sound.sort(key=lambda place: (found[place].support != "full", place))
    said = [phrasing(texts[place]) for place in sound]
    repeated: set[int] = set()
    for first, later, percent in sorted(joined(said)):
        one, other = (normalise(found[sound[number]].text) for number in (first, later))
        if percent >= _SAME and one != other and first not in repeated:
            repeated.add(later)
    left_out = {sound[number] for number in repeated}
    return [one for place, one in enumerate(found) if place not in left_out]
