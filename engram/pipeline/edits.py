"""What a person decides about memories: what holds, what is over, what replaces what.

Memories in, a MemoryEdit out: the memories as they were and as they will be, with their events; the
store makes one transaction of it. A person may do what no pass may: neither authority nor age
stands in the way. Refuses (BadInput) what is in no state to be decided about, and what would make
a circle. Nothing is deleted (design 5.1): every file stays, and `restore` brings it back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.admit.confidence import VOUCHED
from engram.admit.same import done_on
from engram.capture.accept import legible
from engram.model.authority import authority_rank
from engram.model.change import Change, Event, Plan
from engram.model.errors import BadInput, called
from engram.model.instant import Day, Instant
from engram.model.memory import NEVER_AGAIN, Memory
from engram.model.report import MemoryEdit
from engram.model.retention import Terms, renewed
from engram.model.standing import at_peace
from engram.model.succession import superseded
from engram.model.text import content_hash
from engram.model.trace import conflict, deleted
from engram.pipeline.writing import writing

if TYPE_CHECKING:
    from engram.model.ports import Writer
    from engram.model.view import VaultView
    from engram.pipeline.ports import Ports


def decide(
    decision: Callable[[], MemoryEdit], ports: Ports, *, dry_run: bool = False, code: str = ""
) -> MemoryEdit:
    """Do what a person decides, in one transaction; a dry run decides and writes nothing.

    The decision is made with hand edits taken up. What is so already needs no transaction. `code`
    is how programs are told of what cannot be decided so.
    """
    if dry_run:
        ports.settler.within(math.inf)
        with called(code):
            return decision()
    with writing(ports):
        with called(code):
            edit = decision()
        plan = plan_of(edit, ports.writer)
        if plan.changes or plan.events:
            ports.committer.commit(plan)
        return edit


def plan_of(edit: MemoryEdit, writer: Writer) -> Plan:
    """An edit as one transaction."""
    changes = (*writer.changes([], edit.pairs), *edit.changes)
    return Plan(edit.verb, changes, edit.events, edit.ack)


def reason_of(text: str, ports: Ports) -> str:
    """A person's reason as it may be logged."""
    return ports.redactor.redact(legible(text)).text


# -- one memory -----------------------------------------------------------------------------------


def unowned(memory: Memory, view: VaultView) -> Memory:
    """The memory, if no other one that is in use says the same. Raises BadInput."""
    for other in view.owners(content_hash(memory.text, memory.scope)):
        if other.live and other.id != memory.id and not memory.live:
            raise BadInput(
                f"{other.id} says the same and is in use: {memory.id} was not restored",
                f"`engram show {other.id}`; or `engram retire {other.id}` first",
                code="RESTORE_ERROR",
            )
    return memory


def restore(memory: Memory, now: Instant, terms: Terms) -> MemoryEdit:
    """Make a memory active again, whatever took it out of the active set; its TTL starts anew.

    One that is active already stays as it is.
    """
    if memory.status == "active":
        return MemoryEdit("restore", ((memory, memory),), ())
    after = replace(
        memory,
        status="active",
        status_since="",
        status_reason="",
        valid_until="" if memory.status == "superseded" else memory.valid_until,
        superseded_by=(),
        expires=renewed(memory, memory, now, terms),
        extra=tuple(pair for pair in memory.extra if pair[0] != NEVER_AGAIN),
    )
    event = Event("memory_restored", memory.id, (("was", memory.status),))
    return MemoryEdit("restore", ((memory, after),), (event,))


def bring_back(identifier: str, path: str, body: bytes) -> MemoryEdit:
    """Write a memory's file again that a person had removed, as the journal knows it."""
    event = Event("memory_restored", identifier, (("was", "removed"),))
    return MemoryEdit("restore", (), (event,), (Change(path, None, body, "restored"),))


def rewrite(memory: Memory, before: bytes, after: bytes) -> MemoryEdit:
    """A memory's file as the person rewrote it."""
    event = Event("hand_edit", memory.id, (("what", "edited"),))
    return MemoryEdit("edit", (), (event,), (Change(memory.path, before, after, "edited"),))


# -- what a person decides about memories ---------------------------------------------------------


def confirm(memories: Sequence[Memory], now: Instant, terms: Terms) -> MemoryEdit:
    """The person says that these hold: active, explicit, theirs, and their time starts anew.

    A dispute stays one: that this holds does not say that the other does not (`resolve`).
    """
    pairs = tuple((_live(one, "confirmed"), held(one, now, terms)) for one in _each(memories))
    return MemoryEdit("confirm", pairs, tuple(_confirmed(before) for before, _ in pairs))


def done(memory: Memory, day: Day) -> MemoryEdit:
    """The person says that a promise was kept, on a day."""
    if memory.category != "commitment":
        raise BadInput(f"{memory.id} is a {memory.category}, no commitment", "`engram confirm ID`")
    pair = (_live(memory, "done"), done_on(memory, day))
    event = Event("memory_fulfilled", memory.id, (("by", "person"),))
    return MemoryEdit("done", (pair,), (event,))


def retire(memories: Sequence[Memory], reason: str, now: Instant) -> MemoryEdit:
    """Out of use for good; unlike what is forgotten, the turns it came from stay searchable."""
    return _end(memories, "retire", "retired", "retired", reason, now)


def archive(memories: Sequence[Memory], now: Instant) -> MemoryEdit:
    """Out of the way: the files move to the archive."""
    return _end(memories, "archive", "archived", "by_hand", "", now)


def _end(
    memories: Sequence[Memory], verb: str, status: str, code: str, reason: str, now: Instant
) -> MemoryEdit:
    pairs, events = [], []
    for memory in _each(memories):
        if memory.status == status:
            pairs.append((memory, memory))
            continue
        # the turns of what is retired may be hidden, and would be found again
        if memory.status in ("retired", "archived"):
            raise BadInput(
                f"{memory.id} is {memory.status}: restore it first",
                f"`engram restore {memory.id}`",
                code=f"{verb.upper()}_ERROR",
            )
        after = replace(memory, status=status, status_since=now, status_reason=code)
        pairs.append((memory, after))
        events.append(deleted(after, was=memory.status, why=reason))
    return MemoryEdit(verb, tuple(pairs), tuple(events))


def supersede(
    old: Memory, new: Memory, known: Callable[[str], Memory | None], now: Instant,
    terms: Terms,
) -> MemoryEdit:  # fmt: skip
    """NEW, which there is, replaces OLD: linked both ways, and no longer in dispute.

    `known` gives a memory by its id. Where NEW had once been replaced on the way to OLD, and was
    restored, those links go: what replaces a memory is never replaced by it.
    """
    if old.id == new.id:
        raise BadInput(f"{old.id} cannot replace itself", "name the old memory, then the new one")
    _live(old, "superseded")
    _live(new, "put in its place")
    after = _in_place_of(held(new, now, terms), [old])
    claimants = _claimants(old, new.id, known)
    before = [old, new, *claimants]
    over = _replaced(old, after, now, "by_hand")
    unclaimed = [_without_claim(one, new.id) for one in claimants]
    events = (*_superseded(old, new, "by_hand"), _confirmed(new))
    return MemoryEdit("supersede", _changed(before, [over, after, *unclaimed]), events)


def resolve(
    memory: Memory,
    others: Sequence[Memory],
    now: Instant,
    terms: Terms,
    left: Sequence[str] = (),
) -> MemoryEdit:
    """MEMORY holds, and replaces `others`, which are linked to it by the `conflicts` of either.

    `left` are those in its `conflicts` that are to be settled another time; all else goes.
    """
    _in_dispute(memory, others)
    losers = [other for other in others if other.live]
    winner = _in_place_of(held(memory, now, terms), losers)
    after = [replace(winner, conflicts=tuple(left))]
    for other in others:
        over = other.live and _replaced(other, winner, now, "resolved")
        after.append(over or _peaceful(other, memory.id))
    events = [_confirmed(memory)]
    for loser in losers:
        events += _superseded(loser, memory, "resolved")
    return MemoryEdit("resolve", _changed([memory, *others], after), tuple(events))


def reconcile(
    memory: Memory,
    others: Sequence[Memory],
    now: Instant,
    terms: Terms,
    left: Sequence[str] = (),
) -> MemoryEdit:
    """They do not contradict each other: both hold, and nobody is to raise it again.

    One that stands against a third as well (`left`) is active only when that is settled too.
    """
    _in_dispute(memory, others)
    sides = [other.id for other in others if other.live]
    after = [_reconciled(replace(memory, conflicts=tuple(left)), sides, now, terms)]
    for other in others:
        quiet = _peaceful(other, memory.id)
        after.append(_reconciled(quiet, [memory.id], now, terms) if other.live else quiet)
    events = [_settled(memory, sides), *(_settled(one, [memory.id]) for one in others if one.live)]
    return MemoryEdit("resolve", _changed([memory, *others], after), tuple(events))


def dispute(
    memory: Memory, others: Sequence[Memory], only: Memory | None
) -> tuple[list[Memory], tuple[str, ...]]:
    """Those that a memory is settled with, and those in its `conflicts` that are left for later.

    `only` is the one that is meant, if not all are. Raises BadInput when it is none of them.
    """
    if only is None:
        return list(others), ()
    meant = [other for other in others if other.id == only.id]
    if not meant:
        raise BadInput(
            f"{memory.id} does not contradict {only.id}",
            f"`engram links {memory.id}` tells",
        )
    return meant, tuple(name for name in memory.conflicts if name != only.id)


# -- what decisions are made of -------------------------------------------------------------------


def held(memory: Memory, now: Instant, terms: Terms) -> Memory:
    """A memory that the person vouches for."""
    theirs = authority_rank(memory.authority) < authority_rank("user_asserted")
    after = replace(
        memory,
        status="active",
        status_since="",
        status_reason="",
        superseded_by=(),
        confidence=max(memory.confidence, VOUCHED),
        authority="user_asserted" if theirs else memory.authority,
    )
    return replace(after, expires=renewed(memory, after, now, terms))


def _reconciled(memory: Memory, others: Sequence[str], now: Instant, terms: Terms) -> Memory:
    return at_peace(memory if memory.conflicts else held(memory, now, terms), others)


def _each(memories: Iterable[Memory]) -> list[Memory]:
    """Each memory once: a person may name one twice."""
    return list({memory.id: memory for memory in memories}.values())


def _live(memory: Memory, verb: str) -> Memory:
    if not memory.live:
        raise BadInput(
            f"{memory.id} is {memory.status}: it cannot be {verb}",
            f"`engram restore {memory.id}` brings it back",
        )
    return memory


def _in_dispute(memory: Memory, others: Sequence[Memory]) -> None:
    _live(memory, "resolved")
    if not (others or memory.conflicts):
        raise BadInput(f"nothing contradicts {memory.id}", "`engram review` shows what waits")


def _in_place_of(memory: Memory, losers: Sequence[Memory]) -> Memory:
    """A memory that names those which it replaces, and is in dispute with none of them."""
    names = [loser.id for loser in losers]
    return replace(
        memory,
        supersedes=tuple(dict.fromkeys((*memory.supersedes, *names))),
        conflicts=tuple(name for name in memory.conflicts if name not in names),
    )


def _replaced(old: Memory, by: Memory, now: Instant, code: str) -> Memory:
    """What is replaced, claiming no longer to have replaced or to contradict what replaces it."""
    return superseded(_without_claim(_peaceful(old, by.id), by.id), by, code, now)


def _peaceful(memory: Memory, other: str) -> Memory:
    return replace(memory, conflicts=tuple(name for name in memory.conflicts if name != other))


def _without_claim(memory: Memory, other: str) -> Memory:
    return replace(memory, supersedes=tuple(name for name in memory.supersedes if name != other))


def _claimants(
    old: Memory, new: str, known: Callable[[str], Memory | None]
) -> list[Memory]:  # fmt: skip
    """Those that OLD replaced, over any number of steps, and that say they replaced NEW."""
    found: dict[str, Memory] = {}
    waiting = list(old.supersedes)
    while waiting:
        name = waiting.pop()
        memory = known(name) if name not in found and name not in (old.id, new) else None
        if memory is not None:
            found[name] = memory
            waiting += memory.supersedes
    return [memory for _, memory in sorted(found.items()) if new in memory.supersedes]


def _changed(
    before: Sequence[Memory], after: Sequence[Memory]
) -> tuple[tuple[Memory, Memory], ...]:  # fmt: skip
    return tuple((old, new) for old, new in zip(before, after, strict=True) if old != new)


def _confirmed(memory: Memory) -> Event:
    return Event("memory_confirmed", memory.id, (("by", "person"), ("was", memory.status)))


def _superseded(old: Memory, by: Memory, code: str) -> tuple[Event, Event]:
    """The person's word between two memories is a correction of the one that leaves."""
    gone = deleted(old, "superseded", replaced_by=by.id, code=code)
    return conflict(old.id, by.id, "correction"), gone


def _settled(memory: Memory, others: Sequence[str]) -> Event:
    return Event("contradiction_settled", memory.id, (("with", " ".join(others)),))
