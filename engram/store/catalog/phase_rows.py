"""Memories and items of one store, as the phases of that store ask for them.

A store is named as in an item's id (`project:shop`). Nothing is written.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from engram.model.instant import Instant
from engram.model.item import Store, store_of
from engram.model.memory import LIVE, Memory
from engram.model.trace import PHASE_STARTED
from engram.store.catalog.age_rows import last_said

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from engram.store.catalog.database import CacheDatabase

#: where a value of a memory stands in its row: to read a few of very many decodes none
_PLACES = {
    field.name: f"json_extract(body, '$[{place}]')" for place, field in enumerate(fields(Memory))
}
#: names in one statement
_AT_ONCE = 500
#: the first item of each kind of a store: one of them is the first of the store
_FIRST = "store = ? and number = 1 and tick > 0"


class LifeRow(NamedTuple):
    """A memory's id, and from when to when it was in use; `ended` is '' of one that is."""

    id: str
    created: Instant
    ended: Instant


class StatementRow(NamedTuple):
    """A memory's id, and what its item is called by."""

    id: str
    category: str
    schema: str
    key: str
    text: str


class PhaseRows:
    """Of one vault."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    def lives(self, store: Store) -> list[LifeRow]:
        """Every memory of a store, oldest first; one that is out of use and says not since when is
        left out."""
        condition, values = self._of(store)
        live = ",".join("?" * len(LIVE))
        rows = self._db.rows(
            f"select id, created, case when status in ({live}) then ''"
            f" else {_PLACES['status_since']} end, status in ({live}) from memories"
            f" where {condition} order by created, id",
            *LIVE, *LIVE, *values,
        )  # fmt: skip
        return [LifeRow(*row[:3]) for row in rows if row[2] or row[3]]

    def stores(self) -> list[Store]:
        """The stores that have a memory, those of sessions left out."""
        rows = self._db.rows(
            "select distinct space, project from memories where space != 'session'"
        )
        found = {store_of(space, project) for space, project in rows}
        return sorted(found)

    def first(self, store: Store) -> Instant:
        """When the first memory of a store was made, '' for none."""
        condition, values = self._of(store)
        row = self._db.row(f"select min(created) from memories where {condition}", *values)
        return (row[0] or "") if row else ""

    def items(self, store: Store) -> dict[str, str]:
        """The item id of each memory that has one in a store."""
        rows = self._db.rows(
            "select id, kind, number from items where store = ? and id != '' order by n, tick",
            str(store),
        )
        return {row[0]: f"{store}:{row[1]}:{row[2]}" for row in rows}

    def first_tick(self, store: str) -> int:
        """The tick of the first item of a store, 0 before there is one."""
        return self._db.number(f"select coalesce(min(tick), 0) from items where {_FIRST}", store)

    def first_item(self, store: str) -> str:
        """The first item of a store, '' before there is one."""
        row = self._db.row(
            f"select kind, number from items where {_FIRST} order by tick limit 1",
            store,
        )
        return f"{store}:{row[0]}:{row[1]}" if row else ""

    def start_ticks(self) -> dict[tuple[str, Instant], int]:
        """The tick of each phase that began on this machine, by its store and time."""
        rows = self._db.rows(
            "select json_extract(details, '$.store'), json_extract(details, '$.at'),"
            " json_extract(details, '$.tick') from events where name = ? order by n desc",
            PHASE_STARTED,
        )
        return {(row[0], row[1]): int(row[2]) for row in rows if str(row[2]).isdecimal()}

    def statements(self, names: Iterable[str]) -> Iterator[StatementRow]:
        """What the memories of these ids state."""
        wanted = list(names)
        columns = ", ".join(_PLACES[name] for name in ("category", "schema", "key", "text"))
        for start in range(0, len(wanted), _AT_ONCE):
            part: Sequence[str] = wanted[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            sql = f"select id, {columns} from memories where id in ({marks})"
            yield from (StatementRow(*row) for row in self._db.rows(sql, *part))

    def last_said(self, links: Collection[str]) -> Instant:
        """When the last of these turns was said, '' for none."""
        return last_said(self._db.rows, links)

    def project_of(self, transcript: str) -> str:
        """The project that the turns of a conversation tell last, '' for none."""
        row = self._db.row(
            "select project from turns where transcript = ? and project != ''"
            " order by seq desc limit 1",
            transcript,
        )
        return str(row[0]) if row else ""

    def _of(self, store: Store) -> tuple[str, list[str]]:
        """The condition for memories of a store, and its values."""
        if store.space == "session":
            return "space = ? and session = ?", [*store]
        if store.space != "project":
            return "space = ?", [store.space]
        projects = [
            row[0]
            for row in self._db.rows(
                "select distinct project from memories where space = 'project'"
            )
            if store_of("project", row[0]) == store
        ]
        marks = ",".join("?" * len(projects))
        return f"space = 'project' and project in ({marks})", projects
