"""`engram stats`: turns and memories by week and project, refusals, spending; bars or a picture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.instant import plus_days
from engram.model.refusal_codes import meaning
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, period, program
from engram.surfaces.cli.bars import Row, chart, counted
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import has_blocks, paragraph, width
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from engram.model.activity import Activity, WeekActivity

#: weeks without anything that are told in one line, if so many follow each other
_IDLE = 3
#: columns of a drawing where nothing says how many there are
_USUAL = 80
#: projects that are shown; narrower than this, a week has two digits of its year
_PROJECTS, _NARROW = 12, 40


@click.command("stats")
@click.option("--since", callback=period, metavar="DAY",
              help="First day that counts: 2026-03-06, or 2026-03.")  # fmt: skip
@click.option("--before", callback=period, metavar="DAY", help="First day that does not.")
@click.option("--weeks", type=click.IntRange(1, 2_600), metavar="N",
              help="So many weeks, by default 13.")  # fmt: skip
@click.option("--project", default="", metavar="NAME", help="Only this project.")
@click.option("--svg", "picture", metavar="FILE", type=click.Path(path_type=Path),
              help="Write the bars into this file as a picture, too.")  # fmt: skip
@common
def command(since: str, before: str, weeks: int | None, project: str, picture: Path | None) -> None:
    """How many turns were said and memories learnt, by week and by project; what was refused, by
    reason; what models cost.

    The last 13 weeks, or the days that are asked for, in the vault's time zone. Turns and memories
    count in the week in which they were said. What is spent with --project are the requests about
    its conversations.
    """
    if since and before and weeks:
        raise click.UsageError("--since, --before and --weeks exclude each other: give two of them")
    with opened() as vault:
        found = vault.activity(since=since, before=before, weeks=weeks or 0, project=project)
    if picture is not None:
        _draw(found, project, caller().folder / picture)
    if wants_json():
        emit_json(shapes.activity(found))
        return
    for line in _told(found):
        say(line)
    if not (found.turns or found.memories) and found.earliest and found.earliest < found.since:
        talk(f"there is something older: {program()} stats --since {found.earliest}")


def _draw(found: Activity, project: str, path: Path) -> None:
    from engram.settings.user_files import refuse_symlink, replace
    from engram.surfaces.cli.stats_svg import picture_of

    refuse_symlink(path)
    replace(path, picture_of(found, project).encode("utf-8"), keep_mode=True)
    talk(f"wrote {path}")


def _told(found: Activity) -> Iterator[str]:
    wide, blocks = width() or _USUAL, has_blocks()
    last = plus_days(found.before, -1)
    turns, memories = plural(found.turns, "turn"), plural(found.memories, "memory", "memories")
    yield paragraph(f"{found.since} to {last}: {turns}, {memories}", 0)
    if found.turns or found.memories:
        yield ""
        yield from _weeks(found, wide, blocks)
    if any(one.project for one in found.projects):
        yield ""
        rows = [
            counted(one.project or "(none)", one.turns, one.memories)
            for one in found.projects[:_PROJECTS]
        ]
        yield from chart(("project", "turns", "memories"), rows, wide, blocks=blocks)
        if len(found.projects) > _PROJECTS:
            yield f"and {plural(len(found.projects) - _PROJECTS, 'more project')}"
    if found.refused:
        yield ""
        codes = sorted(found.refused.items(), key=lambda item: (-item[1], item[0]))
        rows = [counted(code, count) for code, count in codes]
        head, *lines = chart(("refused", "candidates"), rows, wide, blocks=blocks)
        yield head
        for (code, _), line in zip(codes, lines, strict=True):
            yield line
            yield paragraph(meaning(code), 4)
    if found.models:
        yield ""
        yield from _spent(found, wide, blocks)


def _weeks(found: Activity, wide: int, blocks: bool) -> Iterator[str]:
    """A line for each week, one for many weeks without anything."""
    rows = [counted(_called(one, wide), one.turns, one.memories) for one in found.weeks]
    head, *lines = chart(("week", "turns", "memories"), rows, wide, blocks=blocks)
    yield head
    idle: list[str] = []
    for one, line in zip(found.weeks, lines, strict=True):
        if not (one.turns or one.memories):
            idle.append(line)
            continue
        yield from _shortened(idle)
        idle = []
        yield line
    yield from _shortened(idle)


def _shortened(idle: list[str]) -> list[str]:
    return idle if len(idle) < _IDLE else [f"  {len(idle)} weeks: nothing"]


def _called(week: WeekActivity, wide: int) -> str:
    return week.monday if wide >= _NARROW else week.monday[2:]


def _spent(found: Activity, wide: int, blocks: bool) -> Iterator[str]:
    rows = [
        Row(_called(one, wide), (one.usd, one.tokens), (f"${one.usd:.4f}", f"{one.tokens:,}"))
        for one in found.weeks
        if one.tokens or one.usd
    ]
    yield from chart(("week", "spent", "tokens"), rows, wide, blocks=blocks)
    yield ""
    rows = [
        Row(one.model, (one.usd, one.requests), (f"${one.usd:.4f}", f"{one.requests:,}"))
        for one in found.models
    ]
    yield from chart(("model", "spent", "requests"), rows, wide, blocks=blocks)
