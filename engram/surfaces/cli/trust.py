"""`engram trust PATH`: register an existing vault, so that it may be written."""

from __future__ import annotations

import os
from pathlib import Path

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, say, wants_json


@click.command("trust")
@click.argument("path", type=click.Path(path_type=Path))
@common
def command(path: Path) -> None:
    """Register the vault at PATH on this machine: now it is written and given to agents."""
    from engram.settings.paths import places_of
    from engram.settings.vault_folders import real_root
    from engram.vault.create import register

    root = real_root(path)
    register(root, places_of(os.environ))
    if wants_json():
        emit_json(shapes.trusted_vault(root))
    else:
        say(f"registered {root}")
