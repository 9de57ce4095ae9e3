"""`engram boxes`: what was learnt in each stretch of a conversation, the open ones too."""

from __future__ import annotations

import click

from engram.model.box import Box
from engram.model.instant import Instant, plus_minutes
from engram.model.settings import BoxSettings
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.shown_times import shown_minute
from engram.surfaces.cli.terminal import fitted, hanging, styled


@click.command("boxes")
@click.option("--open", "only_open", is_flag=True, help="Only those that are not sealed yet.")
@click.option("--session", default="", metavar="NAME",
              help="Only of the transcript whose name begins so.")  # fmt: skip
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most boxes.")  # fmt: skip
@common
def command(only_open: bool, session: str, limit: int) -> None:
    """The Memory Boxes, newest first: what was learnt in one stretch of a conversation.

    A box is sealed when the talk turns to something else, after a silence, when it is full, and by
    the consolidation.
    """
    with opened() as vault:
        chosen = [
            box
            for box in reversed(vault.boxes())
            if box.session.startswith(session) and not (only_open and box.path)
        ]
        settings, now = vault.settings.boxes, vault.clock.now()
    shown = chosen[:limit]
    if wants_json():
        emit_json([shapes.box(box, settings.gap_minutes) for box in shown])
        return
    for box in shown:
        row = hanging(f"{box.id}  {span_of(box)}, {_state(box)}", 4)
        say(row.replace(box.id, styled(box.id, fg="cyan"), 1), raw=True)
        say(fitted(box.title, 4))
        if not box.path:
            say(fitted(_ending(box, settings, now), 4))
    if not chosen:
        talk("no boxes")
    elif len(chosen) > limit:
        talk(f"there are more: --limit {limit * 10} shows older ones too")


def span_of(box: Box) -> str:
    """`2026-03-06 10:10 to 10:52`; another day is named."""
    start, end = shown_minute(box.created), shown_minute(box.sealed)
    if start == end:
        return start
    return f"{start} to {end.removeprefix(start[:11])}"


def _state(box: Box) -> str:
    count = plural(len(box.lines), "memory", "memories")
    return f"{count}, {box.seal.replace('_', ' ')}" if box.path else f"{count}, open"


def _ending(box: Box, settings: BoxSettings, now: Instant) -> str:
    """What seals a box that has no file yet."""
    silent = plus_minutes(box.sealed, settings.gap_minutes)
    if box.seal or silent <= now:
        why = (box.seal or "time_gap").replace("_", " ")
        return f"ended by {why}: the next consolidation seals it"
    room = max(0, settings.max_memories - len(box.lines))
    return f"sealed at {shown_minute(silent)} if nothing comes, or after {room} more"
