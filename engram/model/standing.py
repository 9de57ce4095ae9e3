"""How memories stand to each other: in dispute, or both right.

The links of two headers -> what they mean, and back. `settled` is the key under which a pair is
remembered that looks like a contradiction and is none, because the person said that both hold: it
lists wikilinks to the others, on both sides, and outlives whatever happens to either. Whoever looks
for contradictions leaves such pairs alone. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from engram.model.memory import Memory

SETTLED = "settled"

_LINK = re.compile(r"\[\[([^\[\]|]+)")


def disputes(memories: Iterable[Memory]) -> list[tuple[Memory, Memory]]:
    """The live pairs of which one names the other in `conflicts`: `(older, newer)`, oldest first.

    `memories` are all that are live; what is named and is not among them is in no dispute.
    """
    live = {memory.id: memory for memory in memories if memory.live}
    pairs = {
        tuple(sorted((memory.id, other), key=lambda name: (live[name].created, name)))
        for memory in live.values()
        for other in memory.conflicts
        if other in live and other != memory.id and other not in settled_with(memory)
    }
    found = [(live[older], live[newer]) for older, newer in pairs]
    return sorted(found, key=lambda pair: [(one.created, one.id) for one in pair])


def settled_with(memory: Memory) -> frozenset[str]:
    """The ids of those of which the person said that they do not contradict this memory."""
    return frozenset(_LINK.findall(memory.extras.get(SETTLED, "")))


def at_peace(memory: Memory, others: Iterable[str]) -> Memory:
    """A memory that remembers that these do not contradict it, and names none in `conflicts`."""
    right = [name for name in others if name != memory.id]
    names = dict.fromkeys([*_LINK.findall(memory.extras.get(SETTLED, "")), *right])
    mark = (SETTLED, ", ".join(f"[[{name}]]" for name in names))
    kept = tuple(pair for pair in memory.extra if pair[0] != SETTLED)
    conflicts = tuple(name for name in memory.conflicts if name not in right)
    return replace(memory, conflicts=conflicts, extra=(*kept, mark) if names else kept)
