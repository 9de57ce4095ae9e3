"""Tier rows: what the tier of each memory is computed from, read from the catalog's columns.

Rows of `memories` and `summary_sources` -> Retained. Guarantees: no memory's body is decoded; a
circle of replacements ends; nothing is written. Raises CatalogUnusable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from engram.model.memory import LIVE
from engram.model.tier import Retained

if TYPE_CHECKING:
    from engram.store.catalog.database import Row

#: between the ids in the column `successors`
SEPARATOR = " "
_COLUMNS = "id, status, created, category, importance, settled, successors"
#: the index holds every column that is asked for
_MEMORIES = "memories indexed by memories_named"


class TierRows:
    """Of one catalog, of which `rows` asks a statement with values."""

    def __init__(self, rows: Callable[..., list[Row]]) -> None:
        self._rows = rows

    def every(self) -> Iterator[tuple[str, Retained]]:
        """Every memory by its id, in their order."""
        found = {row[0]: row for row in self._rows(f"select {_COLUMNS} from {_MEMORIES}")}
        told = {row[0] for row in self._rows("select distinct source from summary_sources")}
        for name, row in found.items():
            yield name, _retained(row, name in told, found.get)

    def of(self, identifiers: Iterable[str]) -> Iterator[tuple[str, Retained]]:
        """These memories, but for those that there are none of."""
        for name in identifiers:
            row = self._row(name)
            if row is not None:
                told = self._rows("select 1 from summary_sources where source = ? limit 1", name)
                yield name, _retained(row, bool(told), self._row)

    def _row(self, name: str) -> Row | None:
        rows = self._rows(f"select {_COLUMNS} from {_MEMORIES} where id = ?", name)
        return rows[0] if rows else None


def _retained(row: Row, summarised: bool, find: Callable[[str], Row | None]) -> Retained:
    _, status, created, category, importance, settled, successors = row
    superseded = status == "superseded"
    return Retained(
        created, category, importance or 0.0, bool(settled), superseded,
        superseded and _is_replaced(successors, find), summarised,
        not superseded and status not in LIVE,
    )  # fmt: skip


def _is_replaced(successors: str, find: Callable[[str], Row | None]) -> bool:
    """Whether a live memory took the place, or the place of one that did."""
    waiting, seen = successors.split(SEPARATOR), set[str]()
    while waiting:
        name = waiting.pop()
        row = find(name) if name not in seen else None
        seen.add(name)
        if row is not None:
            if row[1] in LIVE:
                return True
            waiting += row[-1].split(SEPARATOR) if row[1] == "superseded" else ()
    return False
