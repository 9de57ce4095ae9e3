"""Merge of duplicate memories: one survives, with every receipt of all.

The survivor is chosen by rank, never by chance; the person's words rank before inferred ones. Of
the losers only status, `superseded_by` and `valid_until` change, so that a restore gives back the
file as it was. Memories that differ in anything but wording are not merged: a slot, a due date, the
day of an episode, the entity they are about, a dispute, a correction.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from engram.model.instant import Day, day_of
from engram.model.memory import Memory, authority_rank
from engram.model.step import Step

TASK, MERGE = "duplicates", "merge"
#: categories whose statements may be merged with each other; the others merge among themselves
_LASTING = frozenset({"fact", "preference", "principle", "entity", "relationship", "skill"})
#: scalars of the header that say what the text may not
_TELLING = ("due", "decision_state", "commitment_state", "outcome", "severity", "priority")


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
    """Whether a memory may be merged: live, undisputed and not about to end."""
    return memory.live and not memory.conflicts and not memory.superseded_by


def class_of(memory: Memory) -> tuple[str, ...]:
    """Scope, kind, day of an episode, category: only memories of one class are ever merged."""
    category = "" if memory.category in _LASTING else memory.category
    day = _begins(memory) if memory.kind == "episode" else ""
    project = memory.project if memory.space == "project" else ""
    ends = memory.valid_until
    return (memory.space, project, memory.kind, day, category, memory.schema, ends)


def may_take(survivor: Memory, loser: Memory) -> bool:
    """Whether one memory of a class may absorb another of lower rank."""
    if loser.key not in ("", survivor.key) or survivor.id in loser.supersedes:
        return False
    if survivor.entities[:1] != loser.entities[:1] and survivor.entities and loser.entities:
        return False
    mine, theirs = survivor.extras, loser.extras
    return all(mine.get(name) == theirs.get(name) for name in _TELLING if name in theirs)


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


def _superseded(loser: Memory, survivor: Memory) -> Memory:
    until = max(_begins(survivor), _begins(loser))
    if loser.valid_until:
        until = min(until, loser.valid_until)
    by = _union(loser.superseded_by, (survivor.id,))
    return replace(loser, status="superseded", superseded_by=by, valid_until=until)


def _begins(memory: Memory) -> Day:
    return memory.valid_from or day_of(memory.created)


def _union(*lists: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for some in lists for one in some))
