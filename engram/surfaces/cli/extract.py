"""`engram extract`: turn pending turns into memories now."""

from __future__ import annotations

import click

from engram.surfaces.cli.output import common, emit_json, opened, plural, say, wants_json


@click.command("extract")
@click.option("--due", is_flag=True, help="only what the triggers say is due")
@common
def command(due: bool, vault_path: str | None, as_json: bool) -> None:
    """Extract every pending turn, or with --due only those whose time has come."""
    with opened(vault_path) as vault:
        outcome = vault.tick() if due else vault.flush()
    if wants_json(as_json):
        emit_json(outcome)
        return
    say(
        f"{plural(outcome.turns, 'turn')}: {plural(outcome.memories, 'memory', 'memories')},"
        f" {outcome.confirmed} confirmed, {outcome.superseded} superseded"
    )
    for code, count in sorted(outcome.refused.items()):
        say(f"refused {count}: {code}")
    if outcome.failed:
        say(
            f"failed: {plural(outcome.failed, 'transcript')}; they stay pending and are tried again"
        )
