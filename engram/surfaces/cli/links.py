"""`engram links ID`: what a memory, page, turn or conversation points to, and what points to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engram.model.display import plain_line
from engram.model.entity import Entity
from engram.model.memory import Memory
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json
from engram.surfaces.cli.terminal import hanging

if TYPE_CHECKING:
    from engram.model.edge import Link

#: the column at which what is pointed to begins
_TARGET = 17


@click.command("links")
@click.argument("identifier", metavar="ID")
@common
def command(identifier: str) -> None:
    """The links of ID in both directions, with the reason of each.

    ID is a memory, a box, an entity, a summary, a turn or a conversation, by any name that `engram
    show` takes.
    """
    with opened() as vault:
        found = vault.links(identifier)
    if wants_json():
        emit_json([shapes.link(one) for one in found])
        return
    for one in found:
        say(_line(one), raw=True)
    if not found:
        talk("no links")


def _line(one: Link) -> str:
    """`superseded by    #8f26a5 2026-03-04 decision shop  title (moved to Fly; transaction 7)`."""
    edge, content = one.edge, one.content
    why = [edge.reason, f"transaction {edge.transaction}"] if edge and edge.transaction else []
    told = "; ".join(filter(None, why))
    relation = f"{plain_line(one.relation):<{_TARGET - 1}} "
    if isinstance(content, Memory):
        return memory_line(content, relation, note=told)
    name = ""
    if content is not None:
        name = content.name if isinstance(content, Entity) else content.title
    shown = plain_line(f"{one.target}  {name}".rstrip() + (f"  ({told})" if told else ""))
    return hanging(f"{relation}{shown}", _TARGET)
