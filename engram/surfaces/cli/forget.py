"""`engram forget`: take memories out of use and turns out of search; nothing is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, named, program, scope_arguments
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted

if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.model.report import Scope

#: a list of more is cut
_SHOWN = 10


@click.command("forget")
@scope_arguments
@click.option("--never", is_flag=True, help="And never learn again what the memories say.")
@click.option("--reason", default="", metavar="TEXT", help="A word for the log.")
@click.option("--yes", is_flag=True, help="Forget what --matching finds.")
@click.option("--dry-run", is_flag=True, help="Say what would be forgotten, and stop.")
@common
def command(
    what: tuple[str, ...], matching: str, never: bool, reason: str, yes: bool, dry_run: bool
) -> None:  # fmt: skip
    """Take memories out of use, and the turns they came from out of search; or a turn, or a
    conversation, or all that holds a TEXT. Every file stays, and `engram undo` brings it back."""
    references, text = named(what, matching)
    with opened() as vault:
        # what a text finds is looked at first
        looking = dry_run or bool(text and not yes)
        scope = vault.forget(
            *references, matching=text, reason=reason, never_again=never, dry_run=looking
        )
        said = vault.purge_preview(*references, matching=text).said if looking else []
    if wants_json() and (dry_run or not looking):
        emit_json(shapes.forgotten(scope, done=not looking))
        return
    tell = talk if looking and not dry_run else say
    if scope.already:
        _tell(scope, "forgotten already: ", tell)
        return
    _tell(scope, "would forget " if looking else "forgot ", tell)
    for line in said:
        tell(fitted(line, 8))
    if looking and not dry_run:
        raise BadInput("nothing was forgotten yet", "say --yes to forget all of this")
    if not looking:
        talk(f"bring it back with: {_back(scope)}")


def _tell(scope: Scope, what: str, tell: Callable[[str], None]) -> None:
    """`forgot #8f26a5 ...`, or how many memories and turns, and the first memories."""
    if len(scope.memories) == 1 and not scope.phrase:
        tell(memory_line(scope.memories[0], what))
        return
    memories = plural(len(scope.memories), "memory", "memories")
    tell(f"{what}{memories}, {plural(len(scope.links), 'turn')}")
    for memory in scope.memories[:_SHOWN]:
        tell(memory_line(memory, "    "))


def _back(scope: Scope) -> str:
    """A memory comes back by its name, whatever happened since; anything else by an undo."""
    (one, *more) = scope.memories or (None,)
    alone = one is not None and not more and set(scope.links) <= set(one.sources)
    verb = f"restore {one.id}" if one is not None and alone else "undo"
    return f"{program()} {verb}"
