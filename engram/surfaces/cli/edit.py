"""`engram edit ID`: change a memory in an editor, or by a program, as one change to take back."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput, Conflict, EngramError
from engram.model.report import Edited
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, program
from engram.surfaces.cli.editor import dispose, edited
from engram.surfaces.cli.given import given_bytes
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted

if TYPE_CHECKING:
    from engram.vault import Vault


@click.command("edit")
@click.argument("identifier", metavar="ID")
@click.option("--from", "source", metavar="FILE", help="Its new text; `-` for stdin.")
@click.option(
    "--expect",
    default="",
    metavar="SHA256",
    help="The version it was made of, as `show --json` says.",
)
@common
def command(identifier: str, source: str | None, expect: str) -> None:
    """Open the file of memory ID in VISUAL or EDITOR, and take up what you save. Any other editor
    does as well: hand edits are always taken up. A program gives the new text with --from, and
    with --expect the version that it has read."""
    if source is None and expect:
        raise click.UsageError("--expect goes with --from", click.get_current_context())
    with opened() as vault:
        if source is None:
            done = change(vault, identifier)
        else:
            # only a person who names a file of theirs looks at what they do
            if not expect and (source == "-" or not sys.stdin.isatty()):
                raise BadInput(
                    "say which version this was made of: --expect SHA256",
                    f"`engram show {identifier} --json` prints it as sha256",
                )
            done = vault.replace_text(identifier, given_bytes(source), expect)
    if wants_json():
        emit_json(shapes.edit(done))
    else:
        tell(done)


def change(vault: Vault, identifier: str) -> Edited:
    """Let the person edit a memory's file; `after` is `before` when it was saved as it was.

    Raises BadInput for an editor that fails, and Conflict when the file was changed meanwhile:
    then the person's words stay where the hint says.
    """
    draft = vault.to_edit(identifier)
    memory, before, copy = draft.memory, draft.before, draft.copy
    try:
        after = edited(before, copy, os.environ)
        if not after.strip():
            raise BadInput("nothing is left of it: nothing was changed", "`engram forget` it")
        done = Edited(memory, memory) if after == before else vault.edit(memory, before, after)
    except Conflict as error:
        raise Conflict(str(error), f"your version is in {copy}") from error
    except EngramError:
        dispose(copy)
        raise
    dispose(copy)
    return done


def tell(done: Edited) -> None:
    """Say what was changed, key by key."""
    if done.after is done.before:
        talk("nothing was changed")
        return
    say(f"edited {done.before.id}")
    for name, old, new in done.differences():
        if name == "sections":
            for heading, change in _of_sections(done):
                say(fitted(f"## {heading}: {change}", 4))
        else:
            say(fitted(f"{name}: {_short(old)} -> {_short(new)}", 4))
    if done.problem:
        talk(f"note: {done.problem}")
    talk(f"take it back with: {program()} undo")


def _of_sections(done: Edited) -> list[tuple[str, str]]:
    """The heading of each section that was changed, and how."""
    old = dict(done.before.sections)
    new = dict(done.after.sections) if done.after else {}
    found = []
    for heading in dict.fromkeys([*old, *new]):
        if heading not in new:
            found.append((heading, "removed"))
        elif heading not in old:
            found.append((heading, "added"))
        elif old[heading] != new[heading]:
            found.append((heading, "changed"))
    return found


def _short(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value) if value not in ("", {}) else "none"
