"""Last tick in the catalog: the highest that a turn, an item or a transaction has (seed 002).

It only rises, so that the next tick is above all that was ever used, whatever the clock says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engram.store.catalog.database import CacheDatabase

_TICK = "tick"


def note_tick(database: CacheDatabase, tick: int) -> None:
    """Record that a tick is used; called inside the catalog's transaction."""
    if tick > last_tick(database):
        database.do("insert or replace into meta values(?,?)", _TICK, str(tick))


def last_tick(database: CacheDatabase) -> int:
    """The last tick that is used, 0 before the first."""
    row = database.row("select value from meta where key = ?", _TICK)
    return int(row[0]) if row else 0
