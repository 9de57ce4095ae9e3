"""`engram consolidate`: runs a consolidation now and prints each step with its reason."""

from __future__ import annotations

import click

from engram.model.report import Consolidated
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted


@click.command("consolidate")
@click.option("--full", is_flag=True, help="Look at everything, not only at what changed.")
@click.option("--dry-run", is_flag=True, help="Show the plan, change nothing.")
@click.option("--rules", is_flag=True, help="By the rules alone: no model is asked.")
@common
def command(full: bool, dry_run: bool, rules: bool) -> None:
    """Merge repeats, settle contradictions, let what is old rest, and bring the pages up.

    Where a model is configured it is asked about what the rules leave open, by a dry run too.
    Nothing is deleted: what leaves the active set keeps its file. The whole is one change that
    `engram undo` takes back; `engram undo N.K` takes back its step K alone.
    """
    with opened() as vault:
        done = vault.consolidate(full=full, dry_run=dry_run, tier="rules" if rules else "auto")
    if wants_json():
        emit_json([shapes.step(number, step) for number, step in enumerate(done.steps, 1)])
    else:
        for number, step in enumerate(done.steps, 1):
            say_step(str(number), step.action, step.subjects[0], step.why)
            for note in step.notes:
                say(fitted(note, 8))
    _tell(done, dry_run)


def say_step(number: str, action: str, subject: str, why: str) -> None:
    """A step in two lines: what is done to whom, and why."""
    say(f"{number:>6}  {action:<11}{subject}")
    say(f"        {why}")


def _tell(done: Consolidated, dry_run: bool) -> None:
    for code, count in done.refused:
        talk(f"left alone ({code}): {count}")
    if not done.steps:
        talk("there is nothing to do")
    elif dry_run:
        talk(f"would do {plural(len(done.steps), 'step')}; nothing was written")
    else:
        number = done.transaction
        talk(f"did {plural(len(done.steps), 'step')}; take it back with: engram undo {number}")
