"""`engram undo [WHAT]`: take a change back; undoing an undo brings it again."""

from __future__ import annotations

import click

from engram.model.change import Plan, Transaction, turns_in
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, program
from engram.surfaces.cli.output import emit_json, line, opened, plural, say, talk, wants_json


@click.command("undo")
@click.argument("what", required=False, default="", metavar="[N | N.K | import-N | capture-N]")
@click.option("--dry-run", is_flag=True, help="List the files, change nothing.")
@common
def command(what: str, dry_run: bool) -> None:
    """Take back the last change, transaction N, step K of a consolidation N, or a whole import.

    An import goes with all that was extracted from it and written of it since, and is not captured
    again until you import it. A file that you changed since is never overwritten: the undo is
    refused and shows both versions. What was purged is passed over and named.
    """
    with opened() as vault:
        if dry_run:
            done = Transaction(0, vault.clock.now(), vault.undo_plan(what))
        else:
            done = vault.undo(what)
    plan = done.plan
    if wants_json():
        emit_json(shapes.undo(done))
        return
    line(f"{'would undo' if dry_run else 'undid'} {_summary(plan)}", 4)
    for name in shapes.purged_of(plan):
        talk(f"{name} was purged and stays gone")
    if dry_run:
        for change in plan.changes:
            say(f"    {'remove' if change.after is None else 'restore'} {change.path}")
        return
    for path in done.left:
        talk(f"{path} was changed meanwhile and stays as it is")
    talk(f"have it again with: {program()} undo {done.number}")


def _summary(plan: Plan) -> str:
    """`1 2: 28 files as before, 78 turns taken back`."""
    parts = [f"{plural(len(plan.changes), 'file')} as before"]
    counts = (
        (plan.withdraw, "taken back"), (plan.readmit, "here again"),
        (plan.requeue, "to be extracted again"),
    )  # fmt: skip
    for ranges, word in counts:
        if ranges:
            parts.append(f"{plural(turns_in(ranges), 'turn')} {word}")
    names = " ".join(map(str, plan.undoes)) or plan.batch or "the import"
    return f"{names}: {', '.join(parts)}"
