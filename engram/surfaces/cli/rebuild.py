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
        vault.settle_within(vault.settings.recall.settle_ms)
        mended = vault.stale_views() if dry_run else vault.rebuild()
        counts = None if dry_run else vault.index_sync.counts()
    if wants_json():
        emit_json(shapes.rebuilt(counts, mended))
        return
    if counts is not None:
        memories, turns = counts
        say(f"rebuilt: {plural(memories, 'memory', 'memories')}, {plural(turns, 'turn')}")
    for path in mended:
        say(f"{'would mend' if dry_run else 'mended'} {path}")
    if dry_run and not mended:
        say("every view is as the vault says")
