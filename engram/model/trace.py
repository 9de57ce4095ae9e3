"""Trace: the names under which the memory contract's events stand in transactions (seed 002).

One table for what older versions wrote: a log is read for ever, and `now_called` gives each event
the name and the details that it would have today. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from engram.model.change import Event

WRITE, DENIED, CONFLICT = "memory_write", "memory_denied", "memory_conflict"
FORGET, DELETED, RECALL = "memory_forget", "memory_deleted", "memory_recall"
BORDER_CHECK = "memory_border_check"
PROMOTED, PROMOTION_DENIED = "memory_promoted", "memory_promotion_denied"
PHASE_STARTED, PHASE_DIFF = "memory_phase_started", "memory_phase_diff"
#: seed 002, in its order
CONTRACT_EVENTS = (
    RECALL, WRITE, DENIED, CONFLICT, FORGET, BORDER_CHECK, PROMOTED, PROMOTION_DENIED,
    PHASE_STARTED, DELETED, PHASE_DIFF,
)  # fmt: skip
#: why a memory left the active set
DeletionReason = Literal[
    "superseded", "promoted", "expired", "undone", "forgotten", "retired", "archived"
]
#: a detail of an event about a judged candidate, or a file that was found: `<space>:<owner>` and
#: the kind. The transaction holds `item` and `tick` in place of them.
STORE, KIND, ITEM, TICK = "store", "kind", "item", "tick"

#: the names of older transactions
_OLD: Mapping[str, str] = {
    "candidate_refused": DENIED,
    "memory_created": WRITE,
    "memory_superseded": DELETED,
}


def now_called(event: Event) -> Event:
    """An event of any version under the name that it has today."""
    return event._replace(name=_OLD.get(event.name, event.name))
