"""Item: the memory contract's view of a memory or a turn, and its id (seed 002).

    a memory, a turn  ->  MemoryItem: eight fields, and `meta`

Nothing is stored as an item: a memory is its file, a turn its line of the journal. An item's id,
`<space>:<owner>:<kind>:<n>`, is counted for each store and kind on one machine and never used
again; denied and losing candidates have one too. `check_item` reads an item of eight fields as a
trace or a program gives it, and refuses it with BadInput, which names the field and repeats no
value: an item that was refused may hold anything. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from engram.model.authority import AUTHORITIES
from engram.model.errors import BadInput
from engram.model.memory import SESSION, Memory
from engram.model.memory import SPACES as SPACES
from engram.model.memory import kind_of as kind_of

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
#: a longer number is none that was ever given: it would fit nowhere
_ID = re.compile(
    r"(session|user|project|system):([^:\s]+):(short_term|semantic|profile):([0-9]{1,12})"
)
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
    """Eight fields in the order of seed 002.

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


def normal_owner(name: str | int | None) -> str:
    """A name as it stands in an id: without colons and blanks; `anonymous` for none."""
    return _BLANKS.sub("_", str("" if name is None else name).strip()).replace(":", "_") or NOBODY


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
    return store_of(memory.space, memory.project, memory.conversation)


def event_type_of(category: str, schema: str = "") -> EventType:
    """The event type of a category; `context` for the record of a session and what has none."""
    return "context" if schema == SESSION else _EVENT_OF_CATEGORY.get(category, "context")


_HINT = "`docs/contract.md` has an item with every field"
_FIELDS = ("id", "kind", "text", "source", "created_at", "importance", "scope", "meta")
#: the only scope that an item has
_SCOPE = "session"


def check_item(row: Mapping[str, object]) -> MemoryItem:
    """The item of eight fields; `kind` may be written in any case, `meta` may be None."""
    missing = [name for name in _FIELDS if name not in row]
    if missing:
        raise _refusal(f"an item has no field {missing[0]}")
    kind = next((one for one in KINDS if _folded(row["kind"]) == one), None)
    if kind is None:
        raise _refusal(f"the kind of an item is none of {', '.join(KINDS)}")
    identifier, text, source = (_text(row, name) for name in ("id", "text", "source"))
    for name, value in (("id", identifier), ("source", source)):
        if not value.strip():
            raise _refusal(f"the field {name} of an item is empty")
    created_at, importance = row["created_at"], row["importance"]
    if isinstance(created_at, bool) or not isinstance(created_at, int) or created_at < 0:
        raise _refusal("the field created_at of an item is no tick: a whole number from 0")
    if not _is_number(importance):
        raise _refusal("the importance of an item is no number")
    if row["scope"] != _SCOPE:
        raise _refusal(f"the scope of an item is not {_SCOPE}")
    assert isinstance(importance, int | float)
    meta = _checked_meta(row["meta"])
    return MemoryItem(identifier, kind, text, source, created_at, importance, _SCOPE, meta)


def _checked_meta(meta: object) -> Mapping[str, object]:
    if meta is None:
        return {}
    if not isinstance(meta, Mapping) or not all(isinstance(name, str) for name in meta):
        raise _refusal("the meta of an item is no object")
    for name, (sound, wanted) in _META.items():
        if name in meta and not sound(meta[name]):
            raise _refusal(f"meta.{name} of an item is not {wanted}")
    return dict(meta)


def _text(row: Mapping[str, object], name: str) -> str:
    value = row[name]
    if not isinstance(value, str):
        raise _refusal(f"the field {name} of an item is no text")
    return value


def _folded(value: object) -> str:
    return value.strip().lower() if isinstance(value, str) else ""


def _refusal(message: str) -> BadInput:
    return BadInput(message, _HINT)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_tick(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_names(value: object) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_name, value))


def _one_of(names: tuple[str, ...]) -> tuple[Callable[[object], bool], str]:
    return (lambda value: value in names), f"one of {', '.join(names)}"


_NAME, _NAMES = (_is_name, "a name"), (_is_names, "a list of names")
_TICK = (_is_tick, "a tick: a whole number from 0")
#: what seed 002 names in `meta`, and `file`, the id of a memory's file
_META: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "file": _NAME,
    "event_type": _one_of(EVENT_TYPES), "importance_reason": _NAMES,
    "authority": _one_of(AUTHORITIES), "authority_reason": _NAME,
    "space": _one_of(SPACES), "owner": _NAME, "key": _NAME, "dedup_key": _NAME,
    "source_turn_ids": _NAMES, "summary_of": _NAMES,
    "promoted_from": _NAME, "promotion_reason": _NAME, "promotion_target": _one_of(SPACES),
    "score": (_is_number, "a number"), "recall_reason": _NAMES, "policy_tags": _NAMES,
    "expires_at": _TICK,
    "phase_id": _NAME, "phase_name": _NAME, "phase_started_at": _TICK, "phase_reason": _NAME,
}  # fmt: skip
