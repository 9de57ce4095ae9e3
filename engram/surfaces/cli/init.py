"""`engram init PATH`: a vault from the template, registered on this machine."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, say, talk, wants_json


@click.command("init")
@click.argument("path", type=click.Path(path_type=Path))
@common
def command(path: Path) -> None:
    """Make a vault at PATH and register it on this machine.

    Files that are there already stay as they are.
    """
    from engram.vault import Vault

    with Vault.create(path) as vault:
        remote = vault.git_remote
        if wants_json():
            emit_json(shapes.new_vault(vault.root, remote))
        else:
            say(f"made a vault in {vault.root}")
            talk(f"next: engram --vault {shlex.quote(str(path))} import auto")
    if remote:
        talk(
            f"warning: this folder lies in a git repository with the remote {remote!r};"
            " what engram captures would be pushed with it"
        )
