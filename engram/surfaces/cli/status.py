"""`engram status`: what is captured, pending, refused and put aside."""

from __future__ import annotations

import click

from engram.surfaces.cli.output import common, emit_json, opened, plural, say, wants_json


@click.command("status")
@common
def command(vault_path: str | None, as_json: bool) -> None:
    """Counts of memories and turns, what waits for extraction, and what was refused, by code."""
    with opened(vault_path) as vault:
        state = vault.status()
    if wants_json(as_json):
        emit_json(state)
        return
    say(f"vault      {state.vault}{'' if state.trusted else '  (not registered: read only)'}")
    kinds = ", ".join(f"{count} {status}" for status, count in state.memories.items()) or "none"
    say(f"memories   {kinds}")
    say(f"turns      {state.turns:,} in {plural(state.transcripts, 'conversation')}")
    say(f"pending    {plural(state.pending, 'turn')}")
    for waiting in state.waiting:
        again = (
            f", failed {waiting.attempts}x, again at {waiting.retry_at}" if waiting.attempts else ""
        )
        turns = plural(waiting.turns, "turn")
        say(f"           {waiting.transcript}: {turns} since {waiting.oldest}{again}")
    if state.dead_letter:
        say(f"dead       {plural(state.dead_letter, 'turn')}; `engram retry` queues them again")
    for code, count in sorted(state.refused.items()):
        say(f"refused    {count} {code}")
    for code, count in sorted(state.failures.items()):
        say(f"failed     {count} {code}")
