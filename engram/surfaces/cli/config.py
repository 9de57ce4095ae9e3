"""`engram config show|set|path`: every key with its value and where the value came from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import Verbs, chosen, common
from engram.surfaces.cli.output import emit_json, say, wants_json

if TYPE_CHECKING:
    from engram.settings.load import ValueOrigin


#: a longer value pushes only its own line to the right
_WIDEST = 28


@click.group("config", cls=Verbs, no_args_is_help=False)
@common
def command() -> None:
    """Show, set and locate the configuration."""


@command.command("show")
@common
def show() -> None:
    """Every key with its value and origin: shipped < user < vault < ENGRAM_* < flag."""
    from engram.settings.load import load
    from engram.settings.vault_folders import find_vault

    origins = load(find_vault(chosen().vault, os.environ), os.environ).origins
    if wants_json():
        emit_json(shapes.setting_origins(origins))
        return
    rows = [(name, _value(origin), _place(origin)) for name, origin in sorted(origins.items())]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, value, place in rows:
        say(f"{name:<{wide[0]}}  {value:<{min(wide[1], _WIDEST)}}  {place}")


def _value(origin: ValueOrigin) -> str:
    return _shown(origin.value)


def _shown(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    if isinstance(value, bool):
        text = text.lower()
    return text or "(nothing)"


def _place(origin: ValueOrigin) -> str:
    if origin.layer == "shipped":
        return "shipped"
    where = f"{origin.source}:{origin.line}" if origin.line else origin.source
    return f"{origin.layer} {where}"


@command.command("set")
@click.argument("key")
@click.argument("value")
@common
def set_key(key: str, value: str) -> None:
    """Set KEY to VALUE in your own configuration file; its other lines stay as they are."""
    from engram.settings.paths import places_of
    from engram.settings.toml_edit import set_user_key

    places = places_of(os.environ)
    written = set_user_key(places, key, value)
    if wants_json():
        emit_json(shapes.changed_setting(key, written, places.config_file))
    else:
        say(f"{key} = {_shown(written)} in {places.config_file}")


@command.command("path")
@common
def path() -> None:
    """Where the configuration, the list of vaults, the cache and the default vault are."""
    from engram.settings.paths import places_of

    rows = shapes.user_paths(places_of(os.environ))
    if wants_json():
        emit_json(rows)
        return
    for name, where in rows.items():
        say(f"{name:<15}{where}")
