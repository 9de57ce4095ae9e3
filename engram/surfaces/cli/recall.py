"""`engram recall QUESTION`: a ranked, budgeted answer with sources."""

from __future__ import annotations

import click

from engram.surfaces.cli.output import common, emit_json, opened, say, talk, wants_json


@click.command("recall")
@click.argument("question", nargs=-1, required=True)
@click.option("--budget", type=click.IntRange(50), help="the most tokens it may take")
@click.option("--limit", type=click.IntRange(1), help="the most memories")
@click.option("--project", default="", help="memories of this project first")
@common
def command(
    question: tuple[str, ...], budget: int | None, limit: int | None, project: str,
    vault_path: str | None, as_json: bool,
) -> None:  # fmt: skip
    """What the vault knows about QUESTION, fenced as data for an agent, within a token budget."""
    with opened(vault_path) as vault:
        block = vault.recall(" ".join(question), budget=budget, limit=limit, project=project)
    if wants_json(as_json):
        emit_json({
            "text": block.text, "tokens": block.used_tokens,
            "memories": list(block.shown), "left_out": block.left_out,
        })  # fmt: skip
        return
    say(block.text)
    if block.left_out:
        talk(f"{block.left_out} more did not fit the budget")
