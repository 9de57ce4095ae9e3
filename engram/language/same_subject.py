"""Memories -> the subjects by which two may be about the same thing without a word in common.

A slot, an entity with the category, and of what the person says of themselves the kind of an
entity: "lives in Graz" and "moved to Vienna" are both of a place. Pure.
"""

from __future__ import annotations

from engram.model.entity_ids import is_entity_id, type_of
from engram.model.memory import Memory


def subjects_of(memory: Memory) -> frozenset[str]:
    """The subjects of a memory, as keys."""
    named = [name for name in memory.entities if is_entity_id(name)]
    if memory.space == "user":
        named += [type_of(name) for name in named]
    found = {f"{memory.category} {name}" for name in named}
    return frozenset(found | {memory.key} if memory.key else found)
