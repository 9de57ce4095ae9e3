"""`engram rebuild`: catalog, index and views anew from the files."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, wants_json


@click.command("rebuild")
@click.option("--dry-run", is_flag=True, help="Name the views that would be mended, and stop.")
@common
def command(dry_run: bool) -> None:
    """Make the catalog and the index anew, and the views in state/ that differ from the vault."""
    with opened() as vault:
        mended = vault.stale_views() if dry_run else vault.rebuild()
        index = None if dry_run else vault.index_status()
    if wants_json():
        emit_json(shapes.rebuilt((index.memories, index.turns) if index else None, mended))
        return
    if index is not None:
        memories = plural(index.memories, "memory", "memories")
        say(f"rebuilt: {memories}, {plural(index.turns, 'turn')}")
    for path in mended:
        say(f"{'would mend' if dry_run else 'mended'} {path}")
    if dry_run and not mended:
        say("every view is as the vault says")
