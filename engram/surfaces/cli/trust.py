"""`engram trust PATH`: register an existing vault, so that it may be written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.authority import AUTHORITIES
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, plural, say, taking_up, talk, wants_json

if TYPE_CHECKING:
    from engram.vault import Vault

#: what lies in `state/` alone, which stays on the machine where it happened
_UNKNOWN = ("what was read or refused elsewhere", "how to undo what was done there")


@click.command("trust")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--for", "serves", multiple=True, metavar="GLOB",
              help="A shared one: projects that it serves beside its own repository.")  # fmt: skip
@click.option("--authority", type=click.Choice(AUTHORITIES), metavar="LEVEL",
              help="A shared one: the most that headers may claim; else ai_inferred.")  # fmt: skip
@common
def command(path: Path, serves: tuple[str, ...], authority: str | None) -> None:
    """Register the vault at PATH on this machine: now it is written and given to agents.

    A vault that is shared is given to those that work in the repository around it, or in a project
    that --for names ('shop-*'). Again, it says anew whom it serves. One of your own that comes from
    another machine is taken up at once: its memories, pages and conversations.
    """
    from engram.settings.paths import places_of
    from engram.settings.vault_folders import real_root
    from engram.vault import Vault
    from engram.vault.create import register

    root = real_root(path)
    sharing = register(root, places_of(os.environ), serves, authority or "")
    if not sharing.space:
        _say_own(root)
        return
    with Vault.open(root) as vault:
        vault.ready_for_readers()
        if wants_json():
            emit_json(shapes.trusted_vault(root, sharing))
        else:
            say(f"registered {root}, shared with others")
            _say_sharing(vault, sharing.authority)


def _say_own(root: Path) -> None:
    """Take up what lies in a vault of one's own, and say what another machine alone knows of it."""
    from engram.vault import Vault

    with Vault.open(root) as vault:
        came = not vault.has_history
        with taking_up(vault):
            vault.ready_to_read()
        state = vault.status()
    memories = sum(state.memories.values())
    if wants_json():
        unknown = _UNKNOWN if came and memories + state.turns else ()
        emit_json(shapes.trusted_vault(root, holds=(memories, state.turns), unknown=unknown))
        return
    say(f"registered {root}")
    if came and memories + state.turns:
        held = f"{plural(memories, 'memory', 'memories')} and {plural(state.turns, 'turn')}"
        talk(f"{held} taken up; not known here: {' and '.join(_UNKNOWN)}")


def _say_sharing(vault: Vault, authority: str) -> None:
    served = " and ".join(vault.served)
    talk(f"it serves {served}" if served else "note: it serves nobody yet: --for PROJECT")
    talk(f"its headers count as {authority} at most; commits and pushes are yours")
