"""`engram log [N]`: the changes, newest first; or the files and steps of one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engram.model.change import Transaction
from engram.model.consolidation_run import ConsolidationRun
from engram.model.display import plain
from engram.model.shown import ChangeEntry
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.consolidate import say_run, say_step
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.shown_times import shown_instant
from engram.surfaces.cli.terminal import hanging

if TYPE_CHECKING:
    from engram.vault import Vault

#: the column at which what a change was about begins, and how much of it is named
_BELOW, _NAMED = 8, 3


@click.command("log")
@click.argument("number", required=False, type=click.IntRange(1), metavar="[N]")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most changes.")  # fmt: skip
@common
def command(number: int | None, limit: int) -> None:
    """The changes, newest first, with what undid them; of change N its files and steps.

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
            say(hanging(_line(entry), _BELOW), raw=True)
            _say_subjects(entry, vault)
    if not entries:
        talk("nothing has happened yet")


def _say_subjects(entry: ChangeEntry, vault: Vault) -> None:
    """The memories that a change by hand was about, one line each."""
    for name in entry.subjects[:_NAMED]:
        say(memory_line(vault.memory(name), " " * _BELOW), raw=True)
    if len(entry.subjects) > _NAMED:
        say(f"{'':{_BELOW}}and {len(entry.subjects) - _NAMED} more: `engram log {entry.number}`")


def _line(entry: ChangeEntry) -> str:
    """`     7  2026-03-06T10:00:00Z  forget      1 file      undone`, harmless on a terminal."""
    notes = [entry.batch] if entry.batch else []
    notes += [f"undoes {' '.join(map(str, entry.undoes))}"] if entry.undoes else []
    notes += ["undone"] if entry.undone else []
    if entry.kind == "relink":
        notes.append(f"links of {plural(entry.changes, 'page')} follow a renamed file")
    notes += [f"left to you: {', '.join(entry.left)}"] if entry.left else []
    files = plural(entry.changes, "file")
    time = shown_instant(entry.time)
    shown = f"{entry.number:>6}  {time}  {entry.kind:<12}{files:<12}{'; '.join(notes)}"
    return plain(shown.rstrip())


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
