"""`engram list`: the memories, filtered, newest first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from engram.model.memory import SCHEMAS, SESSION, SPACES, STATUSES
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import CATEGORY, as_of, common, period
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.model.memory import Memory

#: sessions that are counted at most
_MOST_COUNTED = 10_000


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
    """The memories that pass the filters, newest first.

    Records of sessions are counted below the others; --schema session, --category and --json show
    them.
    """
    is_page = not (category or schema or wants_json())
    with opened() as vault:
        asked = partial(
            vault.list, categories=category, statuses=status, project=project, tag=tag,
            since=since, before=before, as_of=as_of, space=space or "",
        )  # fmt: skip
        found = asked(schemas=schema, without=SESSION if is_page else "", limit=limit + 1)
        sessions = len(asked(schemas=(SESSION,), limit=_MOST_COUNTED)) if is_page else 0
    shown = found[:limit]
    if wants_json():
        emit_json([shapes.memory_row(memory) for memory in shown])
    else:
        show_rows(shown)
    if len(found) > limit:
        talk(f"there are more: --limit {limit * 10} shows older ones too")
    if sessions:
        talk(counted(sessions, "engram list --schema session", beside=bool(found)))
    elif not found:
        talk("no memories")


def counted(sessions: int, command: str, *, beside: bool) -> str:
    """How many records of sessions there are, beside what is shown, and what shows them."""
    return f"{'and ' if beside else ''}{plural(sessions, 'session')}: {command}"


def show_rows(found: Iterable[Memory]) -> None:
    """One line a memory."""
    for memory in found:
        say(memory_line(memory), raw=True)
