"""`engram promote ID... --to SPACE`: let memories hold in another space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engram.model.item import SPACES
from engram.model.promotion import ALREADY
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, program
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.hooks.agents import reader_in
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.model.report import Promotion


@click.command("promote")
@click.argument("identifiers", metavar="ID...", nargs=-1, required=True)
@click.option("--to", "to_space", required=True, type=click.Choice(SPACES[1:]), metavar="SPACE",
              help="user: everywhere, for you; project; system.")  # fmt: skip
@click.option("--project", default="", metavar="NAME", help="The project; else the folder's.")
@click.option("--with-quote", is_flag=True,
              help="Into a shared vault: what was said too, word for word.")  # fmt: skip
@click.option("--yes", is_flag=True, help="Into a shared vault: also what is for you alone.")
@click.option("--dry-run", is_flag=True, help="Say what would change, and stop.")
@common
def command(
    identifiers: tuple[str, ...], to_space: str, project: str, with_quote: bool, yes: bool,
    dry_run: bool,
) -> None:  # fmt: skip
    """Let each memory ID, of a file or an item, hold in another space; all of them, or none.

    What a session alone holds outlives it so, and what is about you holds in a project. The rules
    are the policy's (`engram policy show`): your word is enough where a pair of spaces has a rule,
    and nothing leaves one for another without. What stands in the target and is not replaced stays,
    and what is there already is no error. What an agent asks for waits in `engram review`.

    What is in project space already goes into the shared vault of its project (`engram init
    --shared`): a copy without links to what was said, and yours gives way to it.
    """
    with opened() as vault:
        here = vault.projects_in(caller().folder)
        done = vault.promote(
            identifiers, to_space, project=project, here=here,
            reader=reader_in(caller().environment), dry_run=dry_run,
            with_quote=with_quote, private=yes,
        )  # fmt: skip
    if wants_json():
        emit_json([shapes.promotion(one) for one in done])
        return
    for one in done:
        note = "already" if one.code == ALREADY else ""
        say(memory_line(one.before, f"{_where(one):<12}", note=note), raw=True)
    _conclude(done, dry_run)


def _where(one: Promotion) -> str:
    if one.shared:
        return one.shared
    return one.after.space if one.after.live else one.after.status


def _conclude(done: Sequence[Promotion], dry_run: bool) -> None:
    waiting = sum(one.denied for one in done)
    shared = any(one.shared for one in done)
    if all(one.code == ALREADY for one in done):
        talk("it was so already: no file changed")
    elif dry_run:
        talk(f"would change {plural(len(done), 'memory', 'memories')}; nothing was written")
    elif waiting:
        talk("an agent asked for it: it waits for the person in `engram review`")
    elif shared:
        talk("it is read by everybody who has that folder once you commit and push it there")
    else:
        talk(f"take it back with: {program()} undo")
