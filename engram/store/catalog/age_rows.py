"""Rows about age: how many ticks a memory has lived, and what of a session is in use (seed 002).

    a memory in session space   ticks of that session: its turns, and what was judged from them
    any other                   ticks of the vault

Counted from its item, or from what renewed it since. Computed from rows of items, turns and events,
as everything here is: where `state/` was lost, both begin anew. Reads only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from engram.model.memory import SESSION, Memory
from engram.model.trace import CONFIRMED, WRITE
from engram.store.catalog.row_body import decode
from engram.store.catalog.ticks import last_tick
from engram.store.catalog.turn_rows import WITHDRAWN

if TYPE_CHECKING:
    from engram.model.instant import Instant
    from engram.store.catalog.database import CacheDatabase, Row

    #: all rows of an answer, by the statement and its values
    Ask = Callable[..., list[Row]]

#: that a memory came back begins its time anew, whatever the rule; under `decay` a confirmation too
_BACK = (WRITE, "memory_restored")
_RENEWED = (*_BACK, CONFIRMED)
_OF_SESSION = "memories indexed by memories_of_session where space = 'session'"
_LIVE = "status in ('active', 'needs-review')"
#: the ticks of a session since a tick of the vault: its turns, and what was judged from them
SESSION_TICKS = (
    "select (select count(*) from turns where transcript = ? and tick > ?)"
    " + (select count(*) from items where session = ? and session != '' and tick > ?)"
)


class AgeRows:
    """Of the memories of one vault."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    def of_sessions(self) -> list[Memory]:
        """The live memories in session space, oldest first."""
        return self._memories(f"{_OF_SESSION} and {_LIVE}")

    def ended(self, conversations: Iterable[str], reason: str) -> list[Memory]:
        """Those of these conversations that expired for a reason, oldest first."""
        found = self._memories(
            f"{_OF_SESSION} and status = 'expired' and session in (select value from json_each(?))",
            json.dumps([*conversations]),
        )
        return [memory for memory in found if memory.status_reason == reason]

    def live(self, spaces: Iterable[str]) -> list[Memory]:
        """The live memories of these spaces, oldest first."""
        return self._memories(
            f"memories where {_LIVE} and space in (select value from json_each(?))",
            json.dumps([*spaces]),
        )

    def ticks(self, memory: Memory, *, renews: bool) -> int | None:
        """The age of a memory in ticks; None for one that has no item yet.

        With `renews` a confirmation began it anew.
        """
        row = self._db.row(
            "select tick, n from items where id = ? order by n desc, tick desc limit 1", memory.id
        )
        if row is None:
            return None
        names = _RENEWED if renews else _BACK
        since = self._db.number(
            "select coalesce(max(tick), 0) from events join transactions using(n) where subject = ?"
            " and n > ? and name in (select value from json_each(?))",
            memory.id, row[1], json.dumps(names),
        )  # fmt: skip
        since = max(since, int(row[0]))
        if memory.space != SESSION:
            return last_tick(self._db) - since
        return self._db.number(SESSION_TICKS, *(memory.conversation, since) * 2)

    def last_heard(self, memory: Memory) -> Instant:
        """When its conversation last went on, or the memory was written, confirmed or restored."""
        return last_heard(self._db.rows, memory)

    def last_turn(self, conversation: str) -> Instant:
        """When the last turn of a conversation was said; '' where none is known."""
        return last_turn(self._db.rows, conversation)

    def _memories(self, where: str, *values: object) -> list[Memory]:
        rows: list[Row] = self._db.rows(f"select body from {where} order by created, id", *values)
        return [decode(Memory, row[0]) for row in rows]


def last_heard(ask: Ask, memory: Memory) -> Instant:
    """When its conversation last went on, or the memory was written, confirmed or restored."""
    told = ask(
        "select coalesce(max(time), '') from events join transactions using(n)"
        " where subject = ? and name in (select value from json_each(?))",
        memory.id, json.dumps(_RENEWED),
    )  # fmt: skip
    return max(memory.created, last_turn(ask, memory.conversation), str(told[0][0]))


def last_turn(ask: Ask, conversation: str) -> Instant:
    """When the last turn of a conversation was said; '' where none is known."""
    said = f"transcript = ? and state < {WITHDRAWN}"
    found = ask(f"select coalesce(max(time), '') from turns where {said}", conversation)
    return str(found[0][0])


def last_said(ask: Ask, links: Collection[str]) -> Instant:
    """When the last of these turns was said, '' for none."""
    marks = ",".join("?" * len(links))
    found = ask(f"select coalesce(max(time), '') from turns where link in ({marks})", *links)
    return str(found[0][0])
