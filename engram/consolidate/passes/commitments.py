"""Commitment pass: promises and tasks that are overdue or stale are put into review.

    open, its due day is past          -> needs-review, `overdue`
    open, its `expires` has come       -> needs-review, `stale`
    done, kept, cancelled, and so on,
    and its `expires` has come         -> archived, with that word as reason

Source: seed 003 (commitment decay: 90 days unless refreshed), design 5.12, issue 6. `expires` of a
commitment is 90 days (`retention.days.commitment`) after it was said, admitted or last confirmed,
whichever is latest: a newer receipt renews it. Who removes `expires` keeps the memory for ever. A
person is asked about one due day once: the header's `overdue` remembers it, so that an answer is
not asked for again by the next run. Speculative ones are not asked about: they expire (`expiry`).
"""

from __future__ import annotations

from datetime import date

from engram.consolidate.context import PassContext
from engram.consolidate.passes.end_of_life import ended
from engram.model.instant import Day
from engram.model.memory import Memory, closed_as, speculative_days
from engram.model.step import Step

TASK = "commitments"
#: the header key that holds the due day about which a person was asked
_ASKED = "overdue"


def plan(context: PassContext) -> list[Step]:
    """A step for every commitment that is due; in the order of their ids."""
    steps = {memory.id: _stale(context, memory) for memory in context.view.due(context.today)}
    for memory in context.view.overdue(context.today):
        if (step := _overdue(context, memory)) is not None:
            steps[memory.id] = step
    return [step for _, step in sorted(steps.items()) if step is not None]


def is_commitment(memory: Memory) -> bool:
    """Whether this pass handles it: a promise or a debt that is not speculative."""
    return memory.category == "commitment" and speculative_days(memory.confidence) is None


def _stale(context: PassContext, memory: Memory) -> Step | None:
    if not is_commitment(memory):
        return None
    closed = closed_as(memory)
    if closed:
        why = f"{closed}, and not heard of again until {memory.expires}"
        return ended(context, TASK, memory, "archived", closed, why)
    if memory.status != "active":
        return None
    why = f"still open? Not heard of again until {memory.expires}"
    return ended(context, TASK, memory, "needs-review", "stale", why)


def _overdue(context: PassContext, memory: Memory) -> Step | None:
    due = _due(memory)
    if not due or not is_commitment(memory) or closed_as(memory):
        return None
    if not memory.expires or memory.extras.get(_ASKED) == due:
        return None
    why = f"was it done? It was due on {due}"
    return ended(context, TASK, memory, "needs-review", "overdue", why, (_ASKED, due))


def _due(memory: Memory) -> Day:
    """The header's due day; empty when it is no day."""
    try:
        return date.fromisoformat(memory.extras.get("due", "").strip()[:10]).isoformat()
    except ValueError:
        return ""
