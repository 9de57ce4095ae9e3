"""Whatever a vault's policy says, nothing becomes looser by it: asked of decisions, not of keys."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.authority import AUTHORITIES, authority_rank
from engram.model.item import EVENT_TYPES
from engram.model.memory import SPACES
from engram.model.policy import FORGETTING, WRITE_POLICIES, Policy
from engram.settings.paths import places_of
from engram.settings.policy_files import load_policy
from engram.settings.policy_keys import PHASE_MODES, POLICY_KEYS, PRESETS, WRITABLE
from tests.effort import examples

#: what any client may be called, and what any slot may be
SOURCES, SLOTS, PATTERNS = ("claude-code", "mail"), ("editor", "units"), ("falcon", "the moon")
SECTIONED = sorted(name for name, key in POLICY_KEYS.items() if key.scoped and key.for_vaults)
#: the longest that anything can be kept, and the least that something renewed is kept, in ticks
FOREVER, RENEWED = 10**12, 10**11


def names(items: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(items), unique=True, max_size=3)


def allowed(items: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return names(items) | st.just(["none"])


rules = st.one_of(
    st.sampled_from(FORGETTING),
    st.integers(1, 60),
    st.fixed_dictionaries({"mode": st.sampled_from(FORGETTING), "ticks": st.integers(1, 60)}),
)
promotions = st.lists(
    st.fixed_dictionaries({
        "from": st.sampled_from(("session", "user")), "to": st.sampled_from(("user", "project")),
        "event_types": allowed(EVENT_TYPES), "min_authority": st.sampled_from(AUTHORITIES),
        "decision_override": st.booleans(),
    }),
    max_size=3, unique_by=lambda rule: (rule["from"], rule["to"]),
)  # fmt: skip
BY_KEY: Mapping[str, st.SearchStrategy[object]] = {
    "preset": st.sampled_from(PRESETS),
    "write_policy": st.sampled_from(WRITE_POLICIES),
    "forget_policy": st.sampled_from(FORGETTING),
    "allow_event_types": allowed(EVENT_TYPES),
    "deny_event_types": names(EVENT_TYPES),
    "short_term": st.integers(0, 9),
    "promotion.semantic": allowed(EVENT_TYPES),
    "promotion.profile": allowed(EVENT_TYPES),
    **{f"retention.{row}": rules for row in ("profile", *EVENT_TYPES)},
    "spaces.read_order": names(SPACES),
    "spaces.write": names(WRITABLE),
    "spaces.promotions": promotions,
    "phase.mode": st.sampled_from(PHASE_MODES),
    "phase.diff_enabled": st.booleans(),
    "privacy.deny_patterns": names(PATTERNS),
    "privacy.deny_sensitive": st.booleans(),
    "privacy.allow_profile_keys": allowed(SLOTS),
    **{f"sources.{source}": st.sampled_from(AUTHORITIES) for source in SOURCES},
}
files = st.dictionaries(
    st.sampled_from([
        *BY_KEY, *(f"space.{space}.{name}" for space in SPACES for name in SECTIONED),
    ]),
    st.none(), max_size=8,
).flatmap(
    lambda chosen: st.fixed_dictionaries({
        name: BY_KEY[name.split(".", 2)[2] if name.startswith("space.") else name]
        for name in chosen
    })
)  # fmt: skip


def toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {toml(one)}' for name, one in value.items())} }}"
    return str(value)


def written(path: Path, values: Mapping[str, object]) -> None:
    text = "".join(f"{name} = {toml(value)}\n" for name, value in values.items())
    tomllib.loads(text)
    path.write_text(text, encoding="utf-8")


def decisions(policy: Policy) -> Iterator[tuple[str, int]]:
    """Each thing that a policy decides, by name: a larger number is a looser one."""
    yield "short_term", policy.short_term
    for space in SPACES:
        own = policy.of_space(space)
        yield f"read {space}", int(space in policy.read_order)
        yield f"write {space}", int(space in policy.write_spaces)
        yield f"level {space}", WRITE_POLICIES.index(own.write_policy)
        yield f"history {space}", int(own.phase.mode == "current_plus_history")
        yield f"diff {space}", int(own.phase.diff_enabled)
        yield f"secrets {space}", int(not own.deny_sensitive)
        for pattern in PATTERNS:
            yield f"{pattern} {space}", int(pattern not in own.deny_patterns)
        for slot in SLOTS:
            yield f"{slot} {space}", lists(own.allow_profile_keys, slot)
        for event in EVENT_TYPES:
            denied = event in own.deny_event_types
            yield f"{event} {space}", 0 if denied else lists(own.allow_event_types, event)
        for kind, event in product(("semantic", "profile"), EVENT_TYPES):
            yield f"{kind} of {event} {space}", lists(own.promotion[kind], event)
            rule = own.ends(kind, event)
            ticks = FOREVER if rule.mode == "never" else (rule.ticks or RENEWED)
            yield f"ticks of {kind} {event} {space}", ticks
            yield f"mode of {kind} {event} {space}", ("ttl", "decay", "never").index(rule.mode)
    for event, authority in product(EVENT_TYPES, AUTHORITIES):
        for source, target in product(SPACES, SPACES):
            yield (
                f"{event} {authority} {source} {target}",
                int(promotes(policy, source, target, event, authority)),
            )
    for source in SOURCES:
        yield f"source {source}", authority_rank(policy.sources.get(source, AUTHORITIES[-1]))


def lists(allowed_names: tuple[str, ...], name: str) -> int:
    return int(not allowed_names or name in allowed_names)


def promotes(policy: Policy, source: str, target: str, event: str, authority: str) -> bool:
    for rule in policy.promotions:
        if (rule.from_space, rule.to_space) == (source, target) and lists(rule.event_types, event):
            least = authority_rank(rule.min_authority)
            if rule.decision_override and event == "decision":
                least = min(least, authority_rank("user_asserted"))
            return authority_rank(authority) >= least
    return False


@pytest.mark.parametrize("preset", PRESETS)
@examples(40)
@given(own=files, asked=files)
def test_no_file_of_a_vault_makes_anything_looser(
    tmp_path_factory: pytest.TempPathFactory,
    preset: str,
    own: Mapping[str, object],
    asked: Mapping[str, object],
) -> None:
    folder = tmp_path_factory.mktemp("layers")
    places = places_of({"ENGRAM_HOME": str(folder), "HOME": str(folder)})
    written(places.policy_file, {"preset": preset} | own)
    without = load_policy(places, folder / "vault").policy
    (folder / "vault").mkdir()
    written(folder / "vault" / "policy.toml", asked)
    loaded = load_policy(places, folder / "vault")

    before, after = dict(decisions(without)), dict(decisions(loaded.policy))
    assert {name: value for name, value in after.items() if value > before[name]} == {}
    assert loaded.policy.authority_order == without.authority_order
    assert loaded.policy.phase.enabled == without.phase.enabled
    if after != before:
        assert loaded.without_effect.keys() < asked.keys()
    if asked and loaded.without_effect.keys() == asked.keys():
        assert replace(loaded.policy, preset="") == replace(without, preset="")
