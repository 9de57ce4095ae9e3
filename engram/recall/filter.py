"""Which memories a listing or a grep shows: a filter without words."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from engram.model.instant import day_of
from engram.model.memory import LIVE, Memory
from engram.model.validity import is_valid_as_of

#: what may have been true once; what the person forgot, and what was never confirmed, is not shown
_ONCE_TRUE = LIVE | {"superseded", "archived"}


class Filter(NamedTuple):
    """Which memories a listing shows; empty fields do not filter.

    `as_of` shows what was true at an Instant or at the end of a Day, whatever became of it since.
    """

    categories: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    project: str = ""
    tag: str = ""
    since: str = ""
    before: str = ""
    as_of: str = ""

    @property
    def shown(self) -> Collection[str]:
        """The statuses that it shows."""
        return self.statuses or (_ONCE_TRUE if self.as_of else LIVE)

    def admits(self, memory: Memory) -> bool:
        """Whether a memory passes."""
        day = day_of(memory.created)
        return (
            (not self.categories or memory.category in self.categories)
            and memory.status in self.shown
            and (not self.project or memory.project == self.project)
            and (not self.tag or self.tag in memory.tags)
            and day >= self.since
            and (not self.before or day < self.before)
            and (not self.as_of or is_valid_as_of(memory, self.as_of))
        )
