"""Item: the memory contract's view of a memory, a turn or a judged candidate (seed 002).

    a memory, a turn, a candidate  ->  MemoryItem: eight fields, and `meta`

Nothing is stored as an item: a memory is its file, a turn its line of the journal. An item's id,
`<space>:<owner>:<kind>:<n>`, is counted for each store and kind on one machine and never used
again; denied and losing candidates have one too. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from engram.model.memory import SESSION, Memory
from engram.model.memory import SPACES as SPACES

Kind = Literal["short_term", "semantic", "profile"]
KINDS: tuple[Kind, ...] = ("short_term", "semantic", "profile")
EventType = Literal["preference", "decision", "fact", "correction", "execution", "context"]
EVENT_TYPES: tuple[EventType, ...] = (
    "preference", "decision", "fact", "correction", "execution", "context",
)  # fmt: skip
#: owners that no name stands for
NOBODY, UNKNOWN, OWNER, SYSTEM = "anonymous", "unknown", "me", "system"

#: what a memory of a category is an event of; of a session's record, and of the slight, `context`
_EVENT_OF_CATEGORY: Mapping[str, EventType] = {
    "preference": "preference", "correction": "correction",
    "decision": "decision", "principle": "decision", "commitment": "decision",
    "fact": "fact", "entity": "fact", "relationship": "fact",
    "skill": "execution", "moment": "execution",
}  # fmt: skip
_ID = re.compile(r"(session|user|project|system):([^:\s]+):(short_term|semantic|profile):([0-9]+)")
_BLANKS = re.compile(r"\s+")


class Store(NamedTuple):
    """A space of one owner: items are counted in it. Written `<space>:<owner>`."""

    space: str
    owner: str

    def __str__(self) -> str:
        return f"{self.space}:{self.owner}"


class ItemId(NamedTuple):
    """An item's id; `str()` gives `<space>:<owner>:<kind>:<n>`."""

    store: Store
    kind: Kind
    number: int

    def __str__(self) -> str:
        return f"{self.store}:{self.kind}:{self.number}"


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """Eight fields in the order of seed 002; `check_item` tells whether they are sound.

    `created_at` is a tick, `importance` 0..1 of a memory, `scope` always `session`.
    """

    id: str
    kind: Kind
    text: str
    source: str
    created_at: int
    importance: float
    scope: str = "session"
    meta: Mapping[str, object] = field(default_factory=dict)


def item_id(text: str) -> ItemId | None:
    """The id that a text is; None for any other text."""
    found = _ID.fullmatch(text)
    if found is None:
        return None
    kind: Kind = next(one for one in KINDS if one == found[3])
    return ItemId(Store(found[1], found[2]), kind, int(found[4]))


def normal_owner(name: str) -> str:
    """A name as it stands in an id: without colons and blanks; `anonymous` for none."""
    return _BLANKS.sub("_", name.strip()).replace(":", "_") or NOBODY


def store_of(space: str, project: str, transcript: str = "") -> Store:
    """The store of what is in a space: the transcript's, the person's, the project's, or all's."""
    if space == "session":
        return Store(space, normal_owner(transcript))
    if space == "user":
        return Store(space, OWNER)
    if space == "system":
        return Store(space, SYSTEM)
    return Store("project", normal_owner(project) if project.strip() else UNKNOWN)


def store_of_memory(memory: Memory) -> Store:
    """The store of a memory; in session space the owner is the conversation it came from."""
    link = memory.sources[0] if memory.sources else ""
    return store_of(memory.space, memory.project, link.partition("#")[0])


def kind_of(slot: str) -> Kind:
    """`profile` for one value of a slot (the header's `key`), else `semantic`."""
    return "profile" if slot else "semantic"


def event_type_of(category: str, schema: str = "") -> EventType:
    """The event type of a category; `context` for the record of a session and what has none."""
    return "context" if schema == SESSION else _EVENT_OF_CATEGORY.get(category, "context")
