"""Tightening: of each key of a policy the stricter value, the person's or what a vault asks.

    values by key of one scope, values asked  ->  values at least as strict, key by key

A vault can come from a stranger, so nothing that it asks lets anything be kept, given, promoted or
vouched for that the person's own policy would not. Pure, and the same whatever is asked twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engram.model.authority import authority_rank
from engram.model.policy import FORGETTING, NOTHING, WRITE_POLICIES, PromotionRule
from engram.settings.policy_keys import (
    PHASE_MODES,
    POLICY_KEYS,
    PRESETS,
    PROMOTIONS,
    RETENTION,
    SOURCES,
    PolicyValue,
    StatedRule,
)

#: the words of each choice, strictest first: what is not renewed ends before what is
_STRICTEST: Mapping[str, Sequence[str]] = {
    "preset": PRESETS[::-1],
    "write_policy": WRITE_POLICIES,
    "forget_policy": ("ttl", "decay", "never"),
    "phase.mode": PHASE_MODES,
}
_FORGET = "forget_policy"
assert set(_STRICTEST[_FORGET]) == set(FORGETTING)
#: switches of which the one that is off is the stricter
_OFF_IS_STRICT = frozenset({"phase.diff_enabled"})


def tightened(
    held: Mapping[str, PolicyValue], asked: Mapping[str, PolicyValue]
) -> dict[str, PolicyValue]:
    """What holds where `held` would, and `asked` is asked for: no key is looser than before.

    `held` has every key but those of `retention` and `sources`, of which one that is missing is
    that of `forget_policy`, and none. Keys that are not for vaults are left as they are.
    """
    found = dict(held)
    for name in sorted(asked, key=lambda one: one != _FORGET):
        key, value = POLICY_KEYS.get(name), asked[name]
        if key is not None and not key.for_vaults:
            continue
        if name.startswith(f"{RETENTION}."):
            found |= _ending(name, found, value)
        elif name in found:
            found[name] = _stricter(name, found[name], value)
        else:
            found[name] = value
    return found


def stated(rule: PolicyValue | None, forget_policy: PolicyValue) -> StatedRule:
    """A rule with its mode: that of `forget_policy` where it has none; `never` counts no ticks."""
    given = rule if isinstance(rule, StatedRule) else StatedRule()
    mode = given.mode or str(forget_policy)
    return StatedRule(mode, None if mode == "never" else given.ticks)


def _ending(
    name: str, found: Mapping[str, PolicyValue], asked: PolicyValue
) -> Mapping[str, PolicyValue]:
    """The rule of one row of `retention`, if it becomes another one."""
    forget = found[_FORGET]
    now, wanted = stated(found.get(name), forget), stated(asked, forget)
    modes = _STRICTEST[_FORGET]
    ticks = [one.ticks for one in (now, wanted) if one.ticks is not None]
    rule = StatedRule(min(now.mode, wanted.mode, key=modes.index), min(ticks) if ticks else None)
    return {} if rule == now else {name: rule}


def _stricter(name: str, held: PolicyValue, asked: PolicyValue) -> PolicyValue:
    if name in _STRICTEST:
        return min(held, asked, key=lambda one: _STRICTEST[name].index(str(one)))
    if name.startswith(f"{SOURCES}."):
        return min(held, asked, key=lambda one: authority_rank(str(one)))
    if name == PROMOTIONS:
        return _narrowed(_rules(held), _rules(asked))
    if isinstance(held, bool):
        return (held and asked) if name in _OFF_IS_STRICT else (held or asked)
    if isinstance(held, int) and isinstance(asked, int):
        return min(held, asked)
    now, wanted = _texts(held), _texts(asked)
    if POLICY_KEYS[name].empty == "all":
        return _both(now, wanted)
    if name.startswith("spaces."):
        return tuple(one for one in now if one in wanted)
    return tuple(dict.fromkeys((*now, *wanted)))  # what is denied


def _both(held: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    """What two lists of what is allowed both allow."""
    if not held or not asked:
        return held or asked
    return tuple(one for one in held if one in asked) or NOTHING


def _narrowed(
    held: Iterable[PromotionRule], asked: Iterable[PromotionRule]
) -> tuple[PromotionRule, ...]:
    """The rules of pairs that both lists have, each as strict as both."""
    wanted = {(rule.from_space, rule.to_space): rule for rule in asked}
    return tuple(
        PromotionRule(
            rule.from_space,
            rule.to_space,
            _both(rule.event_types, other.event_types),
            max(rule.min_authority, other.min_authority, key=authority_rank),
            rule.decision_override and other.decision_override,
        )
        for rule in held
        if (other := wanted.get((rule.from_space, rule.to_space))) is not None
    )


def _texts(value: PolicyValue) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, tuple) else ()


def _rules(value: PolicyValue) -> tuple[PromotionRule, ...]:
    items = value if isinstance(value, tuple) else ()
    return tuple(one for one in items if isinstance(one, PromotionRule))
