"""`engram rebuild`: catalog, index and views anew from the files."""

from __future__ import annotations

import click

from engram.surfaces.cli.output import common, emit_json, opened, say, wants_json


@click.command("rebuild")
@common
def command(vault_path: str | None, as_json: bool) -> None:
    """Make the catalog and the index anew, and the views in state/ that differ from the vault."""
    with opened(vault_path) as vault:
        mended = vault.rebuild()
        memories, turns = vault.shelf.counts()
    if wants_json(as_json):
        emit_json({"memories": memories, "turns": turns, "views_mended": mended})
    else:
        say(f"rebuilt: {memories:,} memories, {turns:,} turns")
        for path in mended:
            say(f"mended {path}")
