"""`engram policy show|test`: what may be remembered, where each value comes from, what becomes of a
text.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.display import plain_line
from engram.model.errors import ConfigError
from engram.model.memory import SPACES
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import Verbs, chosen, common
from engram.surfaces.cli.output import emit_json, say, talk, wants_json

if TYPE_CHECKING:
    from engram.model.policy import PromotionRule
    from engram.settings.paths import UserPaths
    from engram.settings.policy_files import LoadedPolicy, StatedValue

#: a longer value pushes only its own line to the right
_WIDEST = 44
_NOTHING = "(nothing)"


@click.group("policy", cls=Verbs, no_args_is_help=False)
@common
def command() -> None:
    """Show what may be remembered and who is given it, and try it on a text."""


@command.command("show")
@click.option("--space", type=click.Choice(SPACES), metavar="NAME", help="What holds in one space.")
@common
def show(space: str | None) -> None:
    """Every value and its origin: shipped < yours < the vault's, which only makes it stricter.

    Yours are in `policy.toml` beside your config.toml, the vault's in `policy.toml` beside its
    engram.toml. A vault's file that is not understood is told, and the rest shown without it.
    """
    from engram.settings.paths import places_of
    from engram.settings.policy_files import of_space
    from engram.settings.vault_folders import find_vault

    places, vault = places_of(os.environ), find_vault(chosen().vault, os.environ)
    loaded, problem = _loaded(places, vault)
    values = of_space(loaded.values, space or "")
    if wants_json():
        told = None
        if problem is not None:
            told = shapes.error(problem.told, plain_line(str(problem)), problem.hint)
        digest = loaded.policy.digest
        emit_json(shapes.policy_values(digest, values, loaded.without_effect, told))
    else:
        _say_values(loaded, values)
    if problem is not None:
        raise problem


def _loaded(places: UserPaths, vault: Path) -> tuple[LoadedPolicy, ConfigError | None]:
    """The policy; without the vault's file, and why, where that is not understood."""
    from engram.settings.policy_files import load_policy

    own = load_policy(places, None)
    try:
        return load_policy(places, vault), None
    except ConfigError as problem:
        return own, problem


def _say_values(loaded: LoadedPolicy, values: Mapping[str, StatedValue]) -> None:
    rows = [
        (name, text, _place(value))
        for name, value in sorted(values.items())
        for text in in_words(name, value)
    ]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, text, place in rows:
        say(f"{name:<{wide[0]}}  {text:<{min(wide[1], _WIDEST)}}  {place}")
    for name, value in loaded.without_effect.items():
        shown = "; ".join(in_words(name, value))
        talk(f"without effect: {name} = {shown} in {_place(value)}: what holds is as strict")
    talk(f"policy {loaded.policy.digest}")


def in_words(name: str, value: StatedValue) -> list[str]:
    """A value in words; each way between spaces has a line of its own."""
    from engram.model.policy import PromotionRule
    from engram.settings.policy_keys import StatedRule, policy_key

    plain = value.value
    if isinstance(plain, bool):
        return [str(plain).lower()]
    if isinstance(plain, StatedRule):
        ticks = "" if plain.ticks is None else f"{plain.ticks} ticks"
        return [", ".join(filter(None, (plain.mode, ticks)))]
    if not isinstance(plain, tuple):
        return [str(plain)]
    found = policy_key(name)
    everything = found is not None and found[1].empty == "all" and name != "spaces.promotions"
    if not plain:
        return ["(all)" if everything else _NOTHING]
    if plain == ("none",):
        return [_NOTHING]
    words = [one for one in plain if isinstance(one, str)]
    return (
        [", ".join(words)]
        if words
        else [_way(one) for one in plain if isinstance(one, PromotionRule)]
    )


def _way(rule: PromotionRule) -> str:
    types = ", ".join(rule.event_types) or "all"
    types = _NOTHING if types == "none" else types
    least = f"from {rule.min_authority}" + (", decisions: yours" if rule.decision_override else "")
    return f"{rule.from_space} to {rule.to_space}: {types}; {least}"


def _place(value: StatedValue) -> str:
    if value.layer == "shipped":
        return "shipped"
    return f"{value.layer} {value.source}:{value.line}"
