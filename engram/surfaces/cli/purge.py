"""`engram purge ID`: destroy a memory's content, in vault and cache, for good."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.asking import agreed
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted

if TYPE_CHECKING:
    from engram.model.report import PurgePreview


@click.command("purge")
@click.argument("identifier", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Say what would be destroyed, and stop.")
@common
def command(identifier: str, yes: bool, dry_run: bool) -> None:
    """Destroy the content of memory ID: its file, the turns it came from, and every copy of both
    in transactions, turn journal, transcripts, index and catalog. This cannot be undone."""
    with opened() as vault:
        purge_preview = vault.purge_preview(identifier)
        if not dry_run:
            if not yes:
                _ask(purge_preview)
            vault.purge(purge_preview.id)
            _take_out_of_qmd(vault.root)
    if wants_json():
        emit_json(shapes.purge(purge_preview))
    elif dry_run:
        _describe(purge_preview, say)
    else:
        say(f"purged {purge_preview.id}")
    for name in purge_preview.citing:
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


def _describe(purge_preview: PurgePreview, tell: Callable[[str], None]) -> None:
    tell(f"would destroy {purge_preview.id}")
    tell(fitted(purge_preview.text, 4))
    for path in purge_preview.paths:
        tell(f"    {path}")
    if purge_preview.turns:
        tell(f"    and {plural(len(purge_preview.turns), 'source turn')}")


def _ask(purge_preview: PurgePreview) -> None:
    """Go on only when the person says yes."""
    _describe(purge_preview, talk)
    if not agreed("destroy this for good?"):
        raise BadInput("not confirmed: nothing was destroyed", "answer y, or give --yes")
