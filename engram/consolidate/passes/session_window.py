"""Session pass: of each project the newest `records.sessions` records of sessions stay active.

    older than these  -> retired, `session_window`; the file stays, `gc` moves it later

The order is by `created`, then by id. What of a session that goes stands in no other live memory of
the project is counted in the step's reason and told the person who looks on; it goes all the same
(seed 001), and `engram review` offers what was left to be done. What waits for the person's review
is neither counted nor ended. A session that the person brought back stays beside the others: the
header's `left_window` remembers the day on which it went.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from engram.consolidate.context import PassContext
from engram.consolidate.session_guard import UnheldItem, said_in, unheld
from engram.model.instant import Instant, day_of
from engram.model.memory import SESSION, Memory
from engram.model.step import Step

TASK = "sessions"
#: the code in the header's `status_reason`
REASON = "session_window"
#: the header key with the day on which a session left the window
_LEFT = "left_window"
#: a field's name as a person reads it
_SAID = {"completed": "completed", "blockers": "blocker", "next_actions": "next action"}


def plan(context: PassContext) -> list[Step]:
    """A step for every session that is beyond its project's window, oldest first."""
    if context.changed is not None and not context.changed:
        return []
    projects: defaultdict[str, list[Memory]] = defaultdict(list)
    for memory in context.view.records(SESSION):
        projects[memory.project].append(memory)
    most = context.settings.records.sessions
    going = [one for sessions in projects.values() for one in beyond_window(sessions, most)]
    if not going:
        return []
    gone = {memory.id for memory in going}
    staying = [memory for memory in context.view.live() if memory.id not in gone]
    said = {name: said_in(name, staying) for name in {memory.project for memory in going}}
    return [
        _step(context, memory, most, unheld(memory, said[memory.project]))
        for memory in sorted(going, key=_age)
    ]


def beyond_window(sessions: Iterable[Memory], most: int) -> list[Memory]:
    """Of the sessions of one project the active ones beyond the newest `most`, oldest first.

    Those that the person brought back are left out.
    """
    active = [one for one in sessions if one.status == "active" and _LEFT not in one.extras]
    active.sort(key=_age)
    return active[: max(len(active) - most, 0)]


def left_window(memory: Memory, now: Instant) -> Memory:
    """A session as it is once it has left the window."""
    mark = (_LEFT, day_of(now))
    return replace(
        memory, status="retired", status_since=now, status_reason=REASON,
        extra=(*(pair for pair in memory.extra if pair[0] != _LEFT), mark),
    )  # fmt: skip


def warning_of(items: Iterable[UnheldItem]) -> tuple[str, ...]:
    """What is said nowhere else, a line for each item, for a person."""
    return tuple(f"{_SAID[item.field]}: {item.text}" for item in items)


def _age(memory: Memory) -> tuple[Instant, str]:
    return memory.created, memory.id


def _step(context: PassContext, memory: Memory, most: int, alone: list[UnheldItem]) -> Step:
    why = f"{most} newer sessions of its project are active"
    if alone:
        things = "item stands" if len(alone) == 1 else "items stand"
        why += f"; {len(alone)} {things} in no other memory"
    if any(item.is_open for item in alone):
        why += ", `engram review` offers what is open"
    pair = (memory, left_window(memory, context.now))
    return Step(TASK, "retire", (memory.id,), why, amended=(pair,), notes=warning_of(alone))
