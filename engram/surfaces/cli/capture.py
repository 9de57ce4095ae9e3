"""`engram capture -` and `capture --follow FOLDER`: turns from stdin, or as they are written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, program
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json

if TYPE_CHECKING:
    from engram.vault import Vault


@click.command("capture")
@click.argument("stdin", required=False, type=click.Choice(["-"]), metavar="[-]")
@click.option(
    "--follow", type=click.Path(path_type=Path), metavar="FOLDER", help="Tail its transcripts."
)
@click.option("--source", default="claude-code", show_default=True, metavar="NAME",
              help="What FOLDER holds.")  # fmt: skip
@click.option("--project", default="", metavar="NAME", help="The project of turns that name none.")
@common
def command(stdin: str | None, follow: Path | None, source: str, project: str) -> None:
    """Take in turns from stdin (`-`: JSON lines or text), or follow a FOLDER until Ctrl-C."""
    if (stdin is None) == (follow is None):
        raise click.UsageError(
            "say `engram capture -` or `engram capture --follow FOLDER`",
            click.get_current_context(),
        )
    with opened() as vault:
        if follow is not None:
            _follow(vault, source, follow)
            return
        taken = vault.capture_stream(sys.stdin.buffer, project=project)
    if wants_json():
        emit_json(shapes.capture(taken))
        return
    say(f"took in {plural(taken.new, 'new turn')}")
    if taken.redactions:
        say(f"redacted {plural(taken.redactions, 'secret')} before anything was written")
    if taken.withheld:
        talk(f"left out {plural(taken.withheld, 'turn')} that you took back")
    if taken.batch:
        talk(f"take it back with: {program()} undo {taken.batch}")


def _follow(vault: Vault, source: str, folder: Path) -> None:
    from engram.daemon.tail import Tail

    with Tail(vault, source, folder, talk) as tail:
        talk(f"following {folder}; Ctrl-C ends it")
        tail.run()
