"""Policy: what may be kept, by whom, for how long, and who is given it (seed 002).

Values only: `settings/policy_files` reads them, `admit` and `recall` obey them. Policies are no
settings: they have files of their own (`docs/contract.md`). A snapshot of each policy that decided
anything is kept under its `digest`.

A list of what is allowed allows all when it is empty, and nothing when it is `NOTHING`, which is
the name of no event type and no key: whoever looks for a name in a list need not know it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engram.model.authority import AUTHORITIES
from engram.model.given import PolicyRef
from engram.model.item import EVENT_TYPES
from engram.model.text import sha256_text

WritePolicy = Literal["none", "minimal", "normal", "aggressive"]
#: strictest first
WRITE_POLICIES: tuple[WritePolicy, ...] = ("none", "minimal", "normal", "aggressive")
Forgetting = Literal["never", "ttl", "decay"]
FORGETTING: tuple[Forgetting, ...] = ("never", "ttl", "decay")
#: a list that allows nothing
NOTHING = ("none",)
#: the row of `retention` for what has a slot, whatever its event type
PROFILE = "profile"
#: digits of a policy's digest
_DIGEST = 16
_IS_DIGEST = re.compile(rf"[0-9a-f]{{{_DIGEST}}}")


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """When an item ends: never, once, or unless it is renewed; `ticks` only where ticks count."""

    mode: Forgetting = "never"
    ticks: int | None = None


@dataclass(frozen=True, slots=True)
class PromotionRule:
    """What may leave one space for another; no event types means all of them."""

    from_space: str
    to_space: str
    event_types: tuple[str, ...] = ()
    min_authority: str = "user_asserted"
    #: a decision needs no more than the person's word
    decision_override: bool = False


@dataclass(frozen=True, slots=True)
class PhaseRules:
    """How phases count in recall."""

    enabled: bool = True
    mode: Literal["current_only", "current_plus_history"] = "current_plus_history"
    max_phases: int | None = None
    diff_enabled: bool = True


@dataclass(frozen=True, slots=True)
class Policy:
    """One policy; the names are those of seed 002, and of its trace.

    `promotion` says by kind of item which event types it may be made of, `retention` by event type,
    or `profile` for one value of a slot, when it ends: ask `ends`. `sources` is the most authority
    that what comes from a source may claim, by its name; of a source without a name, any.
    """

    preset: str = "vault"
    write_policy: WritePolicy = "normal"
    forget_policy: Forgetting = "decay"
    allow_event_types: tuple[str, ...] = ()
    deny_event_types: tuple[str, ...] = ()
    promotion: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    retention: Mapping[str, RetentionRule] = field(default_factory=dict)
    read_order: tuple[str, ...] = ("session", "user", "project", "system")
    write_spaces: tuple[str, ...] = ("session", "user", "project")
    promotions: tuple[PromotionRule, ...] = ()
    phase: PhaseRules = PhaseRules()
    deny_patterns: tuple[str, ...] = ()
    deny_sensitive: bool = True
    #: empty: every key
    allow_profile_keys: tuple[str, ...] = ()
    #: highest first
    authority_order: tuple[str, ...] = AUTHORITIES[::-1]
    sources: Mapping[str, str] = field(default_factory=dict)
    #: messages of a session that stand in its short-term memory as they were said
    short_term: int = 6
    #: what a `[space.NAME]` section says otherwise, as the policy that holds there
    spaces: Mapping[str, Policy] = field(default_factory=dict)

    def of_space(self, space: str) -> Policy:
        """The policy that holds in a space."""
        return self.spaces.get(space, self)

    def ends(self, kind: str, event_type: str) -> RetentionRule:
        """When an item of this policy's space ends; what no rule names by `forget_policy`.

        An event type that is none ends as `context` does; messages of a conversation leave by their
        number alone.
        """
        if kind == "short_term":
            return RetentionRule()
        known = event_type if event_type in EVENT_TYPES else "context"
        row = PROFILE if kind == PROFILE else known
        return self.retention.get(row, RetentionRule(self.forget_policy))

    @property
    def ref(self) -> PolicyRef:
        """What hooks are told of it."""
        phases = ((space, self.of_space(space).phase) for space in self.read_order)
        current = (space for space, one in phases if one.enabled and one.mode == "current_only")
        return PolicyRef(self.digest, self.read_order, tuple(current))

    @property
    def snapshot(self) -> Mapping[str, object]:
        """The policy as it stands in traces: plain data, sections of spaces in `space`."""
        row = _row(self)
        del row["spaces"]
        named = {name: dict(one.snapshot) for name, one in sorted(self.spaces.items())}
        return row | ({"space": named} if named else {})

    @property
    def digest(self) -> str:
        """16 hex digits of its content: what events name it by."""
        text = json.dumps(self.snapshot, sort_keys=True, separators=(",", ":"))
        return sha256_text(text)[:_DIGEST]


def _row(value: Policy | RetentionRule | PromotionRule | PhaseRules) -> dict[str, object]:
    """The fields of a value as plain data: `dataclasses.asdict` copies, which hooks would feel."""
    return {name: _plain(getattr(value, name)) for name in value.__slots__}


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return _row(value) if isinstance(value, RetentionRule | PromotionRule | PhaseRules) else value


def policy_of_snapshot(snapshot: Mapping[str, object]) -> Policy:
    """The policy of a snapshot as far as it says what may be written; else as by default.

    What is of another form, in a file that somebody changed, is left out.
    """
    chosen = snapshot.get("write_policy")
    kinds, sections = _table(snapshot.get("promotion")), _table(snapshot.get("space"))
    return Policy(
        write_policy=next((one for one in WRITE_POLICIES if one == chosen), "normal"),
        allow_event_types=_names(snapshot.get("allow_event_types")),
        deny_event_types=_names(snapshot.get("deny_event_types")),
        promotion={kind: _names(types) for kind, types in kinds.items()},
        write_spaces=_names(snapshot.get("write_spaces")),
        promotions=tuple(
            PromotionRule(str(one.get("from_space", "")), str(one.get("to_space", "")))
            for one in map(_table, _entries(snapshot.get("promotions")))
        ),
        spaces={name: policy_of_snapshot(_table(one)) for name, one in sections.items()},
    )


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _entries(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()


def _names(value: object) -> tuple[str, ...]:
    return tuple(one for one in _entries(value) if isinstance(one, str))


def is_digest(text: str) -> bool:
    """Whether a text is the digest of some policy."""
    return bool(_IS_DIGEST.fullmatch(text))
