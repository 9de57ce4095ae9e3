"""Merge of duplicate memories: one survives, with every receipt of all.

The survivor is chosen by rank, never by chance; the person's words rank before inferred ones. Of
the losers only status, `superseded_by` and `valid_until` change, so that a restore gives back the
file as it was. Memories that differ in anything but wording are not merged: a slot, a due date, the
day of an episode, the entity they are about, a dispute, a correction.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from engram.language.paraphrase.restatement import begins, class_of, may_take
from engram.model.authority import authority_rank
from engram.model.memory import SESSION, Memory
from engram.model.step import Step

TASK, MERGE = "duplicates", "merge"
#: why two memories are merged that only a model calls the same
SAID_SAME = "the same in other words, says the model"


def rank(memory: Memory) -> tuple[Hashable, ...]:
    """Sort key, the survivor first: authority, active, a slot, confidence, the newest, then the id.

    lifecycle 11.1: the highest confidence is kept, of equals the newest.
    """
    return (
        -authority_rank(memory.authority),
        memory.status != "active",
        not memory.key,
        bool(memory.sources),
        -memory.confidence,
        tuple(-ord(letter) for letter in memory.created),
        memory.id,
    )


def may_merge(memory: Memory) -> bool:
    """Whether a memory may be merged: live, undisputed, not about to end, and no session's record.

    Two conversations that set out to do the same are two conversations.
    """
    undecided = memory.conflicts or memory.superseded_by or memory.schema == SESSION
    return memory.live and not undecided


def merged(survivor: Memory, losers: Sequence[Memory], why: str) -> Step:
    """The step that leaves the survivor only."""
    by_time = sorted(losers, key=lambda memory: (memory.created, memory.id))
    after = replace(
        survivor,
        confidence=max(memory.confidence for memory in (survivor, *losers)),
        tags=_union(survivor.tags, *(memory.tags for memory in by_time)),
        entities=_union(survivor.entities, *(memory.entities for memory in by_time)),
        sources=_union(survivor.sources, *(memory.sources for memory in by_time)),
        supersedes=_union(survivor.supersedes, tuple(memory.id for memory in by_time)),
    )
    gone = tuple((memory, _superseded(memory, survivor)) for memory in losers)
    subjects = (survivor.id, *(memory.id for memory in losers))
    return Step(TASK, MERGE, subjects, why, amended=((survivor, after), *gone))


def merged_pair(one: Memory, other: Memory, why: str) -> Step | None:
    """The step that leaves one of two; None where they differ in more than wording."""
    survivor, loser = sorted((one, other), key=rank)
    if not (may_merge(survivor) and may_merge(loser) and class_of(survivor) == class_of(loser)):
        return None
    return merged(survivor, [loser], why) if may_take(survivor, loser) else None


def _superseded(loser: Memory, survivor: Memory) -> Memory:
    until = max(begins(survivor), begins(loser))
    if loser.valid_until:
        until = min(until, loser.valid_until)
    by = _union(loser.superseded_by, (survivor.id,))
    return replace(loser, status="superseded", superseded_by=by, valid_until=until)


def _union(*lists: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for some in lists for one in some))
