"""`engram log`: the changes, newest first."""

from __future__ import annotations

import click

from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json


@click.command("log")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most changes.")  # fmt: skip
@common
def command(limit: int) -> None:
    """The transactions, newest first, with what undid them."""
    with opened() as vault:
        vault.settle_within(vault.settings.recall.settle_ms)
        entries = vault.log(limit)
    if wants_json():
        emit_json(entries)
        return
    for entry in entries:
        notes = [entry.batch] if entry.batch else []
        notes += [f"undoes {' '.join(map(str, entry.undoes))}"] if entry.undoes else []
        notes += ["undone"] if entry.undone else []
        notes += [f"left to you: {', '.join(entry.left)}"] if entry.left else []
        files = plural(entry.changes, "file")
        line = f"{entry.number:>6}  {entry.time}  {entry.kind:<10}{files:<12}{'; '.join(notes)}"
        say(line.rstrip())
    if not entries:
        talk("nothing has happened yet")
