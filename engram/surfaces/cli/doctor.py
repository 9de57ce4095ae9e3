"""`engram doctor`: check the vault, with one fix for each finding."""

from __future__ import annotations

import click

from engram.model.display import plain
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import styled


@click.command("doctor")
@common
def command() -> None:
    """Check everything the vault promises. Exit code 1 when something promised is not kept."""
    with opened() as vault:
        findings = vault.doctor()
    if wants_json():
        emit_json(findings)
    elif not findings:
        say("all is well")
    else:
        for finding in findings:
            color = "red" if finding.severity == "error" else "yellow"
            say(f"{styled(finding.severity, fg=color)}: {plain(finding.message)}", raw=True)
            say(f"  fix: {finding.fix}")
    broken = sum(finding.severity == "error" for finding in findings)
    if broken:
        verb = "is" if broken == 1 else "are"
        talk(f"error: {plural(broken, 'promise')} of the vault {verb} not kept")
        talk("hint: each finding names its fix")
        raise click.exceptions.Exit(1)
