"""Topic traces in the catalog: the text of each as it stands in `state/traces.json`.

A trace is a fold over its boxes (`traces_of`). The text of each is cached until one of its boxes
changes, so that a new box costs the traces it belongs to and not all. Called inside the catalog's
transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from engram.model.box import Box, traces_of
from engram.store.catalog.row_body import decode

if TYPE_CHECKING:
    from engram.store.catalog.database import CacheDatabase


class TraceRows:
    """Cached texts of traces."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    def touch(self, *boxes: str) -> None:
        """Invalidate the traces of boxes that were added, changed or removed."""
        self._db.many(
            "delete from traces where id in (select trace from boxes where id = ?)",
            [(name,) for name in boxes],
        )

    def listed(self) -> bytes:
        """The bytes of `traces.json`; none for no trace."""
        missing = self._db.rows(
            "select distinct trace from boxes where trace != ''"
            " and trace not in (select id from traces)"
        )
        for (name,) in missing:
            rows = self._db.rows("select body from boxes where trace = ?", name)
            entries = _entries(decode(Box, row[0]) for row in rows)
            # one box alone makes no trace
            entry = entries[0][1] if entries else ""
            self._db.do("insert into traces values(?,?)", name, entry)
        return _joined(row[0] for row in self._db.rows("select entry from traces order by id"))


def trace_list(boxes: Iterable[Box]) -> bytes:
    """The bytes of `traces.json` for these boxes; none for no trace."""
    return _joined(entry for _, entry in _entries(boxes))


def _entries(boxes: Iterable[Box]) -> list[tuple[str, str]]:
    """Each trace of some boxes, and its text: a line for each value, as the fast encoder does."""
    return [
        (
            trace.id,
            f"{json.dumps(trace.id)}: "
            + json.dumps(
                {
                    "boxes": trace.boxes, "topics": trace.topics,
                    "first": trace.first, "last": trace.last,
                },
                separators=(",\n", ": "),
                sort_keys=True,
            ),
        )
        for trace in traces_of(boxes)
    ]  # fmt: skip


def _joined(entries: Iterable[str]) -> bytes:
    text = ",\n".join(filter(None, entries))
    return f'{{"traces": {{{text}}}}}\n'.encode("ascii") if text else b""
