"""`engram purge`: destroy words for good, in vault and cache, and say what is left of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput
from engram.model.report import PurgeReport
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, named, scope_arguments
from engram.surfaces.cli.asking import agreed
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted

if TYPE_CHECKING:
    from engram.model.report import PurgePreview

#: a list of more is cut: what is meant is seen by then
_SHOWN = 10
_NOT_REACHED = "not reached: git history, backups, synced copies, and the agent's own transcripts"


@click.command("purge")
@scope_arguments
@click.option("--secrets", is_flag=True, help="What looks like a secret, wherever it stands.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Say what would be destroyed, and stop.")
@common
def command(
    what: tuple[str, ...], matching: str, secrets: bool, yes: bool, dry_run: bool
) -> None:  # fmt: skip
    """Destroy words: of a memory and the turns it came from, of a turn, of a conversation, or of
    all that holds a TEXT. Every copy goes, in transactions, turn journal, transcripts, boxes,
    entities, titles, index and catalog. With --secrets a mark takes the place of each, and the
    rest of the text stays. This cannot be undone."""
    if secrets and not (what or matching):
        _purge_secrets(yes=yes, dry_run=dry_run)
        return
    references, text = named(what, matching)
    with opened() as vault:
        preview = vault.purge_preview(*references, matching=text)
        report = PurgeReport(preview)
        if text and not (preview.memories or preview.turns):
            talk("no memory and no turn holds that; titles and journal are looked through")
        if not dry_run:
            if not yes:
                _ask(preview)
            report = vault.purge(*references, matching=text)
            _take_out_of_qmd(vault.root)
    if wants_json():
        emit_json(shapes.purge(report))
    elif dry_run:
        _describe(preview, say)
    else:
        say(f"purged {_summary(preview)}")
    _tell_what_is_left(report)


def _purge_secrets(*, yes: bool, dry_run: bool) -> None:
    with opened() as vault:
        holding = vault.secrets()
        left: Sequence[str] = ()
        for path in holding if not yes or dry_run else ():
            (say if dry_run and not wants_json() else talk)(f"a secret stands in {path}")
        if holding and not dry_run:
            if not (yes or agreed("put a mark in the place of each, for good?")):
                raise BadInput("not confirmed: nothing was destroyed", "answer y, or give --yes")
            left = vault.purge_secrets()
            _take_out_of_qmd(vault.root)
    if wants_json():
        emit_json(shapes.secrets(holding, left))
    elif not holding:
        say("no file holds what looks like a secret")
    elif not dry_run:
        say(f"secrets taken out of {plural(len(holding), 'file')}")
    for path in left:
        talk(f"left: a secret in {path}")
    if holding:
        talk(_NOT_REACHED)


def _tell_what_is_left(report: PurgeReport) -> None:
    for name in report.purged.citing:
        talk(f"{name} was made from the same turn and may repeat its words")
    for name in report.purged.shared:
        talk(f"not reached: {name}, the copy that was shared: `engram --vault PATH purge ID` there")
    for path, words in report.elsewhere[:_SHOWN]:
        talk(f"said elsewhere too: {', '.join(map(repr, words[:_SHOWN]))} in {path}")
    if report.elsewhere:
        talk("`engram purge --matching TEXT` destroys that as well")
    for path, words in report.left:
        talk(f"left: {', '.join(map(repr, words[:_SHOWN]))} in {path}")
    talk(_NOT_REACHED)


def _take_out_of_qmd(root: Path) -> None:
    """The index of the qmd face, where there is one, holds copies of the vault's files too."""
    from engram.surfaces.qmd.rows import Unusable
    from engram.surfaces.qmd.updating import take_out

    try:
        take_out(os.environ, root)
    except Unusable as error:
        talk(f"the index of the qmd face still holds a copy: {error}; run `engram-qmd update`")


def _summary(preview: PurgePreview) -> str:
    """`fact-…`, or `2 memories, 3 turns`."""
    if len(preview.memories) == 1 and not preview.conversations:
        return preview.memories[0][0]
    memories = plural(len(preview.memories), "memory", "memories")
    return f"{memories}, {plural(len(preview.turns), 'turn')}"


def _describe(preview: PurgePreview, tell: Callable[[str], None]) -> None:
    tell(f"would destroy {_summary(preview)}")
    for name, text in preview.memories[:_SHOWN]:
        if len(preview.memories) > 1:
            tell(f"  {name}")
        tell(fitted(text, 4))
    if len(preview.memories) > _SHOWN:
        tell(f"    and {plural(len(preview.memories) - _SHOWN, 'memory', 'memories')} more")
    for path in preview.paths[:_SHOWN]:
        tell(f"    {path}")
    if preview.turns:
        tell(f"    and {plural(len(preview.turns), 'source turn')}")
    for line in preview.said if not (len(preview.memories) == len(preview.turns) == 1) else ():
        tell(fitted(line, 8))


def _ask(preview: PurgePreview) -> None:
    """Go on only when the person says yes."""
    _describe(preview, talk)
    if not agreed("destroy this for good?"):
        raise BadInput("not confirmed: nothing was destroyed", "answer y, or give --yes")
