"""`engram import SOURCE [PATH]`: take in transcripts once, as one batch that `undo` takes back.

`import auto`, and an import that a model is to read, first say what they would do and what it
would cost; they go on when the person says yes, or said `--yes`. Without a terminal that is all.
Of a folder of notes it first says what lies there, and asks where that is much (`import_notes`).
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput, EngramError, NotFound
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, program
from engram.surfaces.cli.asking import agreed
from engram.surfaces.cli.extract import postponement, show_estimate
from engram.surfaces.cli.import_notes import agreed_notes
from engram.surfaces.cli.import_summary import say_learnt, talk_next
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import progress
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from engram.model.intake import ExtractionResult, ImportReport
    from engram.model.model_request import Estimate
    from engram.vault import Vault
    from engram.vault.local_sources import LocalSources

#: of a source its name, what was read, and what came of it or would cost
Taken = tuple[str, "ImportReport", "ExtractionResult"]
Planned = tuple[str, "ImportReport", "Estimate"]

AUTO = "auto"
#: as many notes on what was left out are shown
_NOTES = 20


@click.command("import")
@click.argument("source")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--dry-run", is_flag=True, help="Read and count, write nothing.")
@click.option("--no-extract", is_flag=True, help="Buffer the turns, extract later.")
@click.option("--model", is_flag=True, help="Let the configured model read it, after an estimate.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def command(
    source: str, path: Path | None, dry_run: bool, no_extract: bool, model: bool, yes: bool
) -> None:
    """Take in the transcripts of SOURCE at PATH, a file or a folder.

    SOURCE is one of the names that `engram sources` lists, or `auto`: every file is taken for what
    it looks like. Without PATH the places are read where SOURCE keeps its transcripts. What was
    captured before is recognised: importing twice adds nothing. The rules extract from it, which
    costs nothing; with --model the model does too.
    """
    from engram.vault.local_sources import LocalSources

    local = LocalSources(os.environ)
    taken: list[Taken] = []
    with opened() as vault:
        if model:
            vault.check_tier("model")  # says so when there is none, before anything is read
        _check_source(source, local)
        places = local.to_import(source, path)
        if source != AUTO and path is not None:
            notes = local.notes_below(source, path) if source in local.notes else None
            if notes and not agreed_notes(source, path, notes, dry_run=dry_run, yes=yes):
                return
            _refuse_another(vault, source, path, local)
        again = source != AUTO or path is not None
        if dry_run or ((source == AUTO or model) and not yes):
            plan = _plan(vault, source, places, model, again)
            if dry_run or not _confirmed(plan):
                if wants_json():
                    planned = [
                        shapes.imported(name, report, None, cost) for name, report, cost in plan
                    ]
                    emit_json(planned if source == AUTO else planned[0])
                return
        try:
            for name, paths in places.items():
                batch = next((report.batch for _, report, _ in taken if report.batch), "")
                taken.append(_take_in(vault, source, name, paths, no_extract, model, again, batch))
        except EngramError:
            _end(vault, taken, no_extract)  # what was taken in before is there
            raise
        _end(vault, taken, no_extract)
        if source != AUTO and not taken[0][1].turns:
            whole, _ = vault.import_files(source, *places[source], dry_run=True)
            _refuse_silent(source, whole, ", ".join(map(str, places[source])))
    if wants_json():
        rows = [shapes.imported(*one) for one in taken]
        emit_json(rows if source == AUTO else rows[0])


def _check_source(source: str, local: LocalSources) -> None:
    """Raise BadInput for a SOURCE that there is none of; a path in its place is told as one."""
    if source == AUTO or source in local.names:
        return
    if os.path.exists(source):
        hint = f"engram import auto {shlex.quote(source)}"
        raise BadInput(f"{source!r} is a path, and the SOURCE comes before it", hint)
    local.places(source)  # says which are like it


def _refuse_another(vault: Vault, source: str, path: Path, local: LocalSources) -> None:
    """Raise BadInput for files of another source, before anything is written.

    What is recognised is not read twice.
    """
    like = local.looks_like(path)
    if source in like:
        return
    report, _ = vault.import_files(source, path, dry_run=True)
    if report.turns or report.excluded or report.problems:
        return
    if like:
        hint = f"engram import {like[0]} {shlex.quote(str(path))}"
        raise BadInput(f"{path} is of {like[0]}, not of {source}", hint)
    _refuse_silent(source, report, str(path))


def _refuse_silent(source: str, report: ImportReport, where: str) -> None:
    """Raise for an import in which there is no turn, old or new."""
    if report.turns or report.excluded or report.problems:
        return
    hint = "`engram sources` lists what is understood, and where it is looked for"
    if not report.files:
        raise NotFound(f"there is no file that {source} could be in: {where}", hint)
    if report.tally.lines:
        raise BadInput(f"{where} holds no conversation of {source}", hint)


def _end(vault: Vault, taken: Sequence[Taken], no_extract: bool) -> None:
    """One summary of all sources; a script reads it in the rows."""
    batch = next((report.batch for _, report, _ in taken if report.new_turns), "")
    if wants_json() or not batch:
        return
    outcomes = [outcome for _, _, outcome in taken]
    if no_extract:
        talk(f"take it back with: {program()} undo {batch}")
        return
    learnt = vault.learnt(batch, vault.projects_in(caller().folder))
    say_learnt(learnt, outcomes)
    talk_next(learnt, batch)


def _plan(
    vault: Vault, source: str, places: Mapping[str, Sequence[Path]], model: bool, again: bool
) -> list[Planned]:
    """What an import would read, said for each source, and the price of a model for all of it."""
    plan: list[Planned] = []
    for name, paths in places.items():
        with progress((f"reading {name}", vault.bytes_to_read(name, *paths))) as (read,):
            report, cost = vault.forecast(name, *paths, again=again, progress=read)
        _refuse_unreadable(paths, report)
        plan.append((name, report, cost))
        _talk_of(name, report)
        if not wants_json():
            _say(f"{name}: " if source == AUTO else "", report, None)
    if (source == AUTO or model) and not wants_json():
        show_estimate([cost for _, _, cost in plan], asked=model)
    return plan


def _confirmed(plan: Sequence[Planned]) -> bool:
    """Whether to go on; without a terminal nobody is asked."""
    turns = sum(report.new_turns for _, report, _ in plan)
    if not turns:
        return False
    if not sys.stdin.isatty():
        talk("nothing was imported; to do it, say so: --yes")
        return False
    if agreed(f"take in {plural(turns, 'turn')}?"):
        return True
    talk("nothing was imported")
    return False


def _take_in(
    vault: Vault, source: str, name: str, paths: Sequence[Path], no_extract: bool, model: bool,
    again: bool, batch: str,
) -> Taken:  # fmt: skip
    steps: list[tuple[str, int | None]] = [(f"reading {name}", vault.bytes_to_read(name, *paths))]
    steps += [] if no_extract else [("extracting", None)]
    with progress(*steps) as tell:
        report, outcome = vault.import_files(
            name, *paths, extract=not no_extract, tier="model" if model else "auto",
            again=again, batch=batch, progress=tell[0], extracted=tell[-1],
        )  # fmt: skip
    _refuse_unreadable(paths, report)
    _talk_of(name, report)
    if not wants_json():
        _say(f"{name}: " if source == AUTO else "", report, outcome)
    postponement(outcome)
    return name, report, outcome


def _refuse_unreadable(paths: Sequence[Path], report: ImportReport) -> None:
    """Raise BadInput for a file that was named and cannot be read; in a folder it is passed by."""
    if report.problems and len(paths) == 1 and not os.path.isdir(paths[0]):
        raise BadInput(report.problems[0][1])


def _say(title: str, report: ImportReport, outcome: ExtractionResult | None) -> None:
    """What was read, what became of it, what was left out; without an outcome, what would be."""
    read = plural(report.files, "file")
    if report.new_turns:
        verb = "took in" if outcome is not None else "would take in"
        turns = plural(report.new_turns, "new turn")
        say(f"{title}{verb} {turns} of {report.turns:,} from {read}")
    else:
        say(f"{title}nothing new in {read}")
    if report.returned:
        say(f"{plural(report.returned, 'turn')} of them had been taken back before")
    if report.redactions:
        say(f"redacted {plural(report.redactions, 'secret')} before anything was written")
    if report.tally.unparsed_lines:
        say(f"left out {plural(report.tally.unparsed_lines, 'line')} that could not be read")


def _talk_of(source: str, report: ImportReport) -> None:
    for name, problem in report.problems:
        talk(f"skipped {name}: {problem}")
    for name, what in report.tally.notes[:_NOTES]:
        talk(f"left out of {name}: {what}")
    if len(report.tally.notes) > _NOTES:
        talk(f"{len(report.tally.notes) - _NOTES} more such notes")
    if report.excluded:
        talk(f"capture.exclude kept out {report.excluded} files or turns")
    if report.withheld:
        turns = plural(report.withheld, "turn")
        talk(f"{turns} that you took back stay away; to have them: engram import {source}")
