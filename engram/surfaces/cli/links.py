"""`engram links ID`: what a memory points to, and what points to it."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json


@click.command("links")
@click.argument("identifier", metavar="ID")
@common
def command(identifier: str) -> None:
    """The links of memory ID in both directions."""
    with opened() as vault:
        found = vault.links(identifier)
    if wants_json():
        emit_json([shapes.link(relation, target) for relation, target in found])
        return
    for relation, target in found:
        say(f"{relation:<14}{target}")
    if not found:
        talk("no links")
