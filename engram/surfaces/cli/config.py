"""`engram config show|set|path`: every key with its value and where the value came from."""

from __future__ import annotations

import os

import click

from engram.surfaces.cli.output import common, emit_json, say, wants_json


@click.group("config")
def command() -> None:
    """Show, set and locate the configuration."""


@command.command("show")
@common
def show(vault_path: str | None, as_json: bool) -> None:
    """Every key with its value and origin: shipped < user < vault < ENGRAM_* < flag."""
    from engram.settings.load import load
    from engram.vault import find_vault

    chosen = vault_path or click.get_current_context().find_root().obj["vault"]
    loaded = load(find_vault(chosen, os.environ), os.environ)
    if wants_json(as_json):
        emit_json(dict(sorted(loaded.origins.items())))
        return
    width = max(map(len, loaded.origins))
    for name, origin in sorted(loaded.origins.items()):
        where = f"{origin.source}:{origin.line}" if origin.line else origin.source
        value = (
            ", ".join(map(str, origin.value)) if isinstance(origin.value, tuple) else origin.value
        )
        shown = value if value != "" else "(nothing)"
        layer = "shipped" if origin.layer == "shipped" else f"{origin.layer} {where}"
        say(f"{name:<{width}}  {shown}  [{layer}]")


@command.command("set")
@click.argument("key")
@click.argument("value")
@common
def set_key(key: str, value: str, vault_path: str | None, as_json: bool) -> None:
    """Set KEY to VALUE in your own configuration file; its other lines stay as they are."""
    from engram.settings.load import set_user_key
    from engram.settings.places import places_of

    places = places_of(os.environ)
    written = set_user_key(places, key, value)
    if wants_json(as_json):
        emit_json({"key": key, "value": written, "file": str(places.config_file)})
    else:
        say(f"{key} = {written} in {places.config_file}")


@command.command("path")
@common
def path(vault_path: str | None, as_json: bool) -> None:
    """Where the configuration, the list of vaults, the cache and the default vault are."""
    from engram.settings.places import places_of

    places = places_of(os.environ)
    rows = {
        "config": str(places.config_file), "vaults": str(places.registry_file),
        "cache": str(places.cache_dir), "default_vault": str(places.vault),
    }  # fmt: skip
    if wants_json(as_json):
        emit_json(rows)
        return
    for name, where in rows.items():
        say(f"{name:<14}{where}")
