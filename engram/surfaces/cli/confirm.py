"""`engram confirm ID...`: say that memories hold."""

from __future__ import annotations

import click

from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import opened
from engram.surfaces.cli.rulings import tell


@click.command("confirm")
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Say what would change, and stop.")
@common
def command(identifiers: tuple[str, ...], dry_run: bool) -> None:
    """Say that each memory ID holds: it is active, it counts as your own word, and its time
    starts anew. What contradicts it stays until `engram resolve`."""
    with opened() as vault:
        ruling = vault.confirm(identifiers, dry_run=dry_run)
    tell(ruling, dry_run)
