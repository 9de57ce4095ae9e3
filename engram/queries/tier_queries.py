"""Tiers of a vault's memories: counted, named, those that are about to fall, and of some by id.

Catalog and access log -> Retention of each memory at a time. Guarantees: nothing is written, not
even the sums of the log; a log that cannot be read counts as far as it was counted before; a tier
of few memories is computed from few rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, StorageError
from engram.model.instant import plus_minutes
from engram.model.memory import CATEGORIES
from engram.model.tier import TIERS, Aging, MemoryTier, Retained, Retention, retention, tier_of
from engram.store.catalog.access_log import AccessLog

if TYPE_CHECKING:
    from engram.model.instant import Instant
    from engram.model.report import FallingMemory, TierCounts
    from engram.model.step import Access
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections

_MINUTES_A_DAY = 1440


class TierQueries:
    """Of one vault."""

    def __init__(self, disk: VaultDisk, projections: Projections, aging: Aging) -> None:
        self._log = AccessLog(disk)
        self._projections = projections
        self._aging = aging

    def of(self, identifiers: Iterable[str], now: Instant) -> dict[str, MemoryTier]:
        """The tier of each of these memories that there is."""
        names = list(identifiers)
        reads = self._reads(names)
        return {
            name: self._tier(memory, reads.get(name), now)
            for name, memory in self._projections.catalog.tiers.of(names)
        }

    def retention(self, identifier: str, now: Instant) -> Retention:
        """Tier and score of a memory that there is."""
        ((name, memory),) = self._projections.catalog.tiers.of([identifier])
        return self._retention(name, memory, self._reads([name]).get(name), now)

    def counts(self, now: Instant) -> TierCounts:
        """How many memories are in each tier, and how many of each category."""
        from engram.model.report import TierCounts

        reads, found = self._reads(), Counter[tuple[str, MemoryTier]]()
        for name, memory in self._projections.catalog.tiers.every():
            found[memory.category, self._tier(memory, reads.get(name), now)] += 1
        categories = sorted({category for category, _ in found}, key=CATEGORIES.index)
        return TierCounts(
            {tier: sum(found[one, tier] for one in categories) for tier in TIERS},
            {one: {tier: found[one, tier] for tier in TIERS} for one in categories},
        )

    def falling(self, days: int, now: Instant) -> list[FallingMemory]:
        """The live memories that are in a lower tier after so many days without a read.

        Those of the highest score first.
        """
        from engram.model.report import FallingMemory

        reads, catalog = self._reads(), self._projections.catalog
        times = [plus_minutes(now, day * _MINUTES_A_DAY) for day in range(days + 1)]
        found: list[tuple[Retention, MemoryTier, int, str]] = []
        for name, memory in catalog.tiers.every():
            if memory.superseded or memory.ended:
                continue
            tier = partial(self._tier, memory, reads.get(name))
            here = tier(now)
            if tier(times[-1]) != here:
                left = next(day for day, time in enumerate(times) if tier(time) != here)
                score = self._retention(name, memory, reads.get(name), now)
                found.append((score, tier(times[left]), left, name))
        found.sort(key=lambda one: (-one[0].score.overall, one[-1]))
        memories = catalog.memories(one[-1] for one in found)
        return [
            FallingMemory(memory, here, lower, left)
            for memory, (here, lower, left, _) in zip(memories, found, strict=True)
        ]

    def _retention(
        self, name: str, memory: Retained, read: Access | None, now: Instant
    ) -> Retention:
        """Tier and score, and the summaries where there are any."""
        found = retention(memory, read, now, self._aging)
        if not memory.summarised:
            return found
        return found._replace(summaries=tuple(self._projections.catalog.summaries_of(name)))

    def _tier(self, memory: Retained, read: Access | None, now: Instant) -> MemoryTier:
        return tier_of(memory, read, now, self._aging)

    def _reads(self, identifiers: Iterable[str] | None = None) -> Mapping[str, Access]:
        accesses = self._projections.catalog.accesses
        try:
            return accesses.of_now(self._log, identifiers)
        except (StorageError, BadInput):
            return accesses.of(identifiers)
