"""`engram grep REGEX`: lines of memories and transcripts."""

from __future__ import annotations

from itertools import islice

import click

from engram.model.display import plain
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import CATEGORY, common
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json
from engram.surfaces.cli.terminal import marked, styled
from engram.surfaces.remote.call_context import caller


@click.command("grep")
@click.argument("regex")
@click.option("--ignore-case", "-i", is_flag=True, help="Capitals and small letters are the same.")
@click.option("--category", multiple=True, type=CATEGORY, metavar="NAME",
              help="Only memories of these categories.")  # fmt: skip
@click.option("--project", default="", metavar="NAME", help="Only memories of this project.")
@click.option("--memories-only", is_flag=True, help="Leave the transcripts out.")
@click.option("--headers", is_flag=True, help="Look into the headers of memories too.")
@click.option(
    "--limit", default=1000, show_default=True, type=click.IntRange(1), metavar="N",
    help="The most lines.",
)  # fmt: skip
@common
def command(
    regex: str, ignore_case: bool, category: tuple[str, ...], project: str, memories_only: bool,
    headers: bool, limit: int,
) -> None:  # fmt: skip
    """Find the lines that match REGEX: what memories say first, then what was said."""
    with opened() as vault:
        lines = vault.grep(
            regex, categories=category, project=project, ignore_case=ignore_case,
            turns=not memories_only, headers=headers, go_on=caller().is_waiting,
        )  # fmt: skip
        found = list(islice(lines, limit + 1))
    shown = found[:limit]
    if wants_json():
        emit_json([shapes.matching_line(path, line) for path, line in shown])
    else:
        for path, line in shown:
            place = styled(plain(f"{path}:{line.number}:"), fg="cyan")
            say(place + marked(line.text, line.spans), raw=True)
    if not found:
        talk("nothing found")
    elif len(found) > limit:
        talk(f"there is more: --limit {limit * 10} shows more lines")
