"""`engram archive ID...`: put memories out of the way."""

from __future__ import annotations

import click

from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import opened
from engram.surfaces.cli.rulings import tell


@click.command("archive")
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Say what would change, and stop.")
@common
def command(identifiers: tuple[str, ...], dry_run: bool) -> None:
    """Move each memory ID to the folder archive/, where search finds it with --all-status.
    `engram restore` brings it back."""
    with opened() as vault:
        ruling = vault.archive(identifiers, dry_run=dry_run)
    tell(ruling, dry_run)
