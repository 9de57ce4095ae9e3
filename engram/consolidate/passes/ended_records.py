"""Record pass: debts that are settled and constraints that hold no more leave the active set.

    tech_debt, `debt_state` resolved or wont_fix  -> archived, with that word as reason
    constraint, `in_effect: false`                -> archived, `not_in_effect`
    constraint, `until` a day that is past        -> expired, `until`
    any of these, and the person's own word       -> needs-review, with the same reason

A debt that is open or in progress never ends here (design 5.12), nor does a constraint until
something that is no day. A person is asked about one such end once, and what they brought back is
left alone: the header's `ended` remembers what it was about.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from engram.consolidate.context import PassContext
from engram.consolidate.passes.end_of_life import ended
from engram.model.authority import authority_rank
from engram.model.instant import Day
from engram.model.memory import Memory
from engram.model.step import Step

TASK = "records"
#: the header key that holds the end about which was asked, or for which it was put away
_ENDED = "ended"
#: states of a debt that is settled, and the words for a person
_SETTLED = {"resolved": "it is resolved", "wont_fix": "it will not be fixed"}


class _End(NamedTuple):
    """How a record ended: the status, the code, what is remembered, and words for a person."""

    status: str
    code: str
    mark: str
    why: str


def plan(context: PassContext) -> list[Step]:
    """A step for every record that is over, oldest first of each schema."""
    records = (
        *context.view.records("tech_debt"), *context.view.records("constraint"),
    )  # fmt: skip
    steps = (_step(context, memory) for memory in records if memory.status == "active")
    return [step for step in steps if step is not None]


def _step(context: PassContext, memory: Memory) -> Step | None:
    end = _debt(memory) if memory.schema == "tech_debt" else _constraint(memory, context.today)
    if end is None or memory.extras.get(_ENDED) == end.mark:
        return None
    mark = (_ENDED, end.mark)
    if authority_rank(memory.authority) >= authority_rank("user_asserted"):
        why = f"is it over? {end.why}"
        return ended(context, TASK, memory, "needs-review", end.code, why, mark)
    return ended(context, TASK, memory, end.status, end.code, end.why, mark)


def _debt(memory: Memory) -> _End | None:
    state = memory.extras.get("debt_state", "").strip()
    return _End("archived", state, state, _SETTLED[state]) if state in _SETTLED else None


def _constraint(memory: Memory, today: Day) -> _End | None:
    extras = memory.extras
    if extras.get("in_effect", "").strip().casefold() == "false":
        return _End("archived", "not_in_effect", "false", "it is not in effect any more")
    until = _day(extras.get("until", ""))
    if until and until < today:
        return _End("expired", "until", until, f"it held until {until}")
    return None


def _day(text: str) -> Day:
    """The day that a text is; empty when it is none."""
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        return ""
