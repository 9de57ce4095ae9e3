"""`engram gc`: move to the archive what was retired long ago."""

from __future__ import annotations

import click

from engram.model.instant import day_of
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, program
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json


@click.command("gc")
@click.option("--dry-run", is_flag=True, help="Say what would change, and stop.")
@common
def command(dry_run: bool) -> None:
    """Move to archive/ the files of memories that were retired 30 days ago or longer
    (`retention.grace_days`). Nothing is deleted: they keep name and text, and `engram restore`
    brings them back. `engram consolidate` does the same.
    """
    with opened() as vault:
        done = vault.gc(dry_run=dry_run)
    if wants_json():
        emit_json(shapes.collected(done))
        return
    for memory, since in done.moved:
        say(memory_line(memory, "moved       ", note=f"since {day_of(since)}"), raw=True)
    for memory in done.dated:
        say(memory_line(memory, "dated       "), raw=True)
        say("    nobody wrote down since when it is retired: its time counts from today")
    if done.waiting:
        talk(f"{plural(done.waiting, 'retired memory', 'retired memories')} not for so long yet")
    count = len(done.moved) + len(done.dated)
    if not count:
        talk("there is nothing to move")
    elif dry_run:
        talk(f"would change {plural(count, 'memory', 'memories')}; nothing was written")
    else:
        talk(f"take it back with: {program()} undo")
