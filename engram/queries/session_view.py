"""Session view: a conversation's name or the path of its transcript -> its short-term memory.

Read from the turn journal of this machine, without what is hidden, purged or taken back; a
conversation that was only imported as a file of another machine has no messages here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.model.shown import ShownSession
from engram.recall.short_term import SessionTurn, short_term
from engram.store.catalog.turn_rows import link_of

if TYPE_CHECKING:
    from engram.model.ports import Conversations
    from engram.store.commits.projections import Projections


def session_named(
    reference: str, most: int, projections: Projections, conversations: Conversations
) -> ShownSession | None:
    """The session of that name with its last `most` messages; None where there is none."""
    name = reference.strip().removeprefix("[[").removesuffix("]]")
    name = projections.names().id_of(name).rpartition("/")[2].removesuffix(".md")
    if not name.isprintable():  # arguments that are no text
        return None
    rows = projections.catalog.turns
    places, ticks = rows.ordinals(name), rows.ticks(name)
    if not places:
        return None
    said = [
        SessionTurn(turn, places[link_of(turn)], ticks.get(turn.seq, 0))
        for turn in conversations.turns(name)
    ]
    return ShownSession(name, projections.transcripts.find(name) or "", short_term(said, most))
