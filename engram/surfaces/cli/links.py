"""`engram links ID`: what a memory or summary points to, and what points to it."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json


@click.command("links")
@click.argument("identifier", metavar="ID")
@common
def command(identifier: str) -> None:
    """The links of memory or summary ID in both directions, with the reason of each."""
    with opened() as vault:
        found = vault.links(identifier)
    if wants_json():
        emit_json([shapes.link(one) for one in found])
        return
    for one in found:
        edge = one.edge
        why = [edge.reason, f"transaction {edge.transaction}"] if edge and edge.transaction else []
        told = "; ".join(filter(None, why))
        say(f"{one.relation:<17}{one.target}" + (f"  ({told})" if told else ""))
    if not found:
        talk("no links")
