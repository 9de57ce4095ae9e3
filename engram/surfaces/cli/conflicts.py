"""`engram conflicts`: what sync tools and git left apart, taken in where that is sure."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, program
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json


@click.command("conflicts")
@click.option("--dry-run", is_flag=True, help="Tell what would be done, change nothing.")
@common
def command(dry_run: bool) -> None:
    """Bring conflict copies together with the files that they are copies of.

    Also files in which git left its marks. Where two versions say different things both stay, and
    the memory is put to review. The whole is one change that `engram undo` takes back.
    """
    with opened() as vault:
        done = vault.reunite(dry_run=dry_run)
    if wants_json():
        emit_json(shapes.merge(done))
        return
    for one in done.apart:
        say(f"{'left' if one.why else 'taken in':<10}{one.path}")
        if one.why:
            say(f"          {one.why}: compare it with {one.original}, then remove it")
    taken = sum(not one.why for one in done.apart)
    if not done.apart:
        talk("there are no conflict copies")
    elif dry_run:
        talk(f"would take in {plural(taken, 'file')}; nothing was written")
    elif done.transaction:
        talk(f"take it back with: {program()} undo {done.transaction}")
