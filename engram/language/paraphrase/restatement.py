"""Two memories -> whether one says again what the other says, so that one of them is enough.

Equal wording forms (`phrasing`) are not all: memories that differ in anything but wording stay
apart: another scope or category, a slot, a due date, the day of an event, the entity they are
about. Pure.
"""

from __future__ import annotations

from engram.language.paraphrase.phrasing import phrasing
from engram.language.past_events import tells_event
from engram.model.instant import Day, day_of
from engram.model.memory import Memory
from engram.model.text import normalise

#: categories whose statements may stand for each other; the others stand among themselves
_LASTING = frozenset({"fact", "preference", "principle", "entity", "relationship", "skill"})
#: scalars of the header that say what the text may not
_TELLING = ("due", "decision_state", "commitment_state", "outcome", "severity", "priority")


def restates(memory: Memory, other: Memory) -> bool:
    """Whether a memory says in other words what another one says; equal words have a hash."""
    if class_of(memory) != class_of(other) or not may_take(other, memory):
        return False
    form = phrasing(memory.text).form
    if not form or form != phrasing(other.text).form:
        return False
    return normalise(memory.text) != normalise(other.text)


def class_of(memory: Memory) -> tuple[str, ...]:
    """Scope, category, day of an event, end: only memories of one class say the same."""
    category = "" if memory.category in _LASTING else memory.category
    day = begins(memory) if tells_event(memory) else ""
    project = memory.project if memory.space == "project" else ""
    return (memory.space, project, day, category, memory.schema, memory.valid_until)


def may_take(survivor: Memory, loser: Memory) -> bool:
    """Whether one memory of a class may stand for another."""
    if loser.key not in ("", survivor.key) or survivor.id in loser.supersedes:
        return False
    if survivor.entities[:1] != loser.entities[:1] and survivor.entities and loser.entities:
        return False
    mine, theirs = survivor.extras, loser.extras
    return all(mine.get(name) == theirs.get(name) for name in _TELLING if name in theirs)


def begins(memory: Memory) -> Day:
    """The day on which its statement began to be true."""
    return memory.valid_from or day_of(memory.created)
