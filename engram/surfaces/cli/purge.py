"""`engram purge ID`: destroy a memory's content, in vault and cache, for good."""

from __future__ import annotations

import click

from engram.surfaces.cli.output import common, emit_json, opened, plural, say, talk, wants_json


@click.command("purge")
@click.argument("identifier", metavar="ID")
@click.option("--yes", is_flag=True, help="do not ask")
@click.option("--dry-run", is_flag=True, help="say what would be destroyed")
@common
def command(
    identifier: str, yes: bool, dry_run: bool, vault_path: str | None, as_json: bool
) -> None:
    """Destroy the content of memory ID: its file, the turns it came from, and every copy of both
    in transactions, turn journal, transcripts, index and catalog. This cannot be undone."""
    with opened(vault_path) as vault:
        memory = vault.library.memory(identifier)
        turns = plural(len(memory.sources), "source turn")
        talk(f"{memory.id}: its file and {turns} would be destroyed")
        if dry_run:
            return
        if not yes:
            click.confirm("destroy this for good?", abort=True, err=True)
        citing = vault.purge(memory.id)
    if wants_json(as_json):
        emit_json({"id": memory.id, "still_citing_the_same_turns": citing})
    else:
        say(f"purged {memory.id}")
    for name in citing:
        talk(f"{name} was made from the same turn and may repeat its words")
    talk("not reached: git history, backups, synced copies, and the agent's own transcripts")
