"""Promotion: may a memory leave its space for another one? (seed 002)

    policy, session -> project, decision, user_asserted  ->  allowed
                                     a pair without rule  ->  promotion_disallowed
                                 an event type not listed  ->  promotion_event_type
                                    on too little a word   ->  promotion_authority

A pair of spaces without a rule is refused to everybody. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from engram.model.authority import authority_rank

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.model.policy import Policy

PromotionCode = Literal[
    "allowed", "promotion_disallowed", "promotion_event_type", "promotion_authority"
]
#: header keys of a memory that left another space: the item it was there, and why
PROMOTED_FROM, PROMOTION_REASON = "promoted_from", "promotion_reason"
#: header key of a memory for which that was asked, and which waits for the person: the space
PROMOTION_TARGET = "promotion_target"
#: header key of a moment of which the policy lets no fact be made: the code
FACT_DENIED = "fact_denied"
#: what became of a promotion: it was done, and it was done before
ALLOWED, ALREADY = "allowed", "already"
#: the target's memory stands against it
PROMOTION_CONFLICT = "promotion_conflict"
#: the code of an error that says why nothing was promoted
PROMOTION_ERROR = "PROMOTION_ERROR"
#: the reason where a person asked by hand
BY_HAND = "by_hand"
#: and where an agent did, which waits for the person
BY_AGENT = "by_agent"
#: what begins the reason where the words of a conversation asked
HINT = "hint:"
#: the authority of what the person says: enough for a decision where the rule lets it decide
PERSONS_WORD = "user_asserted"


def waits_for(memory: Memory) -> str:
    """The space that was asked for a memory in use and that the person may yet allow, else ''."""
    target = memory.extras.get(PROMOTION_TARGET, "")
    return target if memory.live and target != memory.space else ""


class SpaceWish(NamedTuple):
    """A space that the person asked for in words, and the code of these (`hint:...`)."""

    space: str
    code: str


def has_rule(policy: Policy, from_space: str, to_space: str) -> bool:
    """Whether anything may leave a space for another one, on whatever word."""
    pair = from_space, to_space
    return any((one.from_space, one.to_space) == pair for one in policy.promotions)


def promotion_code(
    policy: Policy, from_space: str, to_space: str, event_type: str, authority: str
) -> PromotionCode:
    """`allowed`, or why not; `authority` is that of the memory, or of the person who asks."""
    pair = from_space, to_space
    rule = next((one for one in policy.promotions if (one.from_space, one.to_space) == pair), None)
    if rule is None:
        return "promotion_disallowed"
    if rule.event_types and event_type not in rule.event_types:
        return "promotion_event_type"
    least = rule.min_authority
    if rule.decision_override and event_type == "decision":
        least = min(least, PERSONS_WORD, key=authority_rank)
    return (
        "allowed" if authority_rank(authority) >= authority_rank(least) else "promotion_authority"
    )
