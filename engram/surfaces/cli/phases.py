"""`engram phases start|list|diff`: periods of a project or person, and what changed between two."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from engram.model.display import plain_line
from engram.model.errors import BadInput, EngramError
from engram.model.given import BY_HAND
from engram.model.item import SPACES, Store, store_of
from engram.model.phase import Phase, store_words
from engram.model.text import first_line
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import Verbs, common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted, hanging
from engram.surfaces.hooks.agents import reader_in
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.model.phase_diff import DiffedPhases
    from engram.vault import Vault

#: a longer name pushes only its own line to the right
_WIDE = 24
_Command = TypeVar("_Command", bound="Callable[..., object]")


def _stores(command: _Command) -> _Command:
    """The arguments that name a store."""
    command = click.option(
        "--project", default="", metavar="NAME", help="Of this project; else of that of the folder."
    )(command)
    return click.option(
        "--space", default="", type=click.Choice(["", *SPACES]), metavar="SPACE",
        help="Of user or system memories, or of the session of the agent that asks.",
    )(command)  # fmt: skip


@click.group("phases", cls=Verbs, no_args_is_help=False)
@common
def command() -> None:
    """Periods of a project or person: begin one, list them, and see what changed.

    They stand in phases.md, one line each, which you may edit. Nothing is hidden by a phase unless
    the policy says so (`phase.mode`).
    """


@command.command("start")
@click.argument("name")
@_stores
@click.option("--reason", default="", metavar="TEXT", help="Why it begins; by default: manual.")
@common
def start(name: str, project: str, space: str, reason: str) -> None:
    """Begin the phase NAME now.

    Nothing begins where the current phase is called so. `engram undo` takes it back.
    """
    with opened() as vault:
        found = vault.start_phase(_store(vault, project, space), name, reason)
    if wants_json():
        emit_json(shapes.started_phase(found))
    elif found.began:
        say(f"{_called(found.phase)} of {store_words(found.store)} began")
    else:
        talk(f"{_called(found.phase)} of {store_words(found.store)} is the current one already")


@command.command("list")
@_stores
@common
def list_(project: str, space: str) -> None:
    """Every phase, the current one marked, with how many memories it had at its end."""
    with opened() as vault:
        named = bool(project or space)
        found = vault.phases(_store(vault, project, space) if named else None)
    if wants_json():
        emit_json([shapes.listed_phase(one) for one in found])
        return
    store: Store | None = None
    for one in found:
        if one.store != store:
            store = one.store
            say(store_words(store))
        mark = "*" if one.current else " "
        since = one.start.replace("T", " ")[:16] or "-"
        count = plural(one.memories, "memory", "memories")
        head = f"{mark} {_called(one.phase):<{_WIDE}}  {since:<16}  {count}"
        say(hanging(f"  {head}, {plain_line(one.phase.reason)}", 4), raw=True)
    if not found:
        talk("no phases: the first begins with the first memory")


@command.command("diff")
@click.argument("phases", nargs=-1, metavar="[FROM TO]")
@_stores
@common
def diff(phases: tuple[str, ...], project: str, space: str) -> None:
    """What came, went and changed between two phases, by default the last two.

    FROM and TO are phase-2, 2 or a name. Of each phase what it had at its end counts.
    """
    if len(phases) not in (0, 2):
        raise BadInput("give two phases or none", "`engram phases diff phase-1 phase-2`")
    names = (phases[0], phases[1]) if phases else None
    with opened() as vault:
        found = vault.phase_diff(
            _store(vault, project, space), names, reader_in(caller().environment)
        )
        if wants_json():
            emit_json(shapes.diffed_phases(found))
            return
        _say_diff(found, vault)


def _say_diff(found: DiffedPhases, vault: Vault) -> None:
    say(f"{store_words(found.store)}: {_called(found.before)} to {_called(found.after)}")
    for line in found.diff.summary_lines:
        say(line)

    def words(item: str) -> str:
        try:
            return first_line(vault.memory(found.files.get(item, item)).text)
        except EngramError:
            return ""

    for one in found.diff.top_changes:
        if one["change"] == "replaced":
            say(fitted(f"~ {one['to_id']}: {words(one['to_id'])}", 2))
            say(fitted(f"was {one['from_id']}: {words(one['from_id'])}", 4))
        else:
            sign = "+" if one["change"] == "added" else "-"
            say(fitted(f"{sign} {one['memory_id']}: {words(one['memory_id'])}", 2))
    left = sum(found.diff.counts) - len(found.diff.top_changes)
    if left:
        talk(f"and {left} more: --json names them")


def _called(phase: Phase) -> str:
    return phase.id + (f" “{plain_line(phase.name)}”" if phase.name else "")


def _store(vault: Vault, project: str, space: str) -> Store:
    """The store that is meant: as named, else the project of the folder, else the person's."""
    if project and space not in ("", "project"):
        raise BadInput(f"a project has no {space} memories", "give --project or --space")
    session = ""
    if space == "session":
        session = reader_in(caller().environment).session
        if session == BY_HAND:
            raise BadInput(
                "this is no session of an agent", "an agent may call it in its own shell"
            )
    if space in ("", "project") and not project:
        names = vault.projects_in(Path(os.curdir))
        space, project = space or ("project" if names else "user"), next(iter(names), "")
    return store_of(space or "project", project and vault.project_called(project), session)
