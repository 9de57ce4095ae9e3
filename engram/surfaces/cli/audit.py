"""`engram audit`: how good what was written is, row by row, or by a sample that a person judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from engram.model.display import plain_line
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.audit_sample import judge_sample, measured_line
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import hanging, paragraph, styled

if TYPE_CHECKING:
    from engram.model.findings import AuditFlaw, AuditRow
    from engram.model.memory import Memory

#: so many flaws of a row are shown unless all are asked for
_EXAMPLES = 5
#: the column at which what is told of a row begins
_INDENT = 6
#: how many are drawn where nobody says
_SAMPLE = "10"


@click.command("audit")
@click.option("--all", "everything", is_flag=True, help="List every flaw, not only examples.")
@click.option("--sample", is_flag=False, flag_value=_SAMPLE, type=click.IntRange(1), metavar="[N]",
              help="Judge N memories drawn at random, 10 if not said.")  # fmt: skip
@click.option("--seed", default="", metavar="TEXT", help="What the draw depends on; else the day.")
@common
def command(everything: bool, sample: int | None, seed: str) -> None:
    """Measure the memories: repeats, echoes of engram's own answers, passwords, other people's
    words, what was taken back, half sentences and noise, what is stale, unproven, dead, orphaned
    or contradictory. Each row says how many, what that means and what to do. Whether files and
    index are as promised is for `engram doctor`.

    With --sample you judge memories drawn at random, one key each; the share of good ones is the
    measured precision of this vault, which `audit` and `status --json` then tell.
    """
    if seed and sample is None:
        raise click.UsageError("--seed goes with --sample", click.get_current_context())
    with opened() as vault:
        if sample is not None:
            judge_sample(vault, sample, seed)
            return
        report = vault.audit()
    if wants_json():
        emit_json(shapes.audit(report, None if everything else _EXAMPLES))
        return
    for row in report.rows:
        _show(row, everything, report.flawed)
    for rule, noise, known in report.rules:
        say(f"{' ' * _INDENT}rule {rule}: {noise:,} of {known:,} were never asked for")
    if report.measured is not None:
        say(measured_line(report.measured))
    wanting = sum(row.verdict == "look" for row in report.rows)
    talk(f"{plural(wanting, 'row')} to look at" if wanting else "all is well")
    if report.measured is None:
        talk("how good the rest is only you can say: `engram audit --sample`")


def _show(row: AuditRow, everything: bool, flawed: Mapping[str, Memory]) -> None:
    color = "yellow" if row.verdict == "look" else "green"
    count = f"{len(row.flaws):>5,} of {row.among:<7,}{row.share:>7.1%}"
    told = hanging(f"{row.verdict:<{_INDENT}}{row.title:<24}{count}", _INDENT)
    say(told.replace(row.verdict, styled(row.verdict, fg=color), 1), raw=True)
    if not row.flaws:
        return
    say(paragraph(row.means, _INDENT), raw=True)
    for flaw in row.flaws if everything else row.flaws[:_EXAMPLES]:
        _show_flaw(flaw, flawed)
    if len(row.flaws) > _EXAMPLES and not everything:
        say(f"{' ' * _INDENT}  and {len(row.flaws) - _EXAMPLES:,} more: `engram audit --all`")
    say(paragraph(f"do: {row.fix}", _INDENT), raw=True)


def _show_flaw(flaw: AuditFlaw, flawed: Mapping[str, Memory]) -> None:
    """The line of each memory, and why; of pages, and of what is not to be printed, the id."""
    margin = " " * (_INDENT + 2)
    for name in flaw.ids:
        say(memory_line(flawed[name], margin) if name in flawed else f"{margin}{name}", raw=True)
    say(paragraph(plain_line(flaw.why), _INDENT + 4), raw=True)
