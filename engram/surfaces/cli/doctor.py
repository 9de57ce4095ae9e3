"""`engram doctor`: check the vault, or transcripts, with one fix for each finding."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.display import plain
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import progress, styled

if TYPE_CHECKING:
    from engram.model.findings import Finding
    from engram.model.intake import SourceCheck


@click.command("doctor")
@click.option("--sources", is_flag=True, help="Check transcripts instead of the vault.")
@click.option("--quick", is_flag=True, help="Without the two trials.")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@common
def command(sources: bool, quick: bool, paths: tuple[Path, ...]) -> None:
    """Check everything the vault promises. Exit code 1 when something promised is not kept.

    Then the daemon, if there is one, and two trials: each hook in the settings of your agents is
    run once, in a dry run; and a new memory is written, extracted, found and forgotten in an empty
    vault, which is made for that in a temporary folder and removed.

    With --sources: read the transcripts on this machine, or the files and folders at PATH, and
    tell what their sources do not understand. No vault is needed and nothing is written.
    """
    if sources:
        _check_sources(paths)
    elif paths:
        raise click.UsageError("a PATH goes with --sources")
    else:
        _check_vault(quick)


def _check_vault(quick: bool) -> None:
    # the trial is made unasked: who needs it most does not know that anything is wrong
    from engram.model.findings import in_order
    from engram.vault.canary import sing

    with opened() as vault:
        found = vault.doctor()
    findings = in_order([*found, *_check_machine(quick), *([] if quick else sing())])
    if wants_json():
        emit_json([shapes.fields_of(finding) for finding in findings])
    elif not findings:
        say("all is well")
    else:
        _say_findings(findings)
    broken = sum(finding.severity == "error" for finding in findings)
    if broken:
        verb = "is" if broken == 1 else "are"
        talk(f"error: {plural(broken, 'promise')} of the vault {verb} not kept")
        talk("hint: each finding names its fix")
        raise click.exceptions.Exit(1)


def _check_machine(quick: bool) -> list[Finding]:
    """What there is to say of the daemon, what it would watch, and the hooks of agents."""
    from engram.daemon.inspect import findings
    from engram.daemon.service.systems import manager_name, manager_of
    from engram.settings.paths import places_of
    from engram.surfaces.hooks import connections
    from engram.vault.local_sources import LocalSources

    places = places_of(os.environ)
    manager = manager_of(manager_name(), places, os.environ)
    found = findings(places, os.environ, manager.file, manager.text())
    hooks = connections.findings(os.environ, places, run=not quick)
    return [*found, *hooks, *LocalSources(os.environ).cleanup()]


def _say_findings(findings: list[Finding]) -> None:
    for finding in findings:
        color = "red" if finding.severity == "error" else "yellow"
        say(f"{styled(finding.severity, fg=color)}: {plain(finding.message)}", raw=True)
        say(f"  fix: {finding.fix}")


def _check_sources(paths: tuple[Path, ...]) -> None:
    from engram.vault.local_sources import LocalSources, size_of

    local = LocalSources(os.environ)
    files = local.files(paths)
    with progress(("reading transcripts", size_of(files))) as tell:
        checked = local.check(files, tell[0])
    strange = local.findings(checked, {} if paths else files)
    if wants_json():
        emit_json(shapes.source_checks(checked, strange))
        return
    width = max((len(found.source) for found in checked), default=0) + 2
    for found in checked:
        say(f"{found.source:<{width}}{_summary(found)}")
    if not checked:
        say("there are no transcripts in the usual places")
    _say_findings(strange)


def _summary(found: SourceCheck) -> str:
    yours, answers = plural(found.user_turns, "prompt"), plural(found.assistant_turns, "answer")
    return f"{plural(found.files, 'file')}, {plural(found.tally.lines, 'line')}: {yours}, {answers}"
