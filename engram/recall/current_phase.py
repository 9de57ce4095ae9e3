"""Memories of an older phase: what a policy with `phase.mode = current_only` leaves out.

    the page of phases, the spaces of which it is said  ->  whether a memory is left out

A statement that was neither made nor said again in the current phase of its store is left out. The
value of a slot never is: a new phase hides nothing that a person is. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from engram.model.instant import Instant
from engram.model.item import Store, store_of_memory
from engram.model.memory import Memory
from engram.model.phase import PhasePage, phase_at


class OlderPhases:
    """Of one vault at one moment."""

    def __init__(
        self, page: PhasePage, spaces: Collection[str], now: Instant,
        spoken: Callable[[Collection[str]], Instant],
    ) -> None:  # fmt: skip
        """`spoken` tells when the last of some turns was said, by their links; '' for none."""
        self._page = page
        self._spaces = spaces
        self._now = now
        self._spoken = spoken
        self._starts: dict[Store, Instant] = {}

    def hold(self, memory: Memory) -> bool:
        """Whether a memory is of an older phase than the current one of its store."""
        if memory.key or memory.space not in self._spaces:
            return False
        store = store_of_memory(memory)
        if store not in self._starts:
            self._starts[store] = phase_at(self._page.phases(store), self._now).start
        start = self._starts[store]
        return memory.created < start and self._spoken(memory.sources) < start
