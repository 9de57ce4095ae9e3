"""Write rules: a policy and an item that is to be written -> the steps that it passes (seed 002).

    border -> privacy -> write policy -> event types -> promotion by kind -> low signal

Each step passes, with a tag or without one, or denies with a stable code. Privacy reads texts and
is asked by `admit/gate/write_policy`; all else follows from the policy and the item's kind, so that
the tags of an admitted item need not be stored (`tags_of`). What the person asks for by hand is
their promotion: it crosses the border, the write policy and the rule of its kind, if the policy
lets anything leave a session for that space. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from engram.model.item import Kind
from engram.model.policy import Policy
from engram.model.text import normalise

StepName = Literal["border", "privacy", "write_policy", "event_types", "promotion", "low_signal"]
#: tags of the seed, and the one for what a person asked for
BY_PRIVACY, BY_EVENT_TYPES = "allowed_by:privacy", "allowed_by:policy_event_types"
BY_PROMOTION, BY_HAND = "allowed_by:promotion_rule", "allowed_by:by_hand"
_BY_WRITE_POLICY = "allowed_by:write_policy:"
#: what the write policy `minimal` keeps
_MINIMAL = frozenset({"fact", "preference", "decision", "correction"})
_LOW_SIGNAL = frozenset(
    ["ok", "okay", "thanks", "thank you", "hello", "hi", "hey", "cool", "great"]
)


#: none of them is as long, with whatever signs around it
_SHORT = 40


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is to be written, as a policy sees it.

    `key` is the slot of a profile item. `by_hand`: the person asked for it. `session_record`: the
    record of a conversation, whose own setting says whether there is one; the write policy
    `normal`, which leaves out what is too slight, does not speak of it.
    """

    space: str
    kind: Kind
    event_type: str
    key: str = ""
    by_hand: bool = False
    session_record: bool = False
    low_signal: bool = False


class PolicyStep(NamedTuple):
    """One step: `said` is its tag where it passed (or ''), its code where it did not.

    `rule` names what denied (`marker:password`, `pattern:3`), never its words.
    """

    name: StepName
    passed: bool
    said: str = ""
    rule: str = ""


def read_border(policy: Policy, space: str) -> str:
    """`allowed`, or `space_disabled` for a space that is not read."""
    return "allowed" if space in policy.read_order else "space_disabled"


def write_border(policy: Policy, space: str) -> str:
    """`allowed`, or `write_space_disallowed` for a space that nothing is written to unasked."""
    return "allowed" if space in policy.write_spaces else "write_space_disallowed"


def border(policy: Policy, attempt: Attempt) -> PolicyStep:
    """Whether the item may be written to its space; `policy` is that of the whole vault."""
    code = write_border(policy, attempt.space)
    if code == "allowed":
        return PolicyStep("border", True)
    # a pair of spaces without a rule is refused to everybody
    leaves = any(
        (one.from_space, one.to_space) == ("session", attempt.space) for one in policy.promotions
    )
    if attempt.by_hand and leaves:
        return PolicyStep("border", True, BY_HAND)
    return PolicyStep("border", False, code)


def write_policy(policy: Policy, attempt: Attempt) -> PolicyStep:
    """What the write policy of a space says of a kind and an event type."""
    if attempt.kind == "short_term":
        return PolicyStep("write_policy", True)
    chosen, code = policy.write_policy, ""
    if chosen == "none":
        code = "write_policy_none"
    elif chosen == "minimal" and attempt.event_type not in _MINIMAL:
        code = "write_policy_minimal"
    elif chosen == "normal" and attempt.kind == "semantic" and attempt.event_type == "context":
        code = "" if attempt.session_record else "write_policy_context"
    if code and attempt.by_hand:
        return PolicyStep("write_policy", True, BY_HAND)
    return PolicyStep("write_policy", not code, code or _BY_WRITE_POLICY + chosen)


def event_types(policy: Policy, attempt: Attempt) -> PolicyStep:
    """The lists of event types: to deny beats to allow, and an empty list allows all."""
    allowed, denied = policy.allow_event_types, policy.deny_event_types
    kept = not allowed or attempt.event_type in allowed
    if not kept or attempt.event_type in denied:
        return PolicyStep("event_types", False, "policy_deny_event_type")
    return PolicyStep("event_types", True, BY_EVENT_TYPES if allowed or denied else "")


def promotion(policy: Policy, attempt: Attempt) -> PolicyStep:
    """Whether an item of a kind may be made of an event of this type."""
    types = policy.promotion.get(attempt.kind, ())
    if not types or attempt.event_type in types:
        return PolicyStep("promotion", True, BY_PROMOTION)
    if attempt.by_hand:
        return PolicyStep("promotion", True, BY_HAND)
    return PolicyStep("promotion", False, "policy_deny_promotion")


def low_signal(policy: Policy, attempt: Attempt) -> PolicyStep:
    """A greeting or a thank-you is no memory."""
    denied = attempt.low_signal and attempt.kind != "short_term"
    return PolicyStep("low_signal", not denied, "policy_low_signal" if denied else "")


def is_low_signal(text: str) -> bool:
    """Whether a text is nothing but one of nine greetings and acknowledgements."""
    short = len(text) < _SHORT
    return short and normalise(text).strip(" .!?,") in _LOW_SIGNAL


#: the steps behind privacy, in their order; each asks the policy of the item's space
AFTER_PRIVACY: tuple[Callable[[Policy, Attempt], PolicyStep], ...] = (
    write_policy, event_types, promotion, low_signal,
)  # fmt: skip


def tags_of(policy: Policy, attempt: Attempt) -> tuple[str, ...]:
    """The tags of an item that was admitted under a policy."""
    own = policy.of_space(attempt.space)
    passed = [border(policy, attempt), PolicyStep("privacy", True, BY_PRIVACY)]
    return tags_in([*passed, *(step(own, attempt) for step in AFTER_PRIVACY)])


def tags_in(steps: list[PolicyStep]) -> tuple[str, ...]:
    """The tags of the steps that passed, each once."""
    return tuple(dict.fromkeys(one.said for one in steps if one.passed and one.said))
