"""What a person's decision about memories looks like: one line a memory, or its data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import program
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import emit_json, plural, say, talk, wants_json

if TYPE_CHECKING:
    from engram.model.report import MemoryEdit


def tell(ruling: MemoryEdit, dry_run: bool) -> None:
    """Print what was decided: `active      #8f26a5 ...`, one line each, in the order done."""
    if wants_json():
        emit_json([shapes.ruling(before, after) for before, after in ruling.pairs])
        return
    for before, after in ruling.pairs:
        note = "already" if before == after else ""
        # its standing is told before it
        plainly = replace(after, status="active")
        say(memory_line(plainly, f"{after.status:<12}", note=note), raw=True)
    if all(before == after for before, after in ruling.pairs):
        talk("it was so already: no file changed")
    elif dry_run:
        talk(f"would change {plural(len(ruling.pairs), 'memory', 'memories')}; nothing was written")
    else:
        talk(f"take it back with: {program()} undo")
