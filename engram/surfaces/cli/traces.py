"""`engram traces [show ID]`: subjects that came up again, as threads of Memory Boxes."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import Verbs, common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.shown_times import shown_minute
from engram.surfaces.cli.terminal import fitted, styled


@click.group("traces", cls=Verbs, invoke_without_command=True)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most traces.")  # fmt: skip
@common
@click.pass_context
def command(ctx: click.Context, limit: int) -> None:
    """Threads of boxes on the same topics, those that were talked of last first."""
    if ctx.invoked_subcommand is not None:
        return
    with opened() as vault:
        traces = vault.traces()
    found = sorted(traces, key=lambda trace: (trace.last, trace.id), reverse=True)
    shown = found[:limit]
    if wants_json():
        emit_json([shapes.fields_of(trace) for trace in shown])
        return
    for trace in shown:
        count = plural(len(trace.boxes), "box", "boxes")
        say(styled(trace.id, fg="cyan") + f"  {_days(trace.first, trace.last)}, {count}", raw=True)
        say(fitted(", ".join(trace.topics), 4))
    if not found:
        talk("no traces")
    elif len(found) > limit:
        talk(f"there are more: --limit {limit * 10} shows older ones too")


@command.command("show")
@click.argument("identifier", metavar="ID")
@common
def show(identifier: str) -> None:
    """The time line of a trace: its boxes, oldest first, with what was learnt in each.

    ID is that of the trace, its beginning, or that of one of its boxes.
    """
    with opened() as vault:
        trace, boxes = vault.trace(identifier)
    if wants_json():
        emit_json(shapes.trace_line(trace, boxes))
        return
    for box in boxes:
        say(styled(shown_minute(box.created), fg="cyan") + "  " + box.id, raw=True)
        say(fitted(box.title, 4))
        for _, text in box.lines:
            say(fitted(text, 8))


def _days(first: str, last: str) -> str:
    return first[:10] if first[:10] == last[:10] else f"{first[:10]} to {last[:10]}"
