"""How long a memory lives: in days by its type, in ticks by a policy, or as long as its session.

    category, confidence, policy  ->  the day of `expires`, '' for none
    rule, age in ticks            ->  '' | ttl_expired | decay

Days are counted from the later of `created` and admission: the TTL by type or category, and 30 days
for speculation (seeds 000 and 003, design 4.1). The policy says whether a confirmation renews them,
and which memories never end. Ticks count where a rule states them; what belongs to a session ends
with it at the latest (seed 002). Pure.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from engram.model.instant import Day, Instant, day_of, plus_days
from engram.model.item import event_type_of
from engram.model.memory import (
    SESSION,
    Memory,
    kind_of,
    memory_type,
    speculative_days,
)
from engram.model.policy import Policy, RetentionRule
from engram.model.settings import RetentionSettings

#: why a memory is forgotten: its time is over, or nobody confirmed it in time
Over = Literal["", "ttl_expired", "decay"]


class Terms(NamedTuple):
    """How long memories live in a vault: the days of its settings, and its policy."""

    settings: RetentionSettings
    policy: Policy = Policy()


def rule_of(memory: Memory, policy: Policy) -> RetentionRule:
    """When the policy of its space lets a memory end."""
    event_type = event_type_of(memory.category, memory.schema)
    return policy.of_space(memory.space).ends(kind_of(memory.key), event_type)


def is_over(
    rule: RetentionRule, created_at: int, now: int, expires_at: int | None = None
) -> Over:  # fmt: skip
    """Why what was created, or renewed, at a tick is over at another one; '' while it is not.

    `ttl` ends at its last tick, which `expires_at` states where it was fixed before; `decay` after
    it. A rule without ticks ends nothing.
    """
    if rule.mode == "ttl":
        end = end_tick(rule, created_at) if expires_at is None else expires_at
        return "ttl_expired" if end is not None and now >= end else ""
    if rule.mode == "decay" and rule.ticks is not None:
        return "decay" if now - created_at > rule.ticks else ""
    return ""


def end_tick(rule: RetentionRule, created_at: int) -> int | None:
    """The tick at which `ttl` ends what was created at a tick; None where no tick is fixed."""
    if rule.mode != "ttl" or rule.ticks is None:
        return None
    return created_at + rule.ticks


def expiry(memory: Memory, now: Instant, terms: Terms) -> Day:
    """The day on which a memory admitted (or confirmed) now expires; '' for never (0 days).

    What belongs to a session has none: it ends with that.
    """
    if memory.space == SESSION or rule_of(memory, terms.policy).mode == "never":
        return ""
    table = dict(terms.settings.days)
    kind = memory_type(memory.category, memory.schema)
    days = table.get(memory.schema, table.get(memory.category, table.get(kind, 0)))
    brief = speculative_days(memory.confidence)
    if brief is not None:
        days = min(days, brief) if days else brief
    return plus_days(max(memory.created, now), days) if days else ""


def renewed(before: Memory, after: Memory, now: Instant, terms: Terms) -> Day:
    """The day on which a memory that proved its use expires: never sooner than before.

    One without such a day keeps none: a person who took it away wants the memory for ever. Under
    `ttl` it keeps its day, unless that is past: the person brings it back.
    """
    if not before.expires:
        return ""
    rule, today = rule_of(after, terms.policy), day_of(now)
    if rule.mode == "ttl" and before.expires > today:
        return before.expires
    fresh = expiry(after, now, terms)
    if fresh:
        return max(before.expires, fresh)
    # by the table it lives for ever: only the doubt, or an end that is past, had set a day
    doubted = speculative_days(before.confidence) is not None
    never = rule.mode == "never"
    return "" if never or doubted or before.expires <= today else before.expires
