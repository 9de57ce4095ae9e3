"""Lives of memories: what catalog, turn journal and access log know of one, as evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.recall.life import Happened, Heard, LifeEvidence, life

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engram.model.memory import Memory
    from engram.model.shown import LifeLine
    from engram.queries.lookup import Lookup
    from engram.store.catalog.catalog import Catalog


def life_of(
    memory: Memory, catalog: Catalog, lookup: Lookup, timezone: str
) -> tuple[LifeLine, ...]:
    """The life of a memory in sentences, oldest first."""
    turns = lookup.turns(memory.sources)
    heard = [
        Heard(link, turn.time, turn.role, turn.speaker, turn.source, turn.title)
        if (turn := turns.get(link)) is not None
        else Heard(link)
        for link in memory.sources
    ]
    evidence = LifeEvidence(memory, heard, list(_happened(memory, catalog)), catalog.memory)
    return life(evidence, timezone)


def _happened(memory: Memory, catalog: Catalog) -> Iterator[Happened]:
    """The events about it, and those about what it stands against or took the place of."""
    near = (memory.id, *memory.supersedes, *memory.conflicts)
    events = [one for name in dict.fromkeys(near) for one in catalog.log.events(name)]
    kinds = catalog.log.kinds({number for number, *_ in events})
    for number, time, event in events:
        yield Happened(number, time, *kinds[number], event)
