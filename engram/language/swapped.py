"""Reversals: two statements -> whether one tells two names or numbers in each other's place.

    "Omar reports to Nadia"   of   "Nadia reports to Omar"       reversed
    "from 50 to 20"           of   "from 20 to 50"               reversed
    "Omar and Nadia"          of   "Nadia and Omar"              not reversed

Only that counts whose words between the two are the same in both, and say more than that they
belong together. English; pure, linear in both texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")
_JOINT = re.compile(r"[;:.!?](?=\s|$)|\n")
#: so many words between two of them are read
_REACH = 4
#: words that join what may stand in any order, and say nothing by themselves
_JOINING = frozenset(
    ["and", "or", "with", "vs", "plus", "is", "are", "was", "were", "the", "a", "an", "of", "in"]
)


def is_reversed(text: str, said: str) -> bool:
    """Whether a text tells two names or numbers as another one does, the other way round."""
    told = set(_pairs(said))
    return any(
        (other, between, one) in told and (one, between, other) not in told
        for one, between, other in _pairs(text)
    )


def _pairs(text: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Each two names or numbers that stand near each other, and the words between them."""
    for clause in _JOINT.split(text):
        found = _WORD.findall(clause)
        marked = [at for at, word in enumerate(found) if word[0].isupper() or word[0].isdigit()]
        for place, first in enumerate(marked):
            for last in marked[place + 1 :]:
                between = tuple(word.casefold() for word in found[first + 1 : last])
                if len(between) > _REACH:
                    break
                if not _JOINING.issuperset(between):
                    yield found[first].casefold(), between, found[last].casefold()
