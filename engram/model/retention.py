"""How long a memory lives: the TTL by type or category, and 30 days for speculation.

Source: seed 000 (14, 180, 365 days by type), seed 003 (speculative memories), design 4.1: counted
from the later of `created` and admission.
"""

from __future__ import annotations

from engram.model.instant import Day, Instant, day_of, plus_days
from engram.model.memory import Memory, memory_type, speculative_days
from engram.model.settings import RetentionSettings


def expiry(memory: Memory, now: Instant, retention: RetentionSettings) -> Day:
    """The day on which a memory admitted (or confirmed) now expires; '' for never (0 days)."""
    table = dict(retention.days)
    kind = memory_type(memory.category, memory.schema)
    days = table.get(memory.schema, table.get(memory.category, table.get(kind, 0)))
    brief = speculative_days(memory.confidence)
    if brief is not None:
        days = min(days, brief) if days else brief
    return plus_days(max(memory.created, now), days) if days else ""


def renewed(before: Memory, after: Memory, now: Instant, retention: RetentionSettings) -> Day:
    """The day on which a memory that proved its use expires: never sooner than before.

    One without such a day keeps none: a person who took it away wants the memory for ever.
    """
    if not before.expires:
        return ""
    fresh = expiry(after, now, retention)
    if fresh:
        return max(before.expires, fresh)
    # by the table it lives for ever: only the doubt, or an end that is past, had set a day
    doubted = speculative_days(before.confidence) is not None
    return "" if doubted or before.expires <= day_of(now) else before.expires
