"""Which memories a listing or a grep shows: a filter without words."""

from __future__ import annotations

from dataclasses import dataclass

from engram.model.instant import day_of
from engram.model.memory import LIVE, Memory


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a listing shows; empty fields do not filter."""

    categories: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    project: str = ""
    tag: str = ""
    since: str = ""
    before: str = ""

    def admits(self, memory: Memory) -> bool:
        """Whether a memory passes."""
        day = day_of(memory.created)
        return (
            (not self.categories or memory.category in self.categories)
            and memory.status in (self.statuses or LIVE)
            and (not self.project or memory.project == self.project)
            and (not self.tag or self.tag in memory.tags)
            and day >= self.since
            and (not self.before or day < self.before)
        )
