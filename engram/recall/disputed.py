"""Memories found -> what may be given of them: each alone, a disputed one only with its opponents.

While two stand against each other neither is given as if it held: both in one item, oldest first,
or neither. One that only waits beside a memory that stands (what was not the person's word) is left
out. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from engram.model.memory import Memory
from engram.model.standing import in_dispute


class Dispute(NamedTuple):
    """Two memories or more of which one at most holds, oldest first."""

    sides: tuple[Memory, ...]


Given = Memory | Dispute
#: What is no memory, and is in no dispute.
Other = TypeVar("Other")


def undisputed_or_whole(
    found: Iterable[Memory | Other], opponents: Callable[[Memory], Iterable[Memory]]
) -> Iterator[Given | Other]:
    """What may be given, in the order found; `opponents` are those a memory names that may be."""
    told: set[str] = set()
    for memory in found:
        if not isinstance(memory, Memory) or not in_dispute(memory):
            yield memory
        elif memory.id not in told:
            others = (other for other in opponents(memory) if in_dispute(other))
            sides = {one.id: one for one in (memory, *others)}
            if len(sides) > 1:
                told |= sides.keys()
                oldest_first = sorted(sides.values(), key=lambda one: (one.created, one.id))
                yield Dispute(tuple(oldest_first))


def members(given: Given) -> tuple[Memory, ...]:
    """The memories in one item."""
    return given.sides if isinstance(given, Dispute) else (given,)
