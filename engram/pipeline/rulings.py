"""What a person decides about memories: what holds, what is over, and what replaces what.

Memories in, a Ruling out: the memories as they were and as they shall be, with their events; the
ledger makes one transaction of it. Pure, and a person may do what no pass may: neither authority
nor age stands in the way. Refuses (BadInput) what is in no state to be decided about, and what
would make a circle. Nothing is deleted: every file stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from engram.admit.retention import renewed
from engram.model.change import Event, Plan
from engram.model.errors import BadInput
from engram.model.instant import Instant
from engram.model.memory import Memory, authority_rank
from engram.model.ports import Writer
from engram.model.settings import RetentionSettings
from engram.model.standing import at_peace
from engram.model.succession import superseded

#: what a person vouches for is explicit (seed 003)
_SURE = 0.95


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision: the verb, `(before, after)` of each memory it concerns, what the log says."""

    verb: str
    pairs: tuple[tuple[Memory, Memory], ...]
    events: tuple[Event, ...]

    def plan(self, writer: Writer) -> Plan:
        """The decision as one transaction."""
        return Plan(self.verb, tuple(writer.changes([], self.pairs)), self.events)


def confirm(memories: Sequence[Memory], now: Instant, retention: RetentionSettings) -> Ruling:
    """The person says that these hold: active, explicit, theirs, and their time starts anew.

    A dispute stays one: that this holds does not say that the other does not (`resolve`).
    """
    pairs = tuple((_live(one, "confirmed"), held(one, now, retention)) for one in _each(memories))
    return Ruling("confirm", pairs, tuple(_confirmed(before) for before, _ in pairs))


def retire(memories: Sequence[Memory], reason: str, now: Instant) -> Ruling:
    """Out of use for good; unlike what is forgotten, the turns it came from stay searchable."""
    return _end(memories, "retire", "retired", "retired", reason, now)


def archive(memories: Sequence[Memory], now: Instant) -> Ruling:
    """Out of the way: the files move to the archive."""
    return _end(memories, "archive", "archived", "by_hand", "", now)


def _end(
    memories: Sequence[Memory], verb: str, status: str, code: str, reason: str, now: Instant
) -> Ruling:
    pairs, events = [], []
    for memory in _each(memories):
        if memory.status == status:
            raise BadInput(f"{memory.id} is {status} already", "`engram restore` brings it back")
        if memory.status == "retired":  # its turns may be hidden, and would be found again
            raise BadInput(
                f"{memory.id} is retired: restore it first", f"`engram restore {memory.id}`"
            )
        after = replace(memory, status=status, status_since=now, status_reason=code)
        details = (("reason", reason or code), ("was", memory.status))
        pairs.append((memory, after))
        events.append(Event(f"memory_{status}", memory.id, details))
    return Ruling(verb, tuple(pairs), tuple(events))


def supersede(
    old: Memory, new: Memory, known: Callable[[str], Memory | None], now: Instant,
    retention: RetentionSettings,
) -> Ruling:  # fmt: skip
    """NEW, which there is, replaces OLD: linked both ways, and no longer in dispute.

    `known` gives a memory by its id. Where NEW had once been replaced on the way to OLD, and was
    restored, those links go: what replaces a memory is never replaced by it.
    """
    if old.id == new.id:
        raise BadInput(f"{old.id} cannot replace itself", "name the old memory, then the new one")
    _live(old, "superseded")
    _live(new, "put in its place")
    after = _in_place_of(held(new, now, retention), [old])
    claimants = _claimants(old, new.id, known)
    before = [old, new, *claimants]
    over = _replaced(old, after, now, "by_hand")
    unclaimed = [_without_claim(one, new.id) for one in claimants]
    events = (_superseded(old, new, "by_hand"), _confirmed(new))
    return Ruling("supersede", _changed(before, [over, after, *unclaimed]), events)


def resolve(
    memory: Memory,
    others: Sequence[Memory],
    now: Instant,
    retention: RetentionSettings,
    left: Sequence[str] = (),
) -> Ruling:
    """MEMORY holds, and replaces `others`, which are linked to it by the `conflicts` of either.

    `left` are those in its `conflicts` that are to be settled another time; all else goes.
    """
    _in_dispute(memory, others)
    losers = [other for other in others if other.live]
    winner = _in_place_of(held(memory, now, retention), losers)
    after = [replace(winner, conflicts=tuple(left))]
    for other in others:
        over = other.live and _replaced(other, winner, now, "resolved")
        after.append(over or _peaceful(other, memory.id))
    events = [_confirmed(memory), *(_superseded(loser, memory, "resolved") for loser in losers)]
    return Ruling("resolve", _changed([memory, *others], after), tuple(events))


def reconcile(
    memory: Memory,
    others: Sequence[Memory],
    now: Instant,
    retention: RetentionSettings,
    left: Sequence[str] = (),
) -> Ruling:
    """They do not contradict each other: both hold, and nobody is to raise it again.

    One that stands against a third as well (`left`) is active only when that is settled too.
    """
    _in_dispute(memory, others)
    sides = [other.id for other in others if other.live]
    after = [_reconciled(replace(memory, conflicts=tuple(left)), sides, now, retention)]
    for other in others:
        quiet = _peaceful(other, memory.id)
        after.append(_reconciled(quiet, [memory.id], now, retention) if other.live else quiet)
    events = [_settled(memory, sides), *(_settled(one, [memory.id]) for one in others if one.live)]
    return Ruling("resolve", _changed([memory, *others], after), tuple(events))


# -- what decisions are made of -------------------------------------------------------------------


def held(memory: Memory, now: Instant, retention: RetentionSettings) -> Memory:
    """A memory that the person vouches for."""
    theirs = authority_rank(memory.authority) < authority_rank("user_asserted")
    after = replace(
        memory,
        status="active",
        status_since="",
        status_reason="",
        superseded_by=(),
        confidence=max(memory.confidence, _SURE),
        authority="user_asserted" if theirs else memory.authority,
    )
    return replace(after, expires=renewed(memory, after, now, retention))


def _reconciled(
    memory: Memory, others: Sequence[str], now: Instant, retention: RetentionSettings
) -> Memory:
    return at_peace(memory if memory.conflicts else held(memory, now, retention), others)


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


def _superseded(old: Memory, by: Memory, code: str) -> Event:
    return Event("memory_superseded", old.id, (("by", by.id), ("code", code)))


def _settled(memory: Memory, others: Sequence[str]) -> Event:
    return Event("contradiction_settled", memory.id, (("with", " ".join(others)),))
