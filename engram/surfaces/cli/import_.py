"""`engram import SOURCE [PATH]`: take in transcripts once, as one batch that `undo` takes back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput, NotFound
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import progress

if TYPE_CHECKING:
    from engram.flow import Outcome
    from engram.imports import Report

AUTO = "auto"


@click.command("import")
@click.argument("source")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--dry-run", is_flag=True, help="Read and count, write nothing.")
@click.option("--no-extract", is_flag=True, help="Buffer the turns, extract later.")
@common
def command(source: str, path: Path | None, dry_run: bool, no_extract: bool) -> None:
    """Take in the transcripts of SOURCE at PATH, a file or a folder.

    SOURCE is one of the names that `engram sources` lists, or `auto`: every file is taken for what
    it looks like. Without PATH the places are read where SOURCE keeps its transcripts. What was
    captured before is recognised: importing twice adds nothing.
    """
    rows = []
    with opened() as vault:
        for name, paths in _places(source, path).items():
            steps: list[tuple[str, int | None]] = [
                (f"reading {name}", vault.bytes_to_read(name, *paths))
            ]
            steps += [] if dry_run or no_extract else [("extracting", None)]
            with progress(*steps) as tell:
                report, outcome = vault.import_files(
                    name, *paths, extract=not no_extract, dry_run=dry_run, progress=tell[0],
                    extracted=tell[-1],
                )  # fmt: skip
            if path is not None and not os.path.isdir(path) and report.problems:
                raise BadInput(report.problems[0][1])
            rows.append(_row(name, report, outcome))
            _talk_of(name, report)
            if not wants_json():
                _say(f"{name}: " if source == AUTO else "", report, outcome, dry_run)
    if wants_json():
        emit_json(rows if source == AUTO else rows[0])


def _places(source: str, path: Path | None) -> dict[str, list[Path]]:
    """What to read, by the name of its source. Raises NotFound when there is nothing."""
    from engram.capture.sources import SOURCES
    from engram.capture.sources import source as source_of
    from engram.imports import by_source
    from engram.settings.places import places_of

    if path is not None:
        found = {source: [path]} if source != AUTO else by_source(path)
    else:
        home = places_of(os.environ).home
        names = SOURCES if source == AUTO else (source,)
        known = {name: source_of(name).discover(home, os.environ) for name in names}
        here = {name: [at for at in places if os.path.exists(at)] for name, places in known.items()}
        found = {name: places for name, places in here.items() if places}
    if not found:
        what = "transcripts" if source == AUTO else f"{source} transcripts"
        where = f"in {path}" if path else "in their usual places"
        raise NotFound(f"there are no {what} {where}", "`engram sources` lists sources and places")
    return found


def _row(source: str, report: Report, outcome: Outcome) -> dict[str, object]:
    return {
        "source": source,
        "files": report.files,
        "sessions": len(report.sessions),
        "turns": report.turns,
        "user_turns": report.user_turns,
        "assistant_turns": report.assistant_turns,
        "queued_turns": report.queued_turns,
        "new_turns": report.new_turns,
        "unparsed_lines": report.tally.unparsed_lines,
        "redactions": report.redactions,
        "memories": outcome.memories,
        "confirmed": outcome.confirmed,
        "superseded": outcome.superseded,
        "refused": outcome.refused,
        "problems": [{"file": name, "problem": problem} for name, problem in report.problems],
        "batch": report.batch,
    }


def _say(title: str, report: Report, outcome: Outcome, dry_run: bool) -> None:
    """What was read, what became of it, what was left out."""
    read = plural(report.files, "file")
    if report.new_turns:
        verb = "would take in" if dry_run else "took in"
        turns = plural(report.new_turns, "new turn")
        say(f"{title}{verb} {turns} of {report.turns:,} from {read}")
    else:
        say(f"{title}nothing new in {read}")
    if report.redactions:
        say(f"redacted {plural(report.redactions, 'secret')} before anything was written")
    if report.tally.unparsed_lines:
        say(f"left out {plural(report.tally.unparsed_lines, 'line')} that could not be read")
    if outcome.turns:
        written = plural(outcome.memories, "memory", "memories")
        say(
            f"wrote {written}, confirmed {outcome.confirmed}, superseded {outcome.superseded},"
            f" refused {sum(outcome.refused.values())}"
        )


def _talk_of(source: str, report: Report) -> None:
    for name, problem in report.problems:
        talk(f"skipped {name}: {problem}")
    if not (report.files or report.problems or report.excluded):
        talk(f"there is no file that {source} could be in")
    elif report.tally.lines and not report.turns:
        talk(f"no turn was found; is {source} the right SOURCE?")
    if report.batch and report.new_turns:
        talk(f"take it back with: engram undo {report.batch}")
