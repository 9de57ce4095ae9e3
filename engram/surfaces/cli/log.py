"""`engram log [N]`: the changes, newest first; or the files and steps of one of them."""

from __future__ import annotations

import click

from engram.model.change import Transaction
from engram.model.consolidation_run import ConsolidationRun
from engram.model.shown import ChangeEntry
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.consolidate import say_run, say_step
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.shown_times import shown_instant


@click.command("log")
@click.argument("number", required=False, type=click.IntRange(1), metavar="[N]")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most changes.")  # fmt: skip
@common
def command(number: int | None, limit: int) -> None:
    """The transactions, newest first, with what undid them; of transaction N its files and steps.

    Step K of a consolidation N is taken back with `engram undo N.K`.
    """
    with opened() as vault:
        if number is not None:
            _show(vault.change(number), vault.consolidation_run(number))
            return
        entries = vault.log(limit)
    if wants_json():
        emit_json([shapes.fields_of(entry) for entry in entries])
        return
    for entry in entries:
        say(_line(entry))
    if not entries:
        talk("nothing has happened yet")


def _line(entry: ChangeEntry) -> str:
    notes = [entry.batch] if entry.batch else []
    notes += [f"undoes {' '.join(map(str, entry.undoes))}"] if entry.undoes else []
    notes += ["undone"] if entry.undone else []
    notes += [f"left to you: {', '.join(entry.left)}"] if entry.left else []
    files = plural(entry.changes, "file")
    time = shown_instant(entry.time)
    shown = f"{entry.number:>6}  {time}  {entry.kind:<12}{files:<12}{'; '.join(notes)}"
    return shown.rstrip()


def _show(one: Transaction, run: ConsolidationRun | None) -> None:
    row = shapes.transaction(one, run)
    if wants_json():
        emit_json(row)
        return
    say(f"{one.number:>6}  {shown_instant(one.time)}  {one.plan.kind}")
    if run is not None:
        say_run(run)
    for change in row["changes"]:
        say(f"        {change['why'] or 'changed'}: {change['path']}")
    for step in row["steps"]:
        say_step(f"{one.number}.{step['step']}", step["action"], step["subjects"][0], step["why"])
