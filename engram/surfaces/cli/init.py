"""`engram init PATH`: a vault from the template, registered on this machine."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.settings.registry import SHARED_SPACES
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, say, talk, wants_json

if TYPE_CHECKING:
    from engram.vault import Vault


#: what to do with a new vault to share; no shipped rule lets anything leave for the system
_NEXT = {
    "project": "engram promote ID --to project",
    "system": "write its files by hand, or give your policy.toml a rule under spaces.promotions",
}


@click.command("init")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--shared", type=click.Choice(SHARED_SPACES), metavar="SPACE",
              help="Make it one to share: of a `project`, or of the `system`.")  # fmt: skip
@common
def command(path: Path, shared: str | None) -> None:
    """Make a vault at PATH and register it on this machine.

    Files that are there already stay as they are. Its days are those of this machine's time zone.
    With --shared it holds what you promote to it, and no conversation: put it into a repository.
    """
    from engram.settings.machine_timezone import machine_timezone
    from engram.vault import Vault

    timezone = "UTC" if shared else machine_timezone(os.environ)
    with Vault.create(path, timezone=timezone, shares=shared or "") as vault:
        # hooks build nothing: without a catalog they give nothing of shared vaults either
        vault.ready_to_read()
        remote = vault.git_remote
        if wants_json():
            emit_json(shapes.new_vault(vault.root, remote, shared or ""))
        elif shared:
            say(f"made a vault to share in {vault.root}")
        else:
            say(f"made a vault in {vault.root}")
            if timezone != "UTC":
                talk(f"its days are those of {timezone}: `timezone` in its engram.toml")
            talk(f"next: engram --vault {shlex.quote(str(path))} import auto")
        if shared:
            _say_sharing(vault, shared, path)
    if remote and not shared:
        talk(
            f"warning: this folder lies in a git repository with the remote {remote!r};"
            " what engram captures would be pushed with it"
        )


def _say_sharing(vault: Vault, space: str, path: Path) -> None:
    """Who reads what is put there, and whose agents are given it."""
    talk("what you promote to it is read by everybody who has this folder once you commit and push")
    if not vault.served:
        whom = "PROJECT" if space == "project" else "'*'"
        again = f"engram trust {shlex.quote(str(path))} --for {whom}"
        talk(f"note: it lies in no repository, so it serves nobody yet: {again}")
    for name, folder in vault.unguarded:
        talk(f"warning: {name} does not leave out {folder}/: `echo {folder} >> {name}` there")
    talk(f"next: {_NEXT[space]}")
