"""`engram show ID`: a memory or page as its file says it, a turn, or a whole conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engram.model.ids import docid
from engram.model.memory import Memory
from engram.model.shown import ShownSession, ShownTurn
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened_beside, say, talk, wants_json
from engram.surfaces.cli.shown_times import shown_instant
from engram.surfaces.cli.tiers import described

if TYPE_CHECKING:
    from engram.model.shown import ShownFile
    from engram.model.step import Page


@click.command("show")
@click.argument("identifier", metavar="ID")
@click.option(
    "--short-term", is_flag=True,
    help="Of a conversation its last messages and a summary of those before.",
)  # fmt: skip
@common
def command(identifier: str, short_term: bool) -> None:
    """Print a memory, box, entity or summary as its file says it, a turn, or a conversation.

    ID is an id, its beginning, a docid such as a1b2c3, a file name, a [[link]], an alias or a
    title. Of a conversation all that was said is printed, without what was forgotten; with
    --short-term what stands in its short-term memory, as `short_term` of the policy says.
    """
    with opened_beside() as vault:
        shown = vault.show(identifier)
    if isinstance(shown, ShownTurn):
        _show_turn(shown)
    elif isinstance(shown, ShownSession):
        _show_session(shown, short_term)
    elif isinstance(shown.content, Memory):
        _show_memory(shown.content, shown)
    else:
        _show_page(shown.content, shown.text)


def _show_memory(memory: Memory, shown: ShownFile) -> None:
    if wants_json():
        emit_json(shapes.memory_file(memory, shown))
        return
    talk(memory.path)
    if shown.retention is not None:
        talk(described(shown.retention))
    say(shown.text.rstrip("\n"))


def _show_page(page: Page, text: str) -> None:
    if wants_json():
        emit_json(shapes.page_file(page, text))
        return
    talk(page.path)
    say(text.rstrip("\n"))


def _show_turn(said: ShownTurn) -> None:
    turn = said.turn
    if wants_json():
        emit_json(shapes.shown_turn(said))
        return
    talk(f"{said.file}:{said.line}")
    who = f"{turn.role} {turn.speaker}".strip()
    say(f"{who} {shown_instant(turn.time)}\n\n{turn.text}")


def _show_session(session: ShownSession, short_term: bool) -> None:
    if wants_json():
        emit_json(shapes.session(session))
        return
    talk(session.file)
    for item in session.items if short_term else ():
        say(f"{item.source}: {item.text}\n")
    for turn in () if short_term else session.turns:
        who = f"{turn.role} {turn.speaker}".strip()
        name = docid(f"{turn.transcript}#^{turn.block}")
        say(f"{who} {shown_instant(turn.time)}  {name}\n\n{turn.text}\n")
