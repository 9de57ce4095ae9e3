"""Trace: the names under which the memory contract's events stand in transactions (seed 002).

    a memory before and after        ->  the event that it left the active set, or came back
    an event of an older version     ->  the same event as it would stand there today

A log is read for ever: `now_called` is applied where the log is taken up, so that readers know
today's names alone; what an older transaction holds is not rewritten. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from engram.model.authority import AUTHORITIES, Rung
from engram.model.change import Event
from engram.model.memory import Memory

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
DELETION_REASONS: tuple[DeletionReason, ...] = get_args(DeletionReason)
#: the reason of a `memory_write` and of a `memory_deleted` by an undo
UNDONE: DeletionReason = "undone"
#: a detail of an event about a judged candidate, or a file that was found: `<space>:<owner>` and
#: the kind. The transaction holds `item` and `tick` in place of them.
STORE, KIND, ITEM, TICK = "store", "kind", "item", "tick"
#: what a person did to a file, or another machine; and that somebody says again that it holds
HAND_EDIT, CONFIRMED = "hand_edit", "memory_confirmed"
#: the detail of an event of promotion: the item that a memory was in the space that it is to leave
FROM = "from"
#: why a memory that another space has already left the active set
PROMOTED_AS: DeletionReason = "promoted"
#: the reason of a `memory_forget`, and the status reason, of what no confirmation renews
TTL_EXPIRED = "ttl_expired"
#: the detail of words: those of the person who decided, or of a draft
WHY = "why"

_REASON_OF_STATUS: Mapping[str, DeletionReason] = {
    "superseded": "superseded", "expired": "expired", "retired": "retired", "archived": "archived",
}  # fmt: skip
_FORGOTTEN: DeletionReason = "forgotten"


def reason_gone(memory: Memory) -> DeletionReason:
    """Why a memory that is not in use any more left the active set."""
    if memory.status == "retired" and memory.status_reason == _FORGOTTEN:
        return _FORGOTTEN
    return _REASON_OF_STATUS.get(memory.status, "retired")


def deleted(
    memory: Memory, reason: DeletionReason | Literal[""] = "", **details: str
) -> Event:  # fmt: skip
    """`memory_deleted` of a memory as it is now, with what replaced it; no empty details."""
    told: dict[str, str] = {"reason": reason or reason_gone(memory)}
    if told["reason"] == "superseded":
        told["replaced_by"] = "".join(memory.superseded_by[:1])
    return Event(DELETED, memory.id, _kept(told | details))


def taken_back(before: Memory | None, after: Memory | None) -> Event | None:
    """What an undo made of a memory, None for no file: it left the active set, or is back in it."""
    was, is_now = before is not None and before.live, after is not None and after.live
    if before is not None and was and not is_now:
        return deleted(before, UNDONE)
    if after is not None and is_now and not was:
        return Event(WRITE, after.id, (("reason", UNDONE),))
    return None


def conflict(loser: str, winner: str, rule: Rung | Literal[""], **details: str) -> Event:
    """`memory_conflict`: of two statements that cannot both hold `winner` stands."""
    return Event(CONFLICT, loser, _kept({"winner": winner, "rule": rule} | details))


def forgetting(memory: Memory, reason: str = "") -> Event:
    """`memory_forget`: nobody confirmed a memory in time, or nothing renews it."""
    told = reason or (TTL_EXPIRED if memory.status_reason == TTL_EXPIRED else "decay")
    return Event(FORGET, memory.id, (("reason", told),))


def vouched_authority(events: Iterable[Event]) -> str:
    """The most authority that a header may claim by what this machine did.

    `events` are those about its memory, oldest first. What a transaction wrote counts in full, what
    a person changed in a file, or git brought, as nothing, and once it is confirmed as the person's
    word. An undo brings back what was so before.
    """
    least, persons, full = AUTHORITIES[0], AUTHORITIES[1], AUTHORITIES[-1]
    vouched = least
    for event in events:
        if event.name == HAND_EDIT:
            vouched = least
        elif event.name == WRITE and ("reason", UNDONE) not in event.details:
            vouched = full
        elif event.name == CONFIRMED and vouched == least:
            vouched = persons
    return vouched


def _kept(details: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in details.items() if value)


# -- what older versions wrote -------------------------------------------------------------------

_OLD: Mapping[str, str] = {
    "candidate_refused": DENIED,
    "memory_created": WRITE,
    "memory_superseded": DELETED,
    "memory_retired": DELETED,
    "memory_archived": DELETED,
}
#: what stood as a reason where nobody had given one
_NO_REASON = frozenset({"by_hand", *DELETION_REASONS})


def now_called(event: Event) -> Event:
    """An event of any version as it would stand in a transaction of today."""
    name = _OLD.get(event.name, event.name)
    if name != DELETED:
        return event._replace(name=name)
    details = dict(event.details)
    reason = details.pop("reason", "")
    if event.name == DELETED:
        if reason in DELETION_REASONS:
            return event
        now: DeletionReason = _FORGOTTEN  # the one that had the name, with the person's words
    else:
        now = _REASON_OF_STATUS[event.name.removeprefix("memory_")]
    by, was = details.pop("by", ""), {} if reason in _NO_REASON else {WHY: reason}
    return Event(name, event.subject, _kept({"reason": now, "replaced_by": by} | details | was))
