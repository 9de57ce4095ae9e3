"""`engram init [PATH]`: a vault from the template, registered on this machine."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.settings.registry import SHARED_SPACES
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import chosen, common
from engram.surfaces.cli.output import emit_json, say, taking_up, talk, wants_json

if TYPE_CHECKING:
    from engram.vault import Vault


#: what to do with a new vault to share; no shipped rule lets anything leave for the system
_NEXT = {
    "project": "engram promote ID --to project",
    "system": "write its files by hand, or give your policy.toml a rule under spaces.promotions",
}


@click.command("init")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--shared", type=click.Choice(SHARED_SPACES), metavar="SPACE",
              help="Make it one to share: of a `project`, or of the `system`.")  # fmt: skip
@common
def command(path: Path | None, shared: str | None) -> None:
    """Make a vault and register it on this machine.

    Without PATH it is ~/engram, unless the setting `vault` or ENGRAM_VAULT names another. Files
    that are there already stay as they are. Its days are those of this machine's time zone.

    With --shared it holds what you promote to it, and no conversation: put it into a repository.
    """
    if path is None and shared:
        raise click.UsageError("a vault to share needs a PATH, such as memory/ in a repository")
    where = path if path is not None else _own()
    if not shared and (known := _known(where)) is not None:
        _say_known(known, path)
        return
    _make(where if path is not None else _usual(), shared, usual=path is None)


def _own() -> Path:
    """The vault of one's own that every other command would work on."""
    from engram.settings.vault_folders import own_vault

    return own_vault(chosen().vault, os.environ)


def _usual() -> Path:
    """Where the first vault is made, whatever is registered."""
    from engram.settings.load import load

    named = chosen().vault or os.environ.get("ENGRAM_VAULT", "")
    return Path(named or load(None, os.environ).settings.vault)


def _known(path: Path) -> Path | None:
    """The real path of a vault of one's own that is registered there already."""
    from engram.settings.load import header_of
    from engram.settings.paths import places_of
    from engram.settings.registry import Registry

    real = Path(os.path.realpath(path.expanduser()))
    header = header_of(real) if real.is_dir() else None
    entry = Registry(places_of(os.environ)).entry(real, header.id) if header is not None else None
    return None if entry is None or entry.sharing.space else real


def _say_known(root: Path, path: Path | None) -> None:
    """A second time there is nothing to make, and what to do next is the same."""
    if wants_json():
        emit_json(shapes.new_vault(root, "", "", made=False))
        return
    say(f"{root} is a vault of yours already")
    if path is None:
        talk("to make another one: engram init PATH")
    talk(f"next: {_import_line(path)}")


def _import_line(path: Path | None) -> str:
    """The command that fills the vault; the default one need not be named."""
    from engram.settings.vault_folders import own_vault

    named = chosen().vault or path
    usual = os.path.realpath(own_vault("", os.environ).expanduser())
    if named is None or os.path.realpath(Path(named).expanduser()) == usual:
        return "engram import auto"
    return f"engram --vault {shlex.quote(str(named))} import auto"


def _make(path: Path, shared: str | None, *, usual: bool) -> None:
    from engram.settings.machine_timezone import machine_timezone
    from engram.vault import Vault

    timezone = "UTC" if shared else machine_timezone(os.environ)
    with Vault.create(path, timezone=timezone, shares=shared or "") as vault:
        # hooks build nothing: without a catalog they give nothing of shared vaults either
        with taking_up(vault):
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
            talk(f"next: {_import_line(None if usual else path)}")
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
