"""`engram restore ID`: bring a memory back, whatever took it away (but a purge)."""

from __future__ import annotations

import click

from engram.model.errors import NotFound
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, say, wants_json


@click.command("restore")
@click.argument("identifier", metavar="ID")
@common
def command(identifier: str) -> None:
    """Make memory ID active again, also when its file was removed. It is not restored while another
    one in use says the same."""
    with opened() as vault:
        try:
            already = vault.memory(identifier).status == "active"
        except NotFound:  # its file was removed, or there was none
            already = False
        restored = vault.restore(identifier)
    if wants_json():
        emit_json(shapes.new_status(restored, "active"))
    else:
        say(f"{restored} is active already" if already else f"restored {restored}")
