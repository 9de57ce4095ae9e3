"""`engram retry`: queue the dead letter again."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, wants_json


@click.command("retry")
@common
def command() -> None:
    """Queue turns again that could not be extracted and were put aside."""
    with opened() as vault:
        turns = vault.retry()
    if wants_json():
        emit_json(shapes.requeued(turns))
    else:
        say(f"queued {plural(turns, 'turn')} again" if turns else "the dead letter is empty")
