"""`engram recall QUESTION`: a ranked, budgeted answer with sources."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import FreeWords, common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json


@click.command("recall", cls=FreeWords)
@click.argument("question", nargs=-1, required=True)
@click.option("--budget", type=click.IntRange(50), metavar="N", help="The most tokens it may take.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="The most memories.")
@click.option("--project", default="", metavar="NAME", help="Memories of this project first.")
@common
def command(question: tuple[str, ...], budget: int | None, limit: int | None, project: str) -> None:
    """What the vault knows about QUESTION, fenced as data for an agent, within a token budget."""
    with opened() as vault:
        block = vault.recall(" ".join(question), budget=budget, limit=limit, project=project)
    if wants_json():
        emit_json(shapes.context_block(block))
        return
    if block.text:
        say(block.text.removesuffix("\n"))
    if block.left_out:
        talk(f"{plural(block.left_out, 'more memory', 'more memories')} did not fit the budget")
