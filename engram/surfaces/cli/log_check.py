"""`engram events --verify`: what a check of the log found, told to a person or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.model.proof import Proof

#: files that are named of each kind
_NAMED = 20


def check_log() -> None:
    """Check the log of the vault, and end with 1 where it does not hold."""
    with (
        opened() as vault,
        progress(("checking the log", vault.transactions_to_verify())) as (read,),
    ):
        found = vault.verify(read)
    if wants_json():
        emit_json(shapes.proof(found))
    else:
        _tell(found)
    if not found.holds:
        talk("error: the log does not hold, or does not explain every file")
        talk("hint: compare state/ with a backup; `engram doctor` checks everything else")
        raise click.exceptions.Exit(1)


def _tell(found: Proof) -> None:
    for one in found.breaks[:1]:
        place = f"{one.file}, line {one.line}" if one.line else one.file
        named = f" ({one.event})" if one.event else ""
        say(f"broken at transaction {one.transaction}: {place}{named}: {one.what}")
    if found.broken > 1:
        say(f"and at {plural(found.broken - 1, 'later place')}: --json names them")
    _files("nothing explains", found.unexplained)
    _files("not there, and nothing explains why:", found.missing)
    _files("taken up now:", found.taken_up)
    links = f"links from {found.chained_from} on" if found.chained_from else "no links"
    say(
        f"{plural(found.transactions, 'transaction')}, {plural(found.lines, 'line')}, {links};"
        f" {plural(found.files, 'file')}"
    )
    if found.head:
        say(f"the last link is {found.head}")
    if found.holds:
        say("the log holds")


def _files(what: str, paths: Sequence[str]) -> None:
    for path in paths[:_NAMED]:
        say(f"{what} {path}")
    if len(paths) > _NAMED:
        say(f"{what} {plural(len(paths) - _NAMED, 'more file')}: --json names them")
