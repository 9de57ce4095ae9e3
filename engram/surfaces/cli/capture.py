"""`engram capture -` and `capture --follow FOLDER`: turns from stdin, or as they are written."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engram.surfaces.cli.output import common, emit_json, opened, plural, say, talk, wants_json


@click.command("capture")
@click.argument("stdin", required=False, type=click.Choice(["-"]), metavar="[-]")
@click.option(
    "--follow", type=click.Path(path_type=Path), metavar="FOLDER", help="tail its transcripts"
)
@click.option("--source", default="claude-code", show_default=True, help="what FOLDER holds")
@click.option("--project", default="", help="the project of turns that name none")
@common
def command(
    stdin: str | None, follow: Path | None, source: str, project: str,
    vault_path: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Take in turns from stdin (`-`: JSON lines or text), or follow a FOLDER until Ctrl-C."""
    if (stdin is None) == (follow is None):
        raise click.UsageError("say `engram capture -` or `engram capture --follow FOLDER`")
    with opened(vault_path) as vault:
        if follow is not None:
            _follow(vault, source, follow)
            return
        taken = vault.capture_stream(sys.stdin.buffer, project=project)
        if wants_json(as_json):
            emit_json({"new_turns": taken.new, "redactions": taken.redactions})
        else:
            say(f"took in {plural(taken.new, 'new turn')}")


def _follow(vault: object, source: str, folder: Path) -> None:
    from engram.daemon.tail import Tail
    from engram.vault import Vault

    assert isinstance(vault, Vault)
    talk(f"following {folder}; Ctrl-C ends it")
    with Tail(vault, source, folder, talk) as tail:
        tail.run()
