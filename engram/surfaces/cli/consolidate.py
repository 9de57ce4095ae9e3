"""`engram consolidate`: runs a consolidation now and prints each step with its reason."""

from __future__ import annotations

import click

from engram.model.consolidation_run import NO_MODEL, ConsolidationRun, Counts
from engram.model.model_request import Tier
from engram.model.report import Consolidated
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, program
from engram.surfaces.cli.output import emit_json, line, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted, progress


@click.command("consolidate")
@click.option("--full", is_flag=True, help="Look at everything, not only at what changed.")
@click.option("--dry-run", is_flag=True, help="Show the plan, change nothing.")
@click.option("--rules", is_flag=True, help="By the rules alone: no model is asked.")
@click.option("--model", is_flag=True, help="Only with a model: an error where none is configured.")
@common
def command(full: bool, dry_run: bool, rules: bool, model: bool) -> None:
    """Merge repeats, settle contradictions, let what is old rest, and bring the pages up.

    Where a model is configured it is asked about what the rules leave open, by a dry run too.
    Nothing is deleted: what leaves the active set keeps its file. `engram undo` takes the whole
    back, `engram undo N.K` its step K alone. Above 2,000 steps it is done in parts: one that was
    stopped is gone on with by the next.
    """
    if rules and model:
        raise click.UsageError("--rules and --model exclude each other")
    tier: Tier = "rules" if rules else "model" if model else "auto"
    with opened() as vault, progress(("steps done", None)) as (tell,):
        done = vault.consolidate(full=full, dry_run=dry_run, tier=tier, progress=tell)
    if wants_json():
        emit_json(shapes.consolidated(done))
    else:
        for number, step in enumerate(done.steps, done.first):
            say_step(str(number), step.action, step.subjects[0], step.why)
            for note in step.notes:
                say(fitted(note, 8))
    _tell(done, dry_run)


def say_step(number: str, action: str, subject: str, why: str) -> None:
    """A step in two lines: what is done to whom, and why."""
    line(f"{number:>6}  {action:<11}{subject}", 8)
    line(f"        {why}", 8)


def _tell(done: Consolidated, dry_run: bool) -> None:
    for code, count in done.refused:
        talk(f"left alone ({code}): {count}")
    if not done.steps:
        talk("there is nothing to do")
    elif dry_run:
        talk(f"would do {plural(len(done.steps), 'step')}; nothing was written")
    else:
        number = done.transaction
        talk(f"did {plural(len(done.steps), 'step')}; take it back with: {program()} undo {number}")
    if note := _left_out(done.run):
        talk(note)


def say_run(run: ConsolidationRun) -> None:
    """The record of a consolidation in a few lines: what it looked at, spent and left out."""
    scope = "all" if run.full else "changed"
    line(f"        looked at {run.looked_at:,} ({scope}) in {run.seconds:,.1f} s")
    if run.tiers:
        line(f"        tiers: {_counted(run.tiers)}")
    if run.refused:
        line(f"        left alone: {_counted(run.refused)}")
    if run.model.questions:
        used = run.model
        asked = plural(used.questions, "question")
        line(f"        model: {asked}, {used.tokens:,} tokens, ${used.usd:.4f}")
    if note := _left_out(run):
        line(f"        {note}", 8)


def _left_out(run: ConsolidationRun) -> str:
    """What no model answered, and what would change that; empty where all was done."""
    if dict(run.skipped).get("model") == NO_MODEL:
        return "by the rules alone: no model is configured (llm.model)"
    if not run.model.errors:
        return ""
    failed = plural(sum(count for _, count in run.model.errors), "question")
    raised = "; llm.run_usd, llm.daily_usd and the caps of tokens bound it"
    more = raised if "budget" in dict(run.model.errors) else ""
    return f"{failed} of {run.model.questions:,} got no answer ({_counted(run.model.errors)}){more}"


def _counted(counts: Counts) -> str:
    return ", ".join(f"{name}: {count:,}" for name, count in counts)
