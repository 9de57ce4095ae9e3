"""Judgements of a vault: which memories can be judged next, and what was measured by them.

A judgement is of what was written, so that it counts whatever became of the memory since: one that
was forgotten, purged or removed for being wrong does not make the vault look better. Only what came
with a change that was undone does not count, for it was never to be there. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable

from engram.health.sample import drawn
from engram.model.judgement import Judgement, Measured, last_of_each, measured
from engram.model.memory import Memory
from engram.model.trace import DELETED, UNDONE, WRITE
from engram.store.catalog.catalog import Catalog


def to_judge(
    catalog: Catalog, judgements: Iterable[Judgement], seed: str, most: int
) -> list[Memory]:
    """The next memories of the order of a seed, without those that were judged before.

    What the person told or wrote needs no judgement of theirs.
    """
    passed = last_of_each(judgements).keys() | told_by_person(catalog)
    return drawn(catalog.memories(), seed, most, passed)


def measured_of(catalog: Catalog, judgements: Iterable[Judgement]) -> Measured | None:
    """What the judgements say that count; None without any."""
    last = last_of_each(judgements)
    return measured(one for name, one in last.items() if not _was_undone(catalog, name))


def told_by_person(catalog: Catalog) -> frozenset[str]:
    """The memories that the person told the program, or wrote as files."""
    log = catalog.log
    told = {name for name, about in log.named(WRITE) if about.get("origin") == "person"}
    created = {name for name, details in log.named("hand_edit") if details.get("what") == "created"}
    return frozenset(told | created)


def _was_undone(catalog: Catalog, name: str) -> bool:
    if catalog.memory(name) is not None:
        return False
    events = catalog.log.events(name)
    last = events[-1][2] if events else None
    return last is not None and last.name == DELETED and ("reason", UNDONE) in last.details
