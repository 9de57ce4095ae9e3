"""Items in the catalog: which item each memory is, which numbers are used, and the last tick.

Rows are computed from transactions and turns, as everything here is. A row of a candidate that
became no memory, or of a memory that was purged, has a number and nothing else to tell. The first
transaction that gave a number keeps it: where the logs of two machines were mixed, the memory of
the other one is without an item, and is numbered anew. Called inside the catalog's transaction to
write.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from engram.model.item import ItemId, Store, item_id, kind_of, store_of_memory
from engram.store.catalog.ticks import last_tick, note_tick

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.model.change import Transaction
    from engram.model.memory import Memory
    from engram.store.catalog.database import CacheDatabase


class ItemRows:
    """The items of one vault."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    @property
    def tick(self) -> int:
        """The last tick that was used."""
        return last_tick(self._db)

    def last(self, store: str, kind: str) -> int:
        """The highest number that a store and kind have used, perhaps under a name since purged."""
        from engram.model.numbering import PURGED_OWNER

        sql = "select coalesce(max(number), 0) from items where store = ? and kind = ?"
        purged = f"{store.partition(':')[0]}:{PURGED_OWNER}"
        return max(self._db.number(sql, one, kind) for one in (store, purged))

    def of(self, identifier: str) -> ItemId | None:
        """The item that a memory is now, by the id of its file; None before it has one."""
        row = self._db.row(
            "select store, kind, number from items where id = ? order by n desc, tick desc limit 1",
            identifier,
        )
        return item_id(f"{row[0]}:{row[1]}:{row[2]}") if row else None

    def of_then(self, identifier: str, number: int) -> ItemId | None:
        """The item that a memory was when a transaction was committed; its first before that."""
        row = self._db.row(
            "select store, kind, number from items where id = ?"
            " order by n <= ? desc, case when n <= ? then -n else n end, tick desc limit 1",
            identifier, number, number,
        )  # fmt: skip
        return item_id(f"{row[0]}:{row[1]}:{row[2]}") if row else None

    def tick_of(self, item: ItemId) -> int:
        """The tick of an item, 0 for one that was never given."""
        row = self._db.row(
            "select tick from items where store = ? and kind = ? and number = ?",
            str(item.store), item.kind, item.number,
        )  # fmt: skip
        return row[0] if row else 0

    def file_of(self, item: ItemId) -> str | None:
        """The id of the file of an item, its memory's first one too.

        '' for a candidate that has none; None for an item that was never given.
        """
        row = self._db.row(
            "select id from items where store = ? and kind = ? and number = ?",
            str(item.store), item.kind, item.number,
        )  # fmt: skip
        return row[0] if row else None

    def differs(self, memory: Memory) -> tuple[Store, str] | None:
        """Store and kind of a memory that has no item there; None for one that has."""
        store, kind = store_of_memory(memory), kind_of(memory.key)
        item = self.of(memory.id)
        there = item is not None and (item.store, item.kind) == (store, kind)
        return None if there else (store, kind)

    def place(self, memories: Iterable[Memory]) -> None:
        """Note which of the memories that are recorded need an item."""
        wanted = {
            one.id: (str(store_of_memory(one)), kind_of(one.key))
            for one in memories
        }  # fmt: skip
        rows = self._db.rows(
            "select id, store, kind from items where id in (select value from json_each(?))"
            " order by n, tick",
            json.dumps([*wanted]),
        )
        has = {row[0]: row[1:] for row in rows}
        self._db.many(
            "insert or replace into unnumbered values(?,?,?)",
            sorted((name, *there) for name, there in wanted.items() if has.get(name) != there),
        )

    def owed(self) -> list[tuple[str, str, str]]:
        """`(memory, store, kind)` of all that need an item, oldest first."""
        return self._db.rows(
            "select memory, store, kind from unnumbered join memories on memories.id = memory"
            " order by created, memory"
        )

    def follow(self, transaction: Transaction) -> None:
        """Record the items that a transaction gave; recording it again changes nothing."""
        from engram.model.numbering import items_in

        found = items_in(transaction)
        note_tick(self._db, max((transaction.tick, *(one.tick for one in found))))
        rows = [
            (str(one.item.store), one.item.kind, one.item.number, one.file) for one in found
        ]  # fmt: skip
        self._db.many(
            "insert or ignore into items values(?,?,?,?,?,?,?)",
            [
                (*row, transaction.number, one.tick, one.session)
                for row, one in zip(rows, found, strict=True)
            ],
        )
        self._db.many(
            "delete from unnumbered where store = ? and kind = ? and memory = ? and exists"
            " (select 1 from items where id = memory and items.store = unnumbered.store"
            " and items.kind = unnumbered.kind and number = ?)",
            [(row[0], row[1], row[3], row[2]) for row in rows if row[3]],
        )
