"""`engram embed`: vectors for memories and turns that have none, by the model that is named."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.extract import absence, dollars
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import progress


@click.command("embed")
@click.option("--dry-run", is_flag=True, help="Show how many, and what they cost; send nothing.")
@common
def command(dry_run: bool) -> None:
    """Make the vectors that are missing, memories first, so that search goes by meaning too.

    The model is `llm.embedding_model`; nothing is sent without one. A daemon does the same for what
    comes later. What is done stays done: run it again after an interruption.
    """
    with opened() as vault:
        cost = vault.embedding_estimate()
        if dry_run:
            if wants_json():
                emit_json(shapes.fields_of(cost))
                return
            texts, tokens = plural(cost.calls, "text"), f"about {cost.input_tokens:,} tokens"
            guess = "" if cost.priced else " (its price is not known: the dearest was taken)"
            price = f"about {dollars(cost.usd)}" if cost.usd else "nothing"
            say(f"{texts}, {tokens}, by {cost.model}: {price}{guess}")
            return
        with progress(("embedding", cost.calls)) as (embedded,):
            done = vault.embed(embedded)
    if wants_json():
        emit_json(shapes.fields_of(done))
    else:
        say(f"made {plural(done.made, 'vector')}")
    if done.reason:
        talk("the rest waits, nothing is lost: `engram embed` goes on")
        code = absence(done.reason, done.message, done.hint)
        if code:
            raise click.exceptions.Exit(code)
