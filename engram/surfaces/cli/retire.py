"""`engram retire ID...`: take memories out of use; what was said stays searchable."""

from __future__ import annotations

import click

from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import opened
from engram.surfaces.cli.rulings import tell


@click.command("retire")
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", default="", metavar="TEXT", help="A word for the log.")
@click.option("--dry-run", is_flag=True, help="Say what would change, and stop.")
@common
def command(identifiers: tuple[str, ...], reason: str, dry_run: bool) -> None:
    """Take each memory ID out of use. Its file stays, and so do the turns that it came from:
    `engram forget` hides those as well."""
    with opened() as vault:
        ruling = vault.retire(identifiers, reason, dry_run=dry_run)
    tell(ruling, dry_run)
