"""`engram forget ID`: take a memory out of use; nothing is deleted."""

from __future__ import annotations

import click

from engram.surfaces.cli.output import common, emit_json, opened, say, talk, wants_json


@click.command("forget")
@click.argument("identifier", metavar="ID")
@click.option("--reason", default="", help="a word for the log")
@common
def command(identifier: str, reason: str, vault_path: str | None, as_json: bool) -> None:
    """Take memory ID out of use. Its file stays; the turns it came from leave the search too."""
    with opened(vault_path) as vault:
        memory = vault.forget(identifier, reason)
    if wants_json(as_json):
        emit_json({"id": memory.id, "status": "retired"})
    else:
        say(f"forgot {memory.id}")
        talk(f"bring it back with: engram restore {memory.id}")
