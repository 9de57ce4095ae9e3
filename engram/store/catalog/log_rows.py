"""Transaction log in the catalog: transactions seen and their events, without file bodies.

Events of older versions stand here under the names that they have today.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from engram.model.trace import CONTRACT_EVENTS, now_called

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from engram.model.change import Event, Transaction
    from engram.model.contract_event import LoggedTransaction
    from engram.store.catalog.database import CacheDatabase

#: transactions that are read at once
_PAGE = 200


class LogFilter(NamedTuple):
    """Which transactions are wanted: with one of these events, of an instant on, about an item of
    a space, from a conversation. What is empty does not count; what is found is a superset."""

    names: tuple[str, ...] = ()
    since: str = ""
    space: str = ""
    session: str = ""


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

    def subjects(self, number: int) -> list[str]:
        """What the events of a transaction are about, in their order, each once."""
        rows = self._db.rows("select subject from events where n = ? order by rowid", number)
        return list(dict.fromkeys(row[0] for row in rows))

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

    def newest(self, wanted: LogFilter) -> Iterator[LoggedTransaction]:
        """The transactions with an event that is wanted, whole, newest first; read as they are
        asked for."""
        condition, values = _condition(wanted)
        before = 1 << 62
        while True:
            numbers = [
                row[0]
                for row in self._db.rows(
                    "select distinct e.n from events e join transactions t using (n)"
                    f" where e.n < ? and {condition} order by e.n desc limit {_PAGE}",
                    before, *values,
                )
            ]  # fmt: skip
            if not numbers:
                return
            before = numbers[-1]
            yield from self._transactions(numbers)

    def _transactions(self, numbers: Sequence[int]) -> list[LoggedTransaction]:
        from engram.model.change import Event
        from engram.model.contract_event import LoggedTransaction

        marks = ",".join("?" * len(numbers))
        events: dict[int, list[Event]] = {}
        for n, name, subject, details in self._db.rows(
            f"select n, name, subject, details from events where n in ({marks}) order by n, rowid",
            *numbers,
        ):
            told = tuple(json.loads(details).items())
            events.setdefault(n, []).append(Event(name, subject, told))
        rows = self._db.rows(
            "select n, time, kind, policy, tick from transactions"
            f" where n in ({marks}) order by n desc",
            *numbers,
        )
        return [
            LoggedTransaction(n, time, kind, policy or "", tick or 0, tuple(events.get(n, ())))
            for n, time, kind, policy, tick in rows
        ]

    def tick_at(self, number: int) -> int:
        """The last tick that was used when a transaction was committed."""
        sql = "select coalesce(max(tick), 0) from transactions where n <= ? and n > ? - 50"
        return self._db.number(sql, number, number)

    def names(self) -> list[str]:
        """The names of the events that the contract does not know."""
        rows = self._db.rows("select distinct name from events order by name")
        return [row[0] for row in rows if row[0] not in CONTRACT_EVENTS]

    def is_purged(self, subject: str) -> bool:
        """Whether a memory was purged."""
        sql = "select count(*) from events where subject = ? and name = 'memory_purged'"
        return self._db.number(sql, subject) > 0

    def named(self, name: str) -> list[tuple[str, dict[str, str]]]:
        """`(subject, details)` of every event of a name, oldest first."""
        rows = self._db.rows("select subject, details from events where name = ? order by n", name)
        return [(row[0], json.loads(row[1])) for row in rows]

    def named_in(self, numbers: Collection[int], names: Sequence[str]) -> list[tuple[int, str]]:
        """`(n, subject)` of the events of some names in some transactions, oldest first."""
        marks = ",".join("?" * len(names))
        found: list[tuple[int, str]] = []
        for number in sorted(numbers):
            found += self._db.rows(
                "select n, subject from events where n = ? and subject != ''"
                f" and name in ({marks}) order by rowid",
                number, *names,
            )  # fmt: skip
        return found

    def event_counts(self, name: str, detail: str) -> dict[str, int]:
        """How often each value of a detail occurs in the events of a name."""
        rows = self._db.rows(
            "select json_extract(details, '$.' || ?), count(*) from events"
            " where name = ? group by 1",
            detail, name,
        )  # fmt: skip
        return {str(row[0]): row[1] for row in rows}


def _condition(wanted: LogFilter) -> tuple[str, list[str]]:
    """The filter in SQL, and its values."""
    found, values = ["1"], list[str]()
    if wanted.names:
        found.append(f"e.name in ({','.join('?' * len(wanted.names))})")
        values += wanted.names
    if wanted.since:
        found.append("t.time >= ?")
        values.append(wanted.since)
    if wanted.space:
        found.append(
            "(instr(e.details, ?) or instr(e.details, ?)"
            " or e.subject in (select id from items where store glob ?))"
        )
        told = (f'"{name}": "{wanted.space}:' for name in ("item", "store"))
        values += [*told, f"{wanted.space}:*"]
    if wanted.session:
        found.append("(instr(e.details, ?) or e.subject = ?)")
        values += [f'"source": {json.dumps(wanted.session)[:-1]}#', wanted.session]
    return " and ".join(found), values
