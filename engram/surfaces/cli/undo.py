"""`engram undo [WHAT]`: take a change back; undoing an undo brings it again."""

from __future__ import annotations

import click

from engram.surfaces.cli.output import common, emit_json, opened, plural, say, talk, wants_json


@click.command("undo")
@click.argument("what", required=False, default="", metavar="[N | import-N]")
@common
def command(what: str, vault_path: str | None, as_json: bool) -> None:
    """Take back the last change, transaction N, or a whole import.

    An import goes with all that was extracted from it. A file that was changed since is never
    overwritten: the undo is refused and shows both versions.
    """
    with opened(vault_path) as vault:
        done = vault.undo(what)
    numbers = " ".join(map(str, done.plan.undoes))
    if wants_json(as_json):
        emit_json({
            "transaction": done.number, "undoes": list(done.plan.undoes),
            "files": len(done.plan.changes), "left": list(done.left),
        })  # fmt: skip
    else:
        say(f"undid {numbers}: {plural(len(done.plan.changes), 'file')} as before")
        talk(f"have it again with: engram undo {done.number}")
