"""`engram remember TEXT`: one explicit memory, in the person's words."""

from __future__ import annotations

import click

from engram.surfaces.cli.output import common, emit_json, opened, say, wants_json


@click.command("remember")
@click.argument("text", nargs=-1, required=True)
@click.option("--category", default="", help="one of the ten categories; else guessed")
@click.option("--project", default="", help="the project it is about; else it is about you")
@common
def command(
    text: tuple[str, ...], category: str, project: str, vault_path: str | None, as_json: bool
) -> None:
    """Write TEXT down as a memory of your own."""
    with opened(vault_path) as vault:
        done = vault.remember(" ".join(text), category=category, project=project)
    memory = done.memory
    if wants_json(as_json):
        emit_json({
            "id": memory.id, "decision": done.decision, "code": done.code,
            "category": memory.category, "file": memory.path,
        })  # fmt: skip
    elif done.decision == "same":
        say(f"known already: {memory.id}")
    else:
        say(f"remembered as {memory.category}: {memory.id}")
