"""Which memories a listing or a grep shows: a filter without words."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from engram.model.instant import day_of
from engram.model.memory import LIVE, Memory, schema_name
from engram.model.schemas import SCHEMA_TABLE, categories_of
from engram.model.validity import ONCE_TRUE, is_valid_as_of


class Filter(NamedTuple):
    """Which memories a listing shows; empty fields do not filter.

    `as_of` shows what was true at an Instant or at the end of a Day, whatever became of it since;
    records of the schema `without` are left out.
    """

    categories: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    project: str = ""
    tag: str = ""
    since: str = ""
    before: str = ""
    as_of: str = ""
    schemas: tuple[str, ...] = ()
    space: str = ""
    without: str = ""

    @property
    def shown(self) -> Collection[str]:
        """The statuses that it shows."""
        return self.statuses or (ONCE_TRUE if self.as_of else LIVE)

    @property
    def looked_at(self) -> tuple[str, ...]:
        """The categories that what passes may have; empty for all."""
        of_schemas = [one for name in self.schemas for one in categories_of(SCHEMA_TABLE[name])]
        both = [one for one in of_schemas if one in self.categories]
        return tuple(both) if self.schemas and self.categories else (*of_schemas, *self.categories)

    def admits(self, memory: Memory) -> bool:
        """Whether a memory passes."""
        day = day_of(memory.created)
        return (
            (not self.categories or memory.category in self.categories)
            and (not self.schemas or schema_name(memory) in self.schemas)
            and (not self.without or schema_name(memory) != self.without)
            and memory.status in self.shown
            and (not self.project or memory.project == self.project)
            and (not self.space or memory.space == self.space)
            and (not self.tag or self.tag in memory.tags)
            and day >= self.since
            and (not self.before or day < self.before)
            and (not self.as_of or is_valid_as_of(memory, self.as_of))
        )
