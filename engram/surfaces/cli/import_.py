"""`engram import SOURCE [PATH]`: take in transcripts once, as one batch that `undo` takes back.

`import auto`, and an import that a model is to read, first say what they would do and what it
would cost; they go on when the person says yes, or said `--yes`. Without a terminal that is all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.asking import agreed
from engram.surfaces.cli.extract import postponement, refusals_told, show_estimate
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import progress

if TYPE_CHECKING:
    from engram.model.intake import ExtractionResult, ImportReport
    from engram.model.model_request import Estimate
    from engram.vault import Vault

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

    rows: list[dict[str, object]] = []
    with opened() as vault:
        if model:
            vault.check_tier("model")  # says so when there is none, before anything is read
        places = LocalSources(os.environ).to_import(source, path)
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
        for name, paths in places.items():
            rows.append(_take_in(vault, source, name, paths, no_extract, model, again))
    if wants_json():
        emit_json(rows if source == AUTO else rows[0])


Planned = tuple[str, "ImportReport", "Estimate"]


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
    again: bool,
) -> dict[str, object]:  # fmt: skip
    steps: list[tuple[str, int | None]] = [(f"reading {name}", vault.bytes_to_read(name, *paths))]
    steps += [] if no_extract else [("extracting", None)]
    with progress(*steps) as tell:
        report, outcome = vault.import_files(
            name, *paths, extract=not no_extract, tier="model" if model else "auto",
            again=again, progress=tell[0], extracted=tell[-1],
        )  # fmt: skip
    _refuse_unreadable(paths, report)
    _talk_of(name, report)
    if not wants_json():
        _say(f"{name}: " if source == AUTO else "", report, outcome)
    postponement(outcome)
    return shapes.imported(name, report, outcome)


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
    if outcome is not None and outcome.turns:
        written = plural(outcome.memories, "memory", "memories")
        say(
            f"wrote {written}, confirmed {outcome.confirmed}, superseded {outcome.superseded},"
            f"{f' updated {outcome.updated},' if outcome.updated else ''}"
            f" {refusals_told(outcome.refused)}"
        )


def _talk_of(source: str, report: ImportReport) -> None:
    for name, problem in report.problems:
        talk(f"skipped {name}: {problem}")
    for name, what in report.tally.notes[:_NOTES]:
        talk(f"left out of {name}: {what}")
    if len(report.tally.notes) > _NOTES:
        talk(f"{len(report.tally.notes) - _NOTES} more such notes")
    if not (report.files or report.problems or report.excluded):
        talk(f"there is no file that {source} could be in")
    elif report.excluded:
        talk(f"capture.exclude kept out {report.excluded} files or turns")
    elif report.tally.lines and not report.turns:
        talk(f"no turn was found; is {source} the right SOURCE?")
    if report.withheld:
        turns = plural(report.withheld, "turn")
        talk(f"{turns} that you took back stay away; to have them: engram import {source}")
    if report.batch and report.new_turns:
        talk(f"take it back with: engram undo {report.batch}")
