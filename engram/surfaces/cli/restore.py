"""`engram restore ID`: bring a memory back, whatever took it away (but a purge)."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, say, wants_json


@click.command("restore")
@click.argument("identifier", metavar="ID")
@common
def command(identifier: str) -> None:
    """Make memory ID active again, also when its file was removed."""
    with opened() as vault:
        restored = vault.restore(identifier)
    if wants_json():
        emit_json(shapes.new_status(restored, "active"))
    else:
        say(f"restored {restored}")
