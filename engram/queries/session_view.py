"""Session view: a conversation's name -> what was said in it, and its short-term memory.

Read from the turn journal of this machine, without what is hidden, purged or taken back; a
conversation that was only imported as a file of another machine has no messages here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.model.shown import ShownSession
from engram.queries.named_pages import bare_name, conversation_named
from engram.recall.short_term import SessionTurn, short_term
from engram.store.catalog.turn_rows import link_of

if TYPE_CHECKING:
    from engram.model.ports import Conversations
    from engram.store.commits.projections import Projections


def session_named(
    reference: str, most: int, projections: Projections, conversations: Conversations,
    *, exact: bool,
) -> ShownSession | None:  # fmt: skip
    """The session of that name with its last `most` messages; None where there is none.

    Where it need not be `exact`, a title or the beginning of a name is one too.
    """
    catalog = projections.catalog
    # a file that a person renamed is known by its id
    meant = projections.names().id_of(bare_name(reference))
    reference = meant if catalog.turns.ordinals(meant) else reference
    name = bare_name(reference) if exact else conversation_named(reference, catalog)
    if not name or not name.isprintable():  # arguments that are no text
        return None
    rows = catalog.turns
    places, ticks = rows.ordinals(name), rows.ticks(name)
    if not places:
        return None
    turns = conversations.turns(name)
    said = [SessionTurn(turn, places[link_of(turn)], ticks.get(turn.seq, 0)) for turn in turns]
    file = projections.transcripts.find(name) or ""
    return ShownSession(name, file, short_term(said, most), tuple(turns))
