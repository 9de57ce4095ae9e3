"""Numbering: the events of a plan -> the same events with item ids and ticks (seed 002).

    store="project:shop" kind="semantic"  ->  item="project:shop:semantic:12" tick="415"

An event about a judged candidate, or about a file that was found, names its store and its kind; the
transaction holds an item and a tick in place of them, and nothing else tells of either (but for
`promoted_from`): files have no numbers, since they travel and logs do not. Items are counted for
each store and kind, ticks for the vault. Guarantees: no number is given twice, ticks rise by one an
item. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from engram.model.change import Event
from engram.model.item import ItemId, Store, item_id, kind_of, store_of_memory
from engram.model.trace import (
    CONFLICT,
    DENIED,
    FROM,
    HAND_EDIT,
    ITEM,
    KIND,
    PHASE_STARTED,
    PROMOTED,
    STORE,
    TICK,
    WRITE,
    now_called,
)  # fmt: skip

if TYPE_CHECKING:
    from engram.model.change import Transaction
    from engram.model.memory import Memory

#: the item of a memory that had none, or moved to another store
NUMBERED = "item_numbered"
#: the detail of NUMBERED that says of which memory: nothing has happened to the memory itself
MEMORY = "memory"
#: a tick and an item's number are below this, so that they fit wherever they are kept
MOST = 1 << 40
#: the owner in the items of a store whose name was purged
PURGED_OWNER = "(purged)"
_SAME = frozenset({DENIED, CONFLICT})
#: spaces whose owner is not called by a name
_NAMELESS = frozenset({"user", "system"})


class NumberedItem(NamedTuple):
    """An item as a transaction gave it: `file` is the id of its memory, '' for what has none.

    `session` is the transcript of the conversation that it was judged from, '' for none.
    """

    item: ItemId
    tick: int
    file: str
    session: str = ""


def place(store: Store, kind: str) -> tuple[tuple[str, str], ...]:
    """The details of an event that is about an item of a store and kind."""
    return (STORE, str(store)), (KIND, kind)


def place_of(memory: Memory) -> tuple[tuple[str, str], ...]:
    """The details of an event that gives a memory an item where it is now."""
    return place(store_of_memory(memory), kind_of(memory.key))


def numbered(
    events: Iterable[Event], tick: int, last: Callable[[str, str], int]
) -> tuple[tuple[Event, ...], int]:
    """The events with items and ticks, and the last tick that is used then.

    `tick` is the last one used before, `last` the highest number of a store and kind. What denies a
    candidate and what says to which memory it lost are about one item. A phase that
    begins takes a tick and no number.
    """
    found: list[Event] = []
    counts: dict[tuple[str, str], int] = {}
    before, item = Event(""), 0
    for event in events:
        details = dict(event.details)
        store, kind = details.get(STORE, ""), details.get(KIND, "")
        if store and kind:
            place = store, kind
            if not _of_one(before, event):
                tick += 1
                if place not in counts:
                    counts[place] = last(store, kind)
                item = counts[place] = counts[place] + 1
            found.append(event._replace(details=_with(event, f"{store}:{kind}:{item}", tick)))
        elif event.name == PHASE_STARTED:
            tick += 1
            found.append(event._replace(details=(*event.details, (TICK, str(tick)))))
        elif FROM in details:  # about an item that there is
            found.append(event._replace(details=(*event.details, (TICK, str(tick)))))
        else:
            found.append(event)
        before = event
    return tuple(found), tick


def _of_one(before: Event, event: Event) -> bool:
    """Whether two events in a row are about one candidate, which no file has."""
    if before.subject or event.subject or {before.name, event.name} != _SAME:
        return False
    old, new = dict(before.details), dict(event.details)
    return all(old.get(name) == new.get(name) for name in (STORE, KIND, "source"))


def _with(event: Event, item: str, tick: int) -> tuple[tuple[str, str], ...]:
    instead = {STORE: (ITEM, item), KIND: (TICK, str(tick))}
    return tuple(instead.get(name, (name, value)) for name, value in event.details)


def items_in(transaction: Transaction) -> list[NumberedItem]:
    """The items that a transaction gave, in order; what no version of ours wrote is left out."""
    found: list[NumberedItem] = []
    for event in transaction.plan.events:
        details = dict(event.details)
        item = item_id(details.get(ITEM, ""))
        tick = details.get(TICK, "")
        if item is None or item.number >= MOST or not is_tick(tick):
            continue
        file = ""
        if event.name == NUMBERED:
            file = details.get(MEMORY, "")
        elif now_called(event).name in (HAND_EDIT, WRITE, PROMOTED):
            file = event.subject
        session = details.get("source", "").partition("#")[0]
        found.append(NumberedItem(item, int(tick), file, session))
    return found


def without_name(text: str, cleaned: Callable[[str], str]) -> str:
    """An item's id with a mark for its owner, where `cleaned` would change that; else as it is.

    Its number stays used: a purge of a project's name gives none free.
    """
    item = item_id(text)
    if item is None:
        return cleaned(text)
    owner = item.store.owner
    if item.store.space in _NAMELESS or cleaned(owner) == owner:
        return text
    return str(item._replace(store=item.store._replace(owner=PURGED_OWNER)))


def is_tick(text: str) -> bool:
    """Whether a text is a tick that can have been given."""
    return text.isascii() and text.isdigit() and len(text) <= len(str(MOST)) and int(text) < MOST


def numbering(owed: Iterable[tuple[str, str, str]], events: Iterable[Event]) -> tuple[Event, ...]:
    """The events that number `(memory, store, kind)`, in that order, but for what others number.

    Memories of an older version or another machine have no item, and those whose header now puts
    them into another store have none there. The next transaction says which they get.
    """
    told = {event.subject for event in events if STORE in dict(event.details)}
    return tuple(
        Event(NUMBERED, "", ((MEMORY, name), (STORE, store), (KIND, kind)))
        for name, store, kind in owed
        if name not in told
    )
