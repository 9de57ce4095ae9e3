"""`engram summaries [show ID]`: pages that tell in few lines what related memories say."""

from __future__ import annotations

import click

from engram.model.summary import Summary
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import Verbs, common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted, styled


@click.group("summaries", cls=Verbs, invoke_without_command=True)
@click.option("--all-status", is_flag=True, help="Superseded ones too.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most summaries.")  # fmt: skip
@common
@click.pass_context
def command(context: click.Context, all_status: bool, limit: int) -> None:
    """The summaries of related memories, those with the newest sources first."""
    if context.invoked_subcommand is not None:
        return
    with opened() as vault:
        found = [
            page for page in reversed(vault.summaries()) if all_status or page.status == "active"
        ]
    shown = found[:limit]
    if wants_json():
        emit_json([shapes.summary(page) for page in shown])
        return
    for page in shown:
        say(styled(page.id, fg="cyan") + f"  {_about(page)}", raw=True)
        say(fitted(page.title or page.id, 4))
    if not found:
        talk("no summaries")
    elif len(found) > limit:
        talk(f"there are more: --limit {limit * 10} shows older ones too")


@command.command("show")
@click.argument("identifier", metavar="ID")
@common
def show(identifier: str) -> None:
    """Print the page of summary ID: an id, its beginning, or a docid."""
    with opened() as vault:
        page, text = vault.summary(identifier)
    if wants_json():
        emit_json(shapes.summary(page) | {"markdown": text})
        return
    talk(page.path)
    say(text.rstrip("\n"))


def _about(page: Summary) -> str:
    """Its days, how much it is made of, and how sure it is."""
    days = page.first if page.first == page.last else f"{page.first} to {page.last}"
    count = plural(len(page.consolidates), "memory", "memories")
    flag = ", superseded" if page.status != "active" else ""
    return f"{days}, {count}, confidence {page.confidence:.2f}{flag}"
