"""`engram tiers`: how many memories are hot, warm, cold and archived, and which will fall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from engram.model.tier import TIERS, MemoryTier
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.list import show_rows
from engram.surfaces.cli.output import emit_json, line, opened, plural, say, talk, wants_json

if TYPE_CHECKING:
    from engram.model.report import FallingMemory, TierCounts
    from engram.model.tier import Retention

_MEANS: dict[MemoryTier, str] = {
    "hot": "agents are given these first",
    "warm": "given to agents where there is room",
    "cold": "not read for long, or summed up: searches find these, agents are not given them",
    "archived": "replaced, summed up or out of use: found with --mode exhaustive",
}

_WEEK = 7
#: the column at which the meaning of a tier begins
_MEANING = 22


@click.command("tiers")
@click.option("--at-risk", is_flag=True, help="The memories that are about to fall.")
@click.option(
    "--days", type=click.IntRange(1, 365), metavar="N",
    help="With --at-risk: within N days, if nobody reads them; 7 by default.",
)  # fmt: skip
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most memories.")  # fmt: skip
@common
def command(at_risk: bool, days: int | None, limit: int) -> None:
    """How many memories are in each tier, by age, reads and importance.

    With --at-risk those in use that are in a lower tier within some days, the highest score first,
    with its parts. `engram show ID` counts as a read and makes a memory recent again.
    """
    if days is not None and not at_risk:
        raise click.UsageError("--days goes with --at-risk", click.get_current_context())
    within = _WEEK if days is None else days
    with opened() as vault:
        if at_risk:
            _tell_falling(vault.falling(within), within, limit)
        else:
            _tell(vault.tiers())


def described(retention: Retention) -> str:
    """The tier of a memory, its score and the parts of it, and the summaries that lower it."""
    score = retention.score
    pages = ", ".join(f"[{name}]" for name in retention.summaries)
    return (
        f"{retention.tier}: score {score.overall:.2f} (recency {score.recency:.2f},"
        f" activation {score.activation:.2f}, importance {score.importance:.2f})"
        + (f"; summed up in {pages}" if pages else "")
    )


def _tell(counts: TierCounts) -> None:
    if wants_json():
        emit_json(shapes.tiers(counts))
        return
    for tier in TIERS:
        line(f"{tier:<12} {counts.tiers[tier]:>7,}  {_MEANS[tier]}", _MEANING)
    if counts.categories:
        say("")
        line(f"{'':<12}" + "".join(f" {tier:>8}" for tier in TIERS), 12)
    for category, found in counts.categories.items():
        line(f"{category:<12}" + "".join(f" {found[tier]:>8,}" for tier in TIERS), 12)


def _tell_falling(found: Sequence[FallingMemory], days: int, limit: int) -> None:
    if wants_json():
        emit_json([shapes.falling(one) for one in found[:limit]])
        return
    for one in found[:limit]:
        show_rows([one.memory])
        line(f"    {described(one.retention)}; {one.lower} in {plural(one.days, 'day')}", 4)
    if not found:
        talk(f"no memory falls to a lower tier within {plural(days, 'day')}")
    elif len(found) > limit:
        talk(f"there are more: --limit {limit * 10} shows them too")
