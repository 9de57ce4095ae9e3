"""`engram show ID`: one memory, as its file says it."""

from __future__ import annotations

import dataclasses

import click

from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json


@click.command("show")
@click.argument("identifier", metavar="ID")
@common
def command(identifier: str) -> None:
    """Print the file of memory ID: an id, its beginning, or a docid such as a1b2c3."""
    with opened() as vault:
        vault.settle_within(vault.settings.recall.settle_ms)
        memory = vault.library.memory(identifier)
        text = vault.library.text_of(memory)
    if wants_json():
        row = dataclasses.asdict(memory)
        emit_json(row | {"extra": memory.extras, "file": memory.path, "markdown": text})
        return
    talk(memory.path)
    say(text.rstrip("\n"))
