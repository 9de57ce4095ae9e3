"""`engram status`: what is captured, pending, refused and put aside."""

from __future__ import annotations

import click

from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, wants_json


@click.command("status")
@common
def command() -> None:
    """Counts of memories and turns, what waits for extraction, and what was refused, by code."""
    with opened() as vault:
        state = vault.status()
        newer = vault.read_only
    if wants_json():
        emit_json(state)
        return
    note = "  (not registered: read only)" if not state.trusted else ""
    say(f"vault      {state.vault}{'  (of a newer engram: read only)' if newer else note}")
    kinds = ", ".join(f"{count:,} {status}" for status, count in state.memories.items()) or "none"
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
        say(f"refused    {count:,} {code}")
    for code, count in sorted(state.failures.items()):
        say(f"failed     {count:,} {code}")
