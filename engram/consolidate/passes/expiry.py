"""Expiry pass: memories whose `expires` day has come -> expired, or put into review.

    confidence below .40 (speculative)                  -> expired, `unconfirmed` (seed 003)
    decision, preference, principle, schema constraint  -> needs-review, `stale` (design 5.12)
    the rest                                            -> expired, `ttl`

`expires` is written at birth and renewed by every confirmation: a speculative memory that a later
extraction confirmed has a later day, or is no longer speculative. The memory expires on that very
day. Commitments and debts have a pass of their own (`commitments`). Who removes `expires` keeps the
memory for ever; what waits for review already is not asked about twice. What the policy lets never
end loses the day that an older version gave it, before that comes: recall would leave it out.
"""

from __future__ import annotations

from dataclasses import replace

from engram.consolidate.context import PassContext
from engram.consolidate.passes.commitments import is_commitment
from engram.consolidate.passes.end_of_life import ended
from engram.model.instant import plus_days
from engram.model.memory import (
    Memory,
    confidence_tier,
    is_reviewed_when_due,
    speculative_days,
)
from engram.model.retention import rule_of
from engram.model.step import Step
from engram.model.trace import TTL_EXPIRED

TASK = "expiry"
#: days before its own that such a day is looked at
_AHEAD = 7


def plan(context: PassContext) -> list[Step]:
    """A step for every memory to expire, or that never does, oldest first."""
    soon = plus_days(context.today, _AHEAD)
    steps = (_step(context, memory) for memory in context.view.due(soon))
    return [step for step in steps if step is not None]


def _for_ever(memory: Memory) -> Step:
    why = "the policy lets it never end"
    return Step(TASK, "renew", (memory.id,), why, amended=((memory, replace(memory, expires="")),))


def _step(context: PassContext, memory: Memory) -> Step | None:
    rule = rule_of(memory, context.policy)
    if rule.mode == "never":
        return _for_ever(memory)
    if memory.expires > context.today or is_commitment(memory):
        return None
    if (days := speculative_days(memory.confidence)) is not None:
        why = f"{confidence_tier(memory.confidence)}, and not confirmed within {days} days"
        return ended(context, TASK, memory, "expired", "unconfirmed", why)
    if not is_reviewed_when_due(memory):
        why = f"its time was up on {memory.expires}"
        code = TTL_EXPIRED if rule.mode == "ttl" else "ttl"
        return ended(context, TASK, memory, "expired", code, why)
    if memory.status != "active":
        return None
    why = f"does it still hold? Not heard of again until {memory.expires}"
    return ended(context, TASK, memory, "needs-review", "stale", why)
