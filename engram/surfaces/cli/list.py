"""`engram list`: the memories, filtered, newest first."""

from __future__ import annotations

from collections.abc import Iterable

import click

from engram.model.memory import SCHEMAS, SPACES, STATUSES, Memory, is_proposed
from engram.model.schemas import schema_of
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import CATEGORY, as_of, common, period
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted, styled


@click.command("list")
@click.option("--category", multiple=True, type=CATEGORY, metavar="NAME",
              help="Only these categories: fact, decision, preference ...")  # fmt: skip
@click.option("--schema", multiple=True, type=click.Choice(SCHEMAS), metavar="NAME",
              help="Only these records: session, decision, runbook ...")  # fmt: skip
@click.option("--status", multiple=True, type=click.Choice(STATUSES), metavar="NAME",
              help="Of these statuses (superseded, retired ...), not live ones.")  # fmt: skip
@click.option("--project", default="", metavar="NAME", help="Only this project.")
@click.option("--space", type=click.Choice(SPACES), metavar="NAME",
              help="Only this space: session, user, project or system.")  # fmt: skip
@click.option("--tag", default="", metavar="NAME", help="Only with this tag.")
@click.option("--since", callback=period, metavar="DAY",
              help="First day that counts: 2026-03-06, or 2026-03.")  # fmt: skip
@click.option("--before", callback=period, metavar="DAY", help="First day that does not.")
@as_of
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most memories.")  # fmt: skip
@common
def command(
    category: tuple[str, ...], schema: tuple[str, ...], status: tuple[str, ...], project: str,
    space: str | None, tag: str, since: str, before: str, as_of: str, limit: int,
) -> None:  # fmt: skip
    """The memories that pass the filters, newest first."""
    with opened() as vault:
        found = vault.list(
            categories=category, statuses=status, project=project, tag=tag, since=since,
            before=before, as_of=as_of, schemas=schema, space=space or "", limit=limit + 1,
        )  # fmt: skip
    shown = found[:limit]
    if wants_json():
        emit_json([shapes.memory_row(memory) for memory in shown])
    else:
        show_rows(shown)
    if not found:
        talk("no memories")
    elif len(found) > limit:
        talk(f"there are more: --limit {limit * 10} shows older ones too")


def show_rows(found: Iterable[Memory]) -> None:
    """Two lines a memory: its id, its status when it is not active, then what it says.

    A decision that nobody has agreed to is called a proposal.
    """
    for memory in found:
        standing = "proposed" if is_proposed(memory) else "active"
        standing = standing if memory.status == "active" else memory.status
        flag = "" if standing == "active" else f" ({standing})"
        say(styled(memory.id, fg="cyan") + flag, raw=True)
        say(fitted(_said(memory), 4))


def _said(memory: Memory) -> str:
    """A record by its title and statement, any other memory by what it says.

    A title that is how the statement begins is not told twice.
    """
    if not memory.title or not schema_of(memory.category, memory.schema):
        return memory.text
    if " ".join(memory.title.casefold().split()) in " ".join(memory.text.casefold().split()):
        return memory.text
    return f"{memory.title}: {memory.text}"
