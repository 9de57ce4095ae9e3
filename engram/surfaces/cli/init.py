"""`engram init PATH`: a vault from the template, registered on this machine."""

from __future__ import annotations

import os
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

    Files that are there already stay as they are. Its days are those of this machine's time zone.
    """
    from engram.settings.machine_timezone import machine_timezone
    from engram.vault import Vault

    timezone = machine_timezone(os.environ)
    with Vault.create(path, timezone=timezone) as vault:
        remote = vault.git_remote
        if wants_json():
            emit_json(shapes.new_vault(vault.root, remote))
        else:
            say(f"made a vault in {vault.root}")
            if timezone != "UTC":
                talk(f"its days are those of {timezone}: `timezone` in its engram.toml")
            talk(f"next: engram --vault {shlex.quote(str(path))} import auto")
    if remote:
        talk(
            f"warning: this folder lies in a git repository with the remote {remote!r};"
            " what engram captures would be pushed with it"
        )
