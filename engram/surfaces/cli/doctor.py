"""`engram doctor`: check the vault, with one fix for each finding."""

from __future__ import annotations

import click

from engram.model.display import plain
from engram.surfaces.cli.output import common, emit_json, opened, plural, say, styled, wants_json


@click.command("doctor")
@common
def command(vault_path: str | None, as_json: bool) -> None:
    """Check everything the vault promises. Exit code 1 when something promised is not kept."""
    with opened(vault_path) as vault:
        findings = vault.doctor()
    if wants_json(as_json):
        emit_json(findings)
    elif not findings:
        say("all is well")
    else:
        for finding in findings:
            color = "red" if finding.severity == "error" else "yellow"
            say(f"{styled(finding.severity, fg=color)}: {plain(finding.message)}", raw=True)
            say(f"  fix: {finding.fix}")
        say(plural(len(findings), "finding"))
    if any(finding.severity == "error" for finding in findings):
        raise click.exceptions.Exit(1)
