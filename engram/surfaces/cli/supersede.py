"""`engram supersede OLD NEW`: let one memory replace another."""

from __future__ import annotations

import click

from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import opened
from engram.surfaces.cli.rulings import tell


@click.command("supersede")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--dry-run", is_flag=True, help="Say what would change, and stop.")
@common
def command(old: str, new: str, dry_run: bool) -> None:
    """Let memory NEW replace memory OLD: the one is linked to the other, and OLD is valid until
    NEW began. Both files stay."""
    with opened() as vault:
        ruling = vault.supersede(old, new, dry_run=dry_run)
    tell(ruling, dry_run)
