"""`engram entities`: the people, tools and projects of a vault, and the page of one of them."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import Verbs, common
from engram.surfaces.cli.output import emit_json, line, opened, plural, say, talk, wants_json

#: a longer id or name pushes only its own line to the right
_WIDEST = 32


@click.group("entities", cls=Verbs, invoke_without_command=True)
@common
@click.pass_context
def command(context: click.Context) -> None:
    """List who and what the memories speak of, the most named first.

    The columns: id, name, live memories, day of the newest one.
    """
    if context.invoked_subcommand is not None:
        return
    with opened() as vault:
        rows = vault.entities()
    if wants_json():
        emit_json([shapes.fields_of(row) for row in rows])
        return
    wide = min(max((len(row.id) for row in rows), default=0), _WIDEST)
    named = min(max((len(row.name) for row in rows), default=0), _WIDEST)
    for row in rows:
        count = plural(row.memories, "memory", "memories")
        line(f"{row.id:<{wide}}  {row.name:<{named}}  {count:<12}  {row.last}".rstrip(), 4)
    if not rows:
        talk("no memory names anyone or anything yet")


@command.command("show")
@click.argument("name", nargs=-1, required=True)
@common
def show(name: tuple[str, ...]) -> None:
    """Print the page of the entity NAME: an id, a name in any spelling, or an alias."""
    with opened() as vault:
        found, text = vault.entity(" ".join(name))
    if wants_json():
        emit_json(shapes.entity_page(found, text))
        return
    if found.path:
        talk(found.path)
    say(text.rstrip("\n"))
