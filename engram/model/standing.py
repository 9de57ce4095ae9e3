"""Disputes between memories: pairs linked by `conflicts`, and pairs that the person settled.

`settled` is the header key of a pair that looks like a contradiction and is none, because the
person said that both hold: it lists wikilinks to the others, on both sides, and outlives whatever
happens to either. A search for contradictions leaves such pairs alone. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from engram.model.memory import Memory
from engram.model.succession import DISPUTED

SETTLED = "settled"

_LINK = re.compile(r"\[\[([^\[\]|]+)")


def disputes(memories: Iterable[Memory]) -> list[tuple[Memory, Memory]]:
    """The live pairs of which one names the other in `conflicts`: `(older, newer)`, oldest first.

    `memories` are all live ones; a named memory that is not among them is in no dispute.
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


def in_dispute(memory: Memory) -> bool:
    """Whether a memory waits for the person because it and another do not agree."""
    doubted = memory.status == "needs-review" and memory.status_reason in DISPUTED
    return doubted and bool(memory.conflicts)


def settled_with(memory: Memory) -> frozenset[str]:
    """Ids of the memories that, by the person's word, do not contradict this one."""
    return frozenset(_LINK.findall(memory.extras.get(SETTLED, "")))


def at_peace(memory: Memory, others: Iterable[str]) -> Memory:
    """The memory with these settled: named under `settled`, and no longer in `conflicts`."""
    right = [name for name in others if name != memory.id]
    names = dict.fromkeys([*_LINK.findall(memory.extras.get(SETTLED, "")), *right])
    mark = (SETTLED, ", ".join(f"[[{name}]]" for name in names))
    kept = tuple(pair for pair in memory.extra if pair[0] != SETTLED)
    conflicts = tuple(name for name in memory.conflicts if name not in right)
    return replace(memory, conflicts=conflicts, extra=(*kept, mark) if names else kept)
