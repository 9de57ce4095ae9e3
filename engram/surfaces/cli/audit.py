"""`engram audit`: how good what was written is, row by row."""

from __future__ import annotations

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted, styled

#: so many flaws of a row are shown unless all are asked for
_EXAMPLES = 5


@click.command("audit")
@click.option("--all", "everything", is_flag=True, help="List every flaw, not only examples.")
@common
def command(everything: bool) -> None:
    """Duplicates, echoes of engram's own answers, secrets, junk that would be refused today, what
    is stale, unproven, dead, orphaned or contradictory, and rules that make noise: how many,
    whether to look at it, and what to do. Whether files and index are as promised is for `engram
    doctor`."""
    with opened() as vault:
        report = vault.audit()
    rows = report.rows
    if wants_json():
        emit_json(shapes.audit(rows, report.rules, None if everything else _EXAMPLES))
        return
    for row in rows:
        color = "yellow" if row.verdict == "look" else "green"
        count = f"{len(row.flaws):>5,} of {row.among:<7,}{row.share:>7.1%}"
        say(f"{styled(f'{row.verdict:<6}', fg=color)}{row.name:<18}{count}", raw=True)
        for flaw in row.flaws if everything else row.flaws[:_EXAMPLES]:
            say(fitted(f"{' '.join(flaw.ids)}: {flaw.what}", 6))
        if len(row.flaws) > _EXAMPLES and not everything:
            say(f"      and {len(row.flaws) - _EXAMPLES:,} more: `engram audit --all`")
        if row.flaws:
            say(f"      fix: {row.fix}")
    for rule, noise, known in report.rules:
        say(f"      rule {rule}: {noise:,} of {known:,} are noise")
    wanting = sum(row.verdict == "look" for row in rows)
    talk(f"{plural(wanting, 'row')} to look at" if wanting else "all is well")
