"""`engram audit`: how good what was written is, row by row."""

from __future__ import annotations

import click

from engram.model.display import plain_line
from engram.model.findings import AuditRow
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted, paragraph, styled

#: so many flaws of a row are shown unless all are asked for
_EXAMPLES = 5
#: the column at which what is told of a row begins
_INDENT = 6


@click.command("audit")
@click.option("--all", "everything", is_flag=True, help="List every flaw, not only examples.")
@common
def command(everything: bool) -> None:
    """Measure the memories: repeats, echoes of engram's own answers, passwords, other people's
    words, what was taken back, half sentences and noise, what is stale, unproven, dead, orphaned
    or contradictory. Each row says how many, what that means and what to do. Whether files and
    index are as promised is for `engram doctor`."""
    with opened() as vault:
        report = vault.audit()
    rows = report.rows
    if wants_json():
        emit_json(shapes.audit(rows, report.rules, None if everything else _EXAMPLES))
        return
    for row in rows:
        _show(row, everything)
    for rule, noise, known in report.rules:
        say(f"{' ' * _INDENT}rule {rule}: {noise:,} of {known:,} were never asked for")
    wanting = sum(row.verdict == "look" for row in rows)
    talk(f"{plural(wanting, 'row')} to look at" if wanting else "all is well")


def _show(row: AuditRow, everything: bool) -> None:
    color = "yellow" if row.verdict == "look" else "green"
    count = f"{len(row.flaws):>5,} of {row.among:<7,}{row.share:>7.1%}"
    say(f"{styled(f'{row.verdict:<{_INDENT}}', fg=color)}{row.title:<24}{count}", raw=True)
    if not row.flaws:
        return
    say(paragraph(row.means, _INDENT), raw=True)
    for flaw in row.flaws if everything else row.flaws[:_EXAMPLES]:
        say(fitted(f"{' '.join(flaw.ids)}: {plain_line(flaw.what)}", _INDENT + 2))
    if len(row.flaws) > _EXAMPLES and not everything:
        say(f"{' ' * _INDENT}  and {len(row.flaws) - _EXAMPLES:,} more: `engram audit --all`")
    say(paragraph(f"do: {row.fix}", _INDENT), raw=True)
