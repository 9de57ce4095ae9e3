"""Write policy: a policy and what is to be written -> whether it may be, step by step (seed 002).

    "my password is 123"  ->  denied by privacy: privacy_deny_sensitive, marker:password

The steps are those of `model/write_rules`; here are the one that reads texts, privacy, and all of
them in order. Whatever a policy says, what the redactor knows is never written (design 1.6).
Nothing here stores or returns a text: a denial names its rule. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

from engram.admit.secret_rule import redactor_rule, secret_rule
from engram.model.candidate import Candidate
from engram.model.item import event_type_of, kind_of
from engram.model.memory import SESSION
from engram.model.policy import Policy
from engram.model.write_rules import (
    AFTER_PRIVACY,
    BY_PRIVACY,
    Attempt,
    PolicyStep,
    border,
    is_low_signal,
    tags_in,
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a policy says of an attempt: the steps up to the first that denies."""

    steps: tuple[PolicyStep, ...]

    @property
    def allowed(self) -> bool:
        """Whether every step passed."""
        return all(one.passed for one in self.steps)

    @property
    def reason(self) -> str:
        """`allowed`, or the code of the step that denies."""
        return "allowed" if self.allowed else self.steps[-1].said

    @property
    def rule(self) -> str:
        """The name of the rule that denies, without its words; else ''."""
        return self.steps[-1].rule if self.steps else ""

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the steps that passed, in their order."""
        return tags_in(list(self.steps))


def evaluate_write(
    policy: Policy, attempt: Attempt, texts: Sequence[str], clean: Callable[[str], bool]
) -> Evaluation:
    """All steps in order, up to the first that denies.

    `texts` is all that would be written, and for a profile item all that was said; `clean` tells
    whether the redactor would leave a text.
    """
    own = policy.of_space(attempt.space)
    steps = [border(policy, attempt)]
    if steps[-1].passed:
        steps.append(privacy(own, attempt, texts, clean))
    for step in AFTER_PRIVACY:
        if not steps[-1].passed:
            break
        steps.append(step(own, attempt))
    return Evaluation(tuple(steps))


def attempt_of(candidate: Candidate) -> Attempt:
    """A candidate as a policy sees it."""
    # the record of a stored conversation is told by its kind: it has no schema before it is written
    record = SESSION if candidate.kind == "episode" and candidate.rule == "record" else ""
    schema = candidate.schema or record
    return Attempt(
        candidate.space, kind_of(candidate.slot), event_type_of(candidate.category, schema),
        candidate.slot, candidate.origin == "person", schema == SESSION,
        is_low_signal(candidate.text),
    )  # fmt: skip


def privacy(
    policy: Policy, attempt: Attempt, texts: Sequence[str], clean: Callable[[str], bool]
) -> PolicyStep:
    """Secrets, the patterns that a policy denies, and the keys of a profile that it allows."""
    find = secret_rule if policy.deny_sensitive else redactor_rule
    if rule := next(filter(None, (find(text, clean) for text in texts)), ""):
        return PolicyStep("privacy", False, "privacy_deny_sensitive", rule)
    spelled = tuple(map(_spelled, texts)) if policy.deny_patterns else ()
    for number, pattern in enumerate(_compiled(policy.deny_patterns), 1):
        if any(map(pattern.search, spelled)):
            return PolicyStep("privacy", False, "privacy_deny_pattern", f"pattern:{number}")
    keys = policy.allow_profile_keys
    if attempt.kind == "profile" and keys and not _is_among(attempt.key, keys):
        return PolicyStep("privacy", False, "privacy_deny_profile_key", "profile-key")
    return PolicyStep("privacy", True, BY_PRIVACY)


def _is_among(key: str, allowed: Sequence[str]) -> bool:
    """A policy names a slot (`user::editor`), or its attribute alone (`editor`)."""
    return key in allowed or key.rpartition("::")[2] in allowed


@lru_cache(maxsize=32)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Literal texts at word boundaries, in any case; a blank is any blank, `-` or `_`.

    An underscore ends a word: `password` is found in `DB_PASSWORD`, `token` not in `tokenization`.
    """
    words = (_spelled(pattern).split() for pattern in patterns)
    spelled = (r"[\s_-]+".join(map(re.escape, one)) for one in words)
    return tuple(re.compile(rf"(?<![^\W_])(?:{one})(?![^\W_])") for one in spelled if one)


def _spelled(text: str) -> str:
    """A text as it is compared: an accent may be a sign of its own, and a letter be wide."""
    return normalize("NFKC", normalize("NFKC", text).casefold())
