"""`engram import SOURCE PATH`: take in transcripts once, as one batch that `undo` takes back."""

from __future__ import annotations

from pathlib import Path

import click

from engram.surfaces.cli.output import (
    common,
    emit_json,
    opened,
    plural,
    progress,
    say,
    talk,
    wants_json,
)  # fmt: skip


@click.command("import")
@click.argument("source")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="read and count, write nothing")
@click.option("--no-extract", is_flag=True, help="buffer the turns, extract later")
@common
def command(
    source: str, path: Path, dry_run: bool, no_extract: bool, vault_path: str | None, as_json: bool
) -> None:
    """Take in the transcripts of SOURCE at PATH, a file or a folder.

    SOURCE is one of the names that `engram sources` lists. What was captured before is recognised:
    importing twice adds nothing.
    """
    with opened(vault_path) as vault:
        total = vault.bytes_to_read(source, path)
        with progress(total, f"reading {path.name}") as advance:
            report, outcome = vault.import_files(
                source, path, extract=not no_extract, dry_run=dry_run, progress=advance
            )
    row = {
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
        "batch": report.batch,
    }
    for name, problem in report.problems:
        talk(f"skipped {name}: {problem}")
    if wants_json(as_json):
        emit_json(row)
        return
    verb = "would take in" if dry_run else "took in"
    read = plural(report.files, "file")
    say(f"{verb} {plural(report.new_turns, 'new turn')} of {report.turns:,} from {read}")
    if report.redactions:
        say(f"redacted {plural(report.redactions, 'secret')} before anything was written")
    if report.tally.unparsed_lines:
        say(f"left out {plural(report.tally.unparsed_lines, 'line')} that could not be read")
    if not dry_run and not no_extract:
        written = plural(outcome.memories, "memory", "memories")
        refused = sum(outcome.refused.values())
        say(
            f"wrote {written}, confirmed {outcome.confirmed}, superseded {outcome.superseded},"
            f" refused {refused}"
        )
    if report.batch and report.new_turns:
        talk(f"take it back with: engram undo {report.batch}")
