"""Collection: what was retired long ago moves to the archive, in one transaction (design 5.15).

What is to become of each memory is decided by the pass of consolidation that does the same at night
(`consolidate/passes/grace_period`). Nothing is purged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engram.model.instant import Instant
from engram.model.memory import Memory
from engram.model.report import Collected, MemoryEdit
from engram.pipeline.edits import decide

if TYPE_CHECKING:
    from engram.consolidate.passes.grace_period import GracePeriods
    from engram.pipeline.ports import Ports


def collect(
    ports: Ports, since: Callable[[Memory], Instant], *, dry_run: bool = False
) -> Collected:
    """Move what is over its days of grace; `since` tells when a memory was retired, by the log.

    Where nothing is to be done nothing is written.
    """
    found = _periods(ports, since)
    if found.over or found.undated:

        def decided() -> MemoryEdit:
            nonlocal found
            found = _periods(ports, since)
            return _edit(found, ports.clock.now())

        decide(decided, ports, dry_run=dry_run)
    return Collected(
        tuple((after, begun) for _, after, begun in found.over),
        tuple(after for _, after, _ in found.undated),
        found.waiting,
    )


def _periods(ports: Ports, since: Callable[[Memory], Instant]) -> GracePeriods:
    from engram.consolidate.passes.grace_period import grace_periods

    days = ports.settings.retention.grace_days
    return grace_periods(ports.view.retired(), ports.clock.now(), days, since)


def _edit(found: GracePeriods, now: Instant) -> MemoryEdit:
    from engram.consolidate.passes.grace_period import tombstone
    from engram.model.change import Event

    pairs = tuple((before, after) for before, after, _ in (*found.over, *found.undated))
    events = [tombstone(before, begun, now) for before, _, begun in found.over]
    events += [Event("retirement_dated", before.id) for before, _, _ in found.undated]
    return MemoryEdit("gc", pairs, tuple(events))
