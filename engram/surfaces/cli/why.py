"""`engram why ID`: where a memory came from, and all that happened to it."""

from __future__ import annotations

import click

from engram.model.display import plain_line
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, say, wants_json
from engram.surfaces.cli.terminal import paragraph, styled


@click.command("why")
@click.argument("identifier", metavar="ID")
@common
def command(identifier: str) -> None:
    """The turns that memory ID rests on, and every event since, oldest first."""
    with opened() as vault:
        origin = vault.origin(identifier)
    if wants_json():
        emit_json(shapes.origin(origin))
        return
    memory = origin.memory
    say(styled(memory.id, fg="cyan") + f" ({memory.status})", raw=True)
    say(paragraph(plain_line(memory.text), 2), raw=True)
    say(styled("from", bold=True), raw=True)
    for link, time, role, said in origin.receipts:
        say(f"  {time or 'unknown time'} {role} [[{link}]]")
        say(paragraph(plain_line(said), 4), raw=True)
    if memory.quote:
        say(styled("quoted", bold=True), raw=True)
        say(paragraph(plain_line(memory.quote), 4), raw=True)
    say(styled("since", bold=True), raw=True)
    for number, time, event in origin.events:
        details = " ".join(f"{key}={value}" for key, value in event.details)
        say(f"  {number:>4}  {time}  {event.name}")
        if details:
            say(paragraph(plain_line(details), 8), raw=True)
