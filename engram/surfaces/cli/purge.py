"""`engram purge ID`: destroy a memory's content, in vault and cache, for good."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.asking import agreed
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted

if TYPE_CHECKING:
    from engram.model.report import Doomed


@click.command("purge")
@click.argument("identifier", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Say what would be destroyed, and stop.")
@common
def command(identifier: str, yes: bool, dry_run: bool) -> None:
    """Destroy the content of memory ID: its file, the turns it came from, and every copy of both
    in transactions, turn journal, transcripts, index and catalog. This cannot be undone."""
    with opened() as vault:
        vault.settle_within(vault.settings.recall.settle_ms)
        doomed = vault.doomed(identifier)
        if not dry_run:
            if not yes:
                _ask(doomed)
            vault.purge(doomed.id)
            _take_out_of_qmd(vault.root)
    if wants_json():
        emit_json({
            "id": doomed.id, "files": doomed.paths, "turns": doomed.turns,
            "still_citing_the_same_turns": doomed.citing,
        })  # fmt: skip
    elif dry_run:
        _describe(doomed, say)
    else:
        say(f"purged {doomed.id}")
    for name in doomed.citing:
        talk(f"{name} was made from the same turn and may repeat its words")
    talk("not reached: git history, backups, synced copies, and the agent's own transcripts")


def _take_out_of_qmd(root: Path) -> None:
    """The index of the qmd face, where there is one, holds copies of the vault's files too."""
    from engram.surfaces.qmd.rows import Unusable
    from engram.surfaces.qmd.updating import take_out

    try:
        take_out(os.environ, root)
    except Unusable as error:
        talk(f"the index of the qmd face still holds a copy: {error}; run `engram-qmd update`")


def _describe(doomed: Doomed, tell: Callable[[str], None]) -> None:
    tell(f"would destroy {doomed.id}")
    tell(fitted(doomed.text, 4))
    for path in doomed.paths:
        tell(f"    {path}")
    if doomed.turns:
        tell(f"    and {plural(len(doomed.turns), 'source turn')}")


def _ask(doomed: Doomed) -> None:
    """Go on only when the person says yes."""
    _describe(doomed, talk)
    if not agreed("destroy this for good?"):
        raise BadInput("not confirmed: nothing was destroyed", "answer y, or give --yes")
