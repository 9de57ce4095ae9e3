"""`engram today`: what was learnt on a day."""

from __future__ import annotations

import click

from engram.surfaces.cli.list import row_of, show_rows
from engram.surfaces.cli.output import common, emit_json, opened, talk, wants_json


@click.command("today")
@click.option("--day", default="", metavar="YYYY-MM-DD", help="another day than today")
@common
def command(day: str, vault_path: str | None, as_json: bool) -> None:
    """The memories whose conversation took place today (UTC), in order."""
    from datetime import date

    if day:
        try:
            date.fromisoformat(day)
        except ValueError as error:
            raise click.BadParameter(f"{day} is no day", param_hint="--day") from error
    with opened(vault_path) as vault:
        vault.settle_within(vault.settings.recall.settle_ms)
        wanted = day or vault.clock.now()[:10]
        found = vault.library.learnt_on(wanted)
    if wants_json(as_json):
        emit_json([row_of(memory) for memory in found])
        return
    show_rows(found)
    if not found:
        talk(f"nothing was learnt on {wanted}")
