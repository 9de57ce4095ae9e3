"""Ending: what its policy or its session ends -> one transaction, which says so (seed 002).

    ticks                     of the session in session space, of the vault elsewhere; where a
                              policy states them
    the session               ended, as its agent says, or nothing was said for 24 hours
    `expires` of a session's  its day has come, where a person wrote one

All that is forgotten is named before any of it is deleted; the files stay, as `expired`. A session
that its agent ended, and that goes on within 24 hours, has its memories back. Where there is
nothing to do, nothing is locked or written. Days elsewhere are the matter of consolidation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from engram.model.change import Event, Plan
from engram.model.instant import day_of, minutes_between
from engram.model.memory import SESSION, SESSION_HOURS, SPACES, Memory, is_silent
from engram.model.policy import Policy
from engram.model.retention import Over, is_over, rule_of
from engram.model.trace import deleted, forgetting
from engram.pipeline.ports import Ports
from engram.pipeline.session_closing import close_silent
from engram.pipeline.writing import writing

#: status reasons of what ended with its session: its agent said so, or nobody spoke
ENDED, SILENT = "session_ended", "session_silent"


def end_silent(ports: Ports, heard: Iterable[str] = ()) -> None:
    """Put conversations that fell silent on record, then end what is over."""
    close_silent(ports)
    end_over(ports, heard)


class EndedMemory(NamedTuple):
    """A memory that is over: why by its policy, and the status reason of its file."""

    memory: Memory
    why: Over
    reason: str


def end_over(ports: Ports, heard: Iterable[str] = (), ended: Collection[str] = ()) -> int:
    """End what is over, and bring back what went on; returns how many memories.

    `heard` are conversations in which more was said, `ended` those that an agent says are over.
    """
    names = list(heard)
    if not (_over(ports, ended) or _gone_on(ports, names)):
        return 0
    with writing(ports):
        over, back = _over(ports, ended), _gone_on(ports, names)
        now = ports.clock.now()
        after = [
            replace(one.memory, status="expired", status_since=now, status_reason=one.reason)
            for one in over
        ]
        after += [replace(one, status="active", status_since="", status_reason="") for one in back]
        before = [*(one.memory for one in over), *back]
        changes = ports.writer.changes([], list(zip(before, after, strict=True)))
        events = (
            *(Event("memory_restored", one.id, (("was", one.status),)) for one in back),
            *(forgetting(one.memory, one.why or "decay") for one in over),
            *(deleted(one) for one in after[: len(over)]),
        )
        if events:
            ports.committer.commit(Plan("expire", tuple(changes), events))
        return len(before)


def _over(ports: Ports, ended: Collection[str]) -> list[EndedMemory]:
    """What is over now, oldest first."""
    policy, ages = ports.terms.policy, ports.ages
    counted = [one for one in SPACES if one != SESSION and _counts(policy.of_space(one))]
    known = [*ages.of_sessions(), *(ages.live(counted) if counted else ())]
    found = (_ending(memory, ports, ended) for memory in known)
    return [one for one in found if one is not None]


def _counts(policy: Policy) -> bool:
    """Whether any rule states ticks."""
    return any(rule.ticks for rule in policy.retention.values())


def _ending(memory: Memory, ports: Ports, ended: Collection[str]) -> EndedMemory | None:
    rule, now = rule_of(memory, ports.terms.policy), ports.clock.now()
    if rule.ticks is not None:
        age = ports.ages.ticks(memory, renews=rule.mode == "decay")
        if age is not None and (why := is_over(rule, 0, age)):
            return EndedMemory(memory, why, why)
    if memory.space != SESSION:
        return None
    why = "ttl_expired" if rule.mode == "ttl" else "decay"
    if memory.conversation in ended:
        return EndedMemory(memory, why, ENDED)
    if is_silent(ports.ages.last_heard(memory), now):
        return EndedMemory(memory, why, SILENT)
    return EndedMemory(memory, why, why) if "" < memory.expires <= day_of(now) else None


def _gone_on(ports: Ports, heard: Collection[str]) -> list[Memory]:
    """What ended with conversations that went on soon after."""
    found = []
    for memory in ports.ages.ended(heard, ENDED) if heard else ():
        last = ports.ages.last_turn(memory.conversation)
        minutes = minutes_between(memory.status_since, last) if last else 0.0
        if 0 < minutes < SESSION_HOURS * 60:
            found.append(memory)
    return found
