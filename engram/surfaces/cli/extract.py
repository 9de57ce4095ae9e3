"""`engram extract`: turn pending turns into memories now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from engram.model.verdict import Verdict
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted, progress


@click.command("extract")
@click.option("--due", is_flag=True, help="Only what the triggers say is due.")
@click.option("--dry-run", is_flag=True, help="Show the memories, write nothing.")
@common
def command(due: bool, dry_run: bool) -> None:
    """Extract every pending turn, or with --due only those whose time has come."""
    with opened() as vault:
        if dry_run:
            _foretell(vault.preview(due=due))
            return
        if due:
            outcome = vault.tick()
        else:
            turns = sum(waiting.turns for waiting in vault.waiting())
            with progress(("extracting", turns)) as (extracted,):
                outcome = vault.flush(extracted)
    if wants_json():
        emit_json(outcome)
        return
    say(
        f"{plural(outcome.turns, 'turn')}: {plural(outcome.memories, 'memory', 'memories')},"
        f" {outcome.confirmed} confirmed, {outcome.superseded} superseded"
    )
    show_refused(outcome.refused)
    if outcome.failed:
        again = "they stay pending and are tried again"
        say(f"failed {plural(outcome.failed, 'transcript')}; {again}")


def show_refused(refused: Mapping[str, int]) -> None:
    """One line for each reason why candidates were not kept."""
    for code, count in sorted(refused.items()):
        say(f"refused {count}: {code}")


def _foretell(verdicts: Sequence[Verdict]) -> None:
    if wants_json():
        emit_json([
            {"decision": one.decision, "code": one.code, "category": one.candidate.category,
             "text": one.candidate.text if one.decision != "refuse" else ""}
            for one in verdicts
        ])  # fmt: skip
        return
    for one in verdicts:
        # what was refused may be what must not be shown
        words = one.code if one.decision == "refuse" else one.candidate.text
        say(f"{one.decision:<10}{one.candidate.category}")
        say(fitted(words, 4))
    if not verdicts:
        talk("nothing would be written")
