"""`engram policy show|test`: what may be remembered, and why; what would become of a text."""

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
from engram.surfaces.cli.arguments import CATEGORY, FreeWords, Verbs, chosen, common
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json

if TYPE_CHECKING:
    from engram.model.policy import PromotionRule
    from engram.model.report import PolicyTrial, Saying
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


@command.command("test", cls=FreeWords)
@click.argument("text", nargs=-1, required=True)
@click.option("--project", default="", metavar="NAME", help="The project it is about.")
@click.option("--by", "said_by", type=click.Choice(("person", "agent", "hand")), default="person",
              metavar="WHO", help="Who says it: person (you, in a conversation), agent, or hand"
              " (you ask engram to remember it).")  # fmt: skip
@click.option("--category", type=CATEGORY, metavar="NAME",
              help="One of the ten categories; else guessed.")  # fmt: skip
@common
def test(text: tuple[str, ...], project: str, said_by: Saying, category: str | None) -> None:
    """What would become of TEXT, and why. Nothing is written."""
    with opened() as vault:
        found = vault.try_policy(
            " ".join(text), said_by=said_by, category=category or "", project=project
        )
    if wants_json():
        emit_json(shapes.policy_trial(found))
    else:
        _say_trial(found)


def _say_trial(found: PolicyTrial) -> None:
    from engram.model.refusal_codes import meaning

    say(f"it would be a {found.event_type}, {found.kind}, in {found.store}, {found.authority}")
    for step in found.steps:
        outcome = "passes" if step.passed else "denies"
        say(f"{step.name:<14}{outcome}  {' '.join(filter(None, (step.said, step.rule)))}".rstrip())
    words = meaning(found.code) if found.decision == "refuse" else ""
    code = "" if found.code == found.decision else found.code
    told = " ".join(filter(None, (code, words and f"({words})", *found.memories)))
    say(f"{found.decision}: {told}" if told else found.decision)


def _loaded(places: UserPaths, vault: Path) -> tuple[LoadedPolicy, ConfigError | None]:
    """The policy; without the vault's file, and why, where that is not understood."""
    from engram.settings.policy_files import load_policy

    own = load_policy(places, None)
    try:
        return load_policy(places, vault), None
    except ConfigError as problem:
        return own, problem


def _say_values(loaded: LoadedPolicy, values: Mapping[str, StatedValue]) -> None:
    from textwrap import wrap

    rows = [
        (name, text, _place(value))
        for name, value in sorted(values.items())
        for text in in_words(name, value)
    ]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, text, place in rows:
        # a word that is longer than the column is not broken: it could not be copied
        parts = wrap(text, _WIDEST, break_long_words=False, break_on_hyphens=False)
        first, *others = parts or [text]
        say(f"{name:<{wide[0]}}  {first:<{min(wide[1], _WIDEST)}}  {place}")
        for part in others:
            say(f"{'':<{wide[0]}}  {part}")
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
