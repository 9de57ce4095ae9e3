"""Lasting view: a vault as consolidation sees it, in which nothing of a session is in use.

What belongs to a session ends with it (seed 002): it is merged with nothing, judges nothing, stands
on no page and ages by no day. One that was moved into a session is taken off the pages that showed
it, as one that expired is. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engram.model.instant import Day, Instant
from engram.model.memory import SESSION, Memory
from engram.model.overlay import Overlay


class LastingView(Overlay):
    """A vault without what sessions hold."""

    def memory(self, identifier: str) -> Memory | None:
        """The memory of that id; of a session as one that is over."""
        found = super().memory(identifier)
        if found is None or found.space != SESSION or not found.live:
            return found
        return replace(found, status="expired")

    def live(self) -> Sequence[Memory]:
        """Every memory in use that is no session's."""
        return _lasting(super().live())

    def due(self, day: Day) -> Sequence[Memory]:
        """Those whose `expires` is that day or before."""
        return _lasting(super().due(day))

    def aged(self, before: Instant, importance: float) -> Sequence[Memory]:
        """Those of that age, below that importance."""
        return _lasting(super().aged(before, importance))

    def overdue(self, day: Day) -> Sequence[Memory]:
        """Commitments that were due before a day."""
        return _lasting(super().overdue(day))

    def records(self, schema: str, space: str = "", project: str = "") -> Sequence[Memory]:
        """Those of this schema."""
        return _lasting(super().records(schema, space, project))


def _lasting(memories: Sequence[Memory]) -> Sequence[Memory]:
    return [memory for memory in memories if memory.space != SESSION]
