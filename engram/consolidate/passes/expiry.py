"""Expiry pass: memories whose `expires` day has come -> expired, or put into review.

    confidence below .40 (speculative)                  -> expired, `unconfirmed` (seed 003)
    decision, preference, principle, schema constraint  -> needs-review, `stale` (design 5.12)
    the rest                                            -> expired, `ttl`

`expires` is written at birth and renewed by every confirmation: a speculative memory that a later
extraction confirmed has a later day, or is no longer speculative. The memory expires on that very
day. Commitments and debts have a pass of their own (`commitments`). Who removes `expires` keeps the
memory for ever; what waits for review already is not asked about twice.
"""

from __future__ import annotations

from engram.consolidate.context import PassContext
from engram.consolidate.passes.commitments import is_commitment
from engram.consolidate.passes.end_of_life import ended
from engram.model.memory import (
    Memory,
    confidence_tier,
    is_reviewed_when_due,
    speculative_days,
)
from engram.model.step import Step

TASK = "expiry"


def plan(context: PassContext) -> list[Step]:
    """A step for every memory to expire, oldest first."""
    steps = (_step(context, memory) for memory in context.view.due(context.today))
    return [step for step in steps if step is not None]


def _step(context: PassContext, memory: Memory) -> Step | None:
    if is_commitment(memory):
        return None
    if (days := speculative_days(memory.confidence)) is not None:
        why = f"{confidence_tier(memory.confidence)}, and not confirmed within {days} days"
        return ended(context, TASK, memory, "expired", "unconfirmed", why)
    if not is_reviewed_when_due(memory):
        why = f"its time was up on {memory.expires}"
        return ended(context, TASK, memory, "expired", "ttl", why)
    if memory.status != "active":
        return None
    why = f"does it still hold? Not heard of again until {memory.expires}"
    return ended(context, TASK, memory, "needs-review", "stale", why)
