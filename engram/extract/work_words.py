"""Words of an item -> whether they name what was done, or only that something was.

"Added a key per order" -> yes   ·   "Committed and pushed.", "All 41 tests pass." -> no
"""

from __future__ import annotations

from engram.language.keywords import word_set
from engram.language.stop_words import TOPIC
from engram.model.text import words

#: how work is kept, checked and called, whatever it is about
_OF_ALL_WORK = word_set(
    """add added address addressed again all branch build change changed changelog changes check
    checked clean code commit commits committed complete create created done error errors
    existing failing feedback file files fix fixed format full green implementation implemented
    issue issues latest lint main merge merged opened origin pass pr push pushed ready rebase
    rebased remove removed repo resolved review run successfully test tests unit update updated
    verified works"""
)
#: an item needs so many words of its own to name something
_LEAST = 2


def telling_words(said: str) -> list[str]:
    """The words that say what is spoken of, in order, without repeats.

    Numbers and digests tell nothing.
    """
    found = (word.strip("._-'") for word in words(said))
    return list(
        dict.fromkeys(
            word
            for word in found
            if word not in TOPIC and word not in _OF_ALL_WORK and not _is_number(word)
        )
    )


def names_work(item: str) -> bool:
    """Whether an item names what was done."""
    return len(telling_words(item)) >= _LEAST


def _is_number(word: str) -> bool:
    """A count, or the digest of a commit."""
    bare = word.replace(",", "")
    return bare.isdigit() or (len(bare) >= 7 and any(map(str.isdigit, bare)) and _is_hex(bare))


def _is_hex(word: str) -> bool:
    return set(word) <= set("0123456789abcdef")
