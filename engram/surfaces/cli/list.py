"""`engram list`: the memories, filtered, newest first."""

from __future__ import annotations

from collections.abc import Iterable

import click

from engram.model.memory import Memory
from engram.surfaces.cli.output import common, emit_json, opened, say, talk, wants_json


@click.command("list")
@click.option("--category", multiple=True, help="only these categories")
@click.option("--status", multiple=True, help="these statuses instead of the live ones")
@click.option("--project", default="")
@click.option("--tag", default="")
@click.option("--since", default="", metavar="DAY", help="first day that counts")
@click.option("--before", default="", metavar="DAY", help="first day that does not")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1))
@common
def command(
    category: tuple[str, ...], status: tuple[str, ...], project: str, tag: str, since: str,
    before: str, limit: int, vault_path: str | None, as_json: bool,
) -> None:  # fmt: skip
    """The memories that pass the filters, newest first."""
    from engram.library import Filter
    from engram.model.memory import CATEGORIES, STATUSES

    for name, given, known in (("category", category, CATEGORIES), ("status", status, STATUSES)):
        for value in given:
            if value not in known:
                raise click.BadParameter(
                    f"{value}: one of {', '.join(known)}", param_hint=f"--{name}"
                )
    with opened(vault_path) as vault:
        vault.settle_within(vault.settings.recall.settle_ms)
        wanted = Filter(category, status, project, tag, since, before)
        found = vault.library.listing(wanted, limit)
    if wants_json(as_json):
        emit_json([row_of(memory) for memory in found])
        return
    show_rows(found)
    if not found:
        talk("no memories")


def row_of(memory: Memory) -> dict[str, object]:
    """A memory as one row of `--json`."""
    return {
        "id": memory.id, "category": memory.category, "status": memory.status,
        "kind": memory.kind, "created": memory.created, "project": memory.project,
        "text": memory.text, "confidence": memory.confidence, "importance": memory.importance,
        "tags": list(memory.tags), "file": memory.path,
    }  # fmt: skip


def show_rows(found: Iterable[Memory]) -> None:
    """One line a memory: id, status when it is not active, first line."""
    from engram.model.text import first_line

    for memory in found:
        flag = "" if memory.status == "active" else f" ({memory.status})"
        say(f"{memory.id}{flag}\n    {first_line(memory.text, 110)}")
