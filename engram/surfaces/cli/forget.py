"""`engram forget ID`: take a memory out of use; nothing is deleted."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted


@click.command("forget")
@click.argument("identifier", metavar="ID")
@click.option("--reason", default="", metavar="TEXT", help="A word for the log.")
@common
def command(identifier: str, reason: str) -> None:
    """Take memory ID out of use. Its file stays; the turns it came from leave the search too."""
    with opened() as vault:
        memory = vault.forget(identifier, reason)
    if wants_json():
        emit_json(shapes.new_status(memory.id, "retired"))
        return
    say(f"forgot {memory.id}")
    say(fitted(memory.text, 4))
    talk(f"bring it back with: engram restore {memory.id}")
