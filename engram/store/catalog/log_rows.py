"""Transaction log in the catalog: transactions seen and their events, without file bodies.

Events of older versions stand here under the names that they have today.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from engram.model.trace import now_called

if TYPE_CHECKING:
    from collections.abc import Collection

    from engram.model.change import Event, Transaction
    from engram.store.catalog.database import CacheDatabase


class LogRows:
    """Rows of transactions and events. Called inside the catalog's transaction to write."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    def record(self, transaction: Transaction) -> None:
        """Record a transaction and its events; recording it again changes nothing."""
        plan, number = transaction.plan, transaction.number
        self._db.do(
            "insert or replace into transactions values(?,?,?,?,?,?,?,?,?)",
            number, transaction.time, plan.kind, plan.batch, len(plan.changes),
            "\n".join(transaction.left), " ".join(map(str, plan.undoes)),
            transaction.tick, transaction.policy,
        )  # fmt: skip
        self._db.do("delete from events where n = ?", number)
        self._db.many(
            "insert into events values(?,?,?,?)",
            [
                (number, event.name, event.subject, json.dumps(dict(event.details), sort_keys=True))
                for event in map(now_called, plan.events)
            ],
        )  # fmt: skip

    def rows(self) -> list[tuple[int, str, str, str, int, str, str]]:
        """`(n, time, kind, batch, changes, left, undoes)` of all transactions, newest first."""
        columns = "n, time, kind, batch, changes, left_alone, undoes"
        return self._db.rows(f"select {columns} from transactions order by n desc")

    def kinds(self, numbers: Collection[int]) -> dict[int, tuple[str, str, str]]:
        """Kind, batch and policy's digest of some transactions, by number."""
        select = "select kind, batch, policy from transactions where n = ?"
        rows = (self._db.row(select, one) for one in numbers)
        return {one: row for one, row in zip(numbers, rows, strict=True) if row is not None}

    def last_of(self, *kinds: str) -> int:
        """The number of the last transaction of one of these kinds, 0 without any."""
        marks = ",".join("?" * len(kinds))
        return self._db.number(f"select max(n) from transactions where kind in ({marks})", *kinds)

    def events(self, subject: str) -> list[tuple[int, str, Event]]:
        """`(n, time, event)` of all that happened to a memory or transcript, oldest first."""
        return self._dated("e.subject = ?", subject)

    def since(self, name: str, instant: str) -> list[tuple[int, str, Event]]:
        """`(n, time, event)` of every event of a name from an instant on, oldest first."""
        return self._dated("e.name = ? and t.time >= ?", name, instant)

    def _dated(self, condition: str, *values: str) -> list[tuple[int, str, Event]]:
        from engram.model.change import Event

        rows = self._db.rows(
            "select e.n, t.time, e.name, e.subject, e.details"
            f" from events e join transactions t using (n) where {condition}"
            " order by e.n, e.rowid",
            *values,
        )
        return [
            (row[0], row[1], Event(row[2], row[3], tuple(json.loads(row[4]).items())))
            for row in rows
        ]

    def named(self, name: str) -> list[tuple[str, dict[str, str]]]:
        """`(subject, details)` of every event of a name, oldest first."""
        rows = self._db.rows("select subject, details from events where name = ? order by n", name)
        return [(row[0], json.loads(row[1])) for row in rows]

    def event_counts(self, name: str, detail: str) -> dict[str, int]:
        """How often each value of a detail occurs in the events of a name."""
        rows = self._db.rows(
            "select json_extract(details, '$.' || ?), count(*) from events"
            " where name = ? group by 1",
            detail, name,
        )  # fmt: skip
        return {str(row[0]): row[1] for row in rows}
