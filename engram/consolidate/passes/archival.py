"""Archival pass: old facts that are not used -> archive/, by the conditions of seed 003.

A memory is archived when it is older than `archive_age_days`, of less importance than
`archive_max_importance`, was read at most `archive_max_access` times, is of no protected category
and no correction, and is active. Exactly so old, or exactly so important, is not enough; read
exactly so often is. Nothing is deleted, and what a person restored once is left alone: the header's
`archived` remembers the day. Without `consolidate.archive` nothing is planned.
"""

from __future__ import annotations

from engram.consolidate.context import PassContext
from engram.consolidate.passes.end_of_life import ended
from engram.model.instant import Instant, minutes_between, plus_minutes
from engram.model.memory import Memory
from engram.model.settings import ConsolidateSettings
from engram.model.step import Access, Step

TASK = "archival"
_DAY = 24 * 60
#: the header key that holds the day on which a memory was archived
_ARCHIVED = "archived"


def plan(context: PassContext) -> list[Step]:
    """A step for every memory to archive, oldest first."""
    limits = context.settings.consolidate
    if not limits.archive:
        return []
    before = plus_minutes(context.now, -limits.archive_age_days * _DAY)
    aged = context.view.aged(before, limits.archive_max_importance)
    old = [memory for memory in aged if _is_idle(memory, before, limits)]
    reads = context.view.accesses([memory.id for memory in old])
    counts = [(memory, reads.get(memory.id, Access()).count) for memory in old]
    return [
        ended(context, TASK, memory, "archived", "unused", _why(memory, count, context.now),
              (_ARCHIVED, context.today))
        for memory, count in counts
        if count <= limits.archive_max_access
    ]  # fmt: skip


def _is_idle(memory: Memory, before: Instant, limits: ConsolidateSettings) -> bool:
    """The conditions that `aged` does not check; `aged` includes what is exactly so old."""
    return (
        "" < memory.created < before
        and memory.category != "correction"
        and memory.category not in limits.archive_protected
        and _ARCHIVED not in memory.extras
    )


def _why(memory: Memory, count: int, now: Instant) -> str:
    days = int(minutes_between(memory.created, now)) // _DAY
    asked = "never asked for" if not count else f"asked for {count} time{'s' * (count > 1)}"
    return f"{days} days old, importance {memory.importance:.2f}, {asked}"
