"""`engram today`: what was learnt on a day."""

from __future__ import annotations

import click

from engram.model.memory import SESSION
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, day
from engram.surfaces.cli.list import show_rows
from engram.surfaces.cli.output import emit_json, opened, talk, wants_json


@click.command("today")
@click.option("--day", "wanted", callback=day, metavar="DAY", help="Another day: 2026-03-06.")
@common
def command(wanted: str) -> None:
    """The memories whose conversation took place today, in the vault's time zone, in order.

    Records of sessions come after the others.
    """
    with opened() as vault:
        day, found = vault.learnt_on(wanted)
    if wants_json():
        emit_json([shapes.memory_row(memory) for memory in found])
        return
    show_rows(sorted(found, key=lambda memory: memory.schema == SESSION))
    if not found:
        talk(f"nothing was learnt on {day}; `engram list` shows the newest memories")
