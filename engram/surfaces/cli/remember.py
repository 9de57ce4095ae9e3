"""`engram remember TEXT`: one explicit memory, in the person's words."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import CATEGORY, FreeWords, common
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import emit_json, opened, say, wants_json
from engram.surfaces.remote.call_context import caller


@click.command("remember", cls=FreeWords)
@click.argument("text", nargs=-1, required=True)
@click.option("--category", type=CATEGORY, metavar="NAME",
              help="One of the ten categories; else guessed.")  # fmt: skip
@click.option(
    "--project", default="", metavar="NAME", help="The project it is about; else it is about you."
)
@common
def command(text: tuple[str, ...], category: str | None, project: str) -> None:
    """Write TEXT down as a memory of your own."""
    with opened() as vault:
        done = vault.remember(
            " ".join(text), category=category or "", project=project, folder=caller().folder
        )
    memory = done.memory
    if wants_json():
        emit_json(shapes.remembered(done))
    elif done.decision == "same":
        say(memory_line(memory, "known already: "), raw=True)
    else:
        say(memory_line(memory, "remembered: "), raw=True)
        for replaced in memory.supersedes:
            say(f"it replaces {replaced}")
