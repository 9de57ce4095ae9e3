"""Lives of memories: what catalog, turn journal and access log know of one, as evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.recall.life import GivenCount, Happened, LifeEvidence, SourceTurn, life
from engram.store.catalog.access import AccessLog
from engram.store.catalog.given_rows import newest
from engram.store.files.policy_snapshots import kept_policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engram.model.memory import Memory
    from engram.model.shown import LifeLine
    from engram.queries.lookup import Lookup
    from engram.store.base.disk import VaultDisk
    from engram.store.catalog.catalog import Catalog


def life_of(
    memory: Memory, catalog: Catalog, disk: VaultDisk, lookup: Lookup, timezone: str
) -> tuple[LifeLine, ...]:
    """The life of a memory in sentences, oldest first."""
    turns = lookup.turns(memory.sources)
    heard = [
        SourceTurn(link, turn.time, turn.role, turn.speaker, turn.source, turn.title)
        if (turn := turns.get(link)) is not None
        else SourceTurn(link)
        for link in memory.sources
    ]
    happened = list(_happened(memory, catalog))
    evidence = LifeEvidence(
        memory, heard, happened, catalog.memory,
        lambda digest: kept_policy(disk, digest), _given(memory, AccessLog(disk)),
    )  # fmt: skip
    return life(evidence, timezone)


def _given(memory: Memory, log: AccessLog) -> list[GivenCount]:
    """Who was given it, the one who was given it last at the end."""
    found: dict[str, GivenCount] = {}
    for block in newest(log, memory.id):
        one = found.setdefault(block.by, GivenCount(block.by, 0, block.time))
        found[block.by] = one._replace(times=one.times + 1)
    return sorted(found.values(), key=lambda one: one.last)


def _happened(memory: Memory, catalog: Catalog) -> Iterator[Happened]:
    """The events about it, and those about what it stands against or took the place of."""
    near = (memory.id, *memory.supersedes, *memory.conflicts)
    events = [one for name in dict.fromkeys(near) for one in catalog.log.events(name)]
    kinds = catalog.log.kinds({number for number, *_ in events})
    for number, time, event in events:
        yield Happened(number, time, *kinds[number], event)
