"""`engram resolve ID`: settle a contradiction."""

from __future__ import annotations

import click

from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import opened
from engram.surfaces.cli.rulings import tell


@click.command("resolve")
@click.argument("identifier", metavar="ID")
@click.option("--both", is_flag=True, help="They do not contradict each other: all hold.")
@click.option("--against", default="", metavar="ID", help="Only this one of the others.")
@click.option("--dry-run", is_flag=True, help="Say what would change, and stop.")
@common
def command(identifier: str, both: bool, against: str, dry_run: bool) -> None:
    """Settle what contradicts memory ID: it holds, and replaces the others. With --both they stand
    beside each other, and consolidation does not raise it again."""
    with opened() as vault:
        ruling = vault.resolve(identifier, both=both, against=against, dry_run=dry_run)
    tell(ruling, dry_run)
