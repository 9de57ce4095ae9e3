"""What of a session is said nowhere else: the items to warn of before it leaves the active set.

Looked at are what was completed, what blocks and what comes next (seed 001: the deletion guard). An
item is held when one other live memory of the project, with all its sections, has at least 60 % of
its content words: terms of three characters or more, stop-words left out, in any script. An item
without such words says nothing and counts as held. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engram.language.scripts import latin_length
from engram.language.tokens import telling_terms
from engram.model.memory import Memory
from engram.model.record import DONE, record_of, without_receipt

#: the fields that are looked at, and those of them that ask for something to be done
GUARDED = ("completed", "blockers", "next_actions")
OPEN = frozenset(["blockers", "next_actions"])
#: the share of an item's words that one memory must have (specs: 60 %)
_HELD = 0.6
#: characters of a word that counts
_LEAST = 3


class UnheldItem(NamedTuple):
    """One item, without its receipt, and the field that it stands in."""

    field: str
    text: str

    @property
    def is_open(self) -> bool:
        """Whether it asks for something to be done, which can be kept as a commitment."""
        return self.field in OPEN


#: the content words of each memory of a project
Said = Sequence[frozenset[str]]


def said_in(project: str, memories: Iterable[Memory]) -> Said:
    """What the memories of a project say, of those given; the session in question is not one."""
    return [content_words(_whole(one)) for one in memories if one.project == project]


def unheld(session: Memory, said: Said) -> list[UnheldItem]:
    """The items of a session that no memory of those that `said` was made of holds, in order."""
    return [item for item in _items(session) if not _is_held(content_words(item.text), said)]


def content_words(text: str) -> frozenset[str]:
    """The words of a text that tell something, as stems."""
    return frozenset(term for term in telling_terms(text) if latin_length(term) >= _LEAST)


def _items(session: Memory) -> list[UnheldItem]:
    record = record_of(session)
    if record is None:
        return []
    # what is ticked off among the next actions is done
    return [
        UnheldItem(name, without_receipt(item))
        for name in GUARDED
        for item in record.items(name)
        if not item.startswith(DONE)
    ]


def _whole(memory: Memory) -> str:
    return "\n".join((memory.title, memory.text, *(text for _, text in memory.sections)))


def _is_held(words: frozenset[str], said: Said) -> bool:
    least = _HELD * len(words)
    return not words or any(len(words & one) >= least for one in said)
