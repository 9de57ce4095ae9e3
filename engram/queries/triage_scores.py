"""Conversations of a vault -> what triage finds in each: for the person who asks why.

Those that have pending turns, whole; where none has, the last ones that were captured. Forgotten
turns are left out. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from engram.extract.triage import TriagePatterns, triage
from engram.model.schema_score import TriagedConversation
from engram.model.turn import Turn
from engram.store.commits.attributed_turns import AttributedTurns
from engram.store.commits.projections import Projections

#: conversations without pending turns that are looked at, and turns of one, the last ones
_MOST_DONE, _MOST_TURNS = 20, 5_000
_END = 2**62


def triaged(
    pending: Sequence[str], projections: Projections, attributed: AttributedTurns,
    patterns: TriagePatterns,
) -> list[TriagedConversation]:  # fmt: skip
    """The pending conversations in their order, or the last ones, newest first."""
    names = list(pending) or _last_captured(projections)
    found = ((name, conversation(name, projections, attributed)) for name in names)
    return [TriagedConversation(name, len(turns), triage(turns, patterns)) for name, turns in found]


def conversation(
    transcript: str, projections: Projections, attributed: AttributedTurns
) -> list[Turn]:
    """The turns of a conversation in order, without forgotten ones."""
    places = projections.catalog.turns.before(transcript, _END, _MOST_TURNS)
    hidden = projections.catalog.hidden()
    turns = attributed.read(places)
    return [turn for turn in turns if f"{turn.transcript}#^{turn.block}" not in hidden]


def _last_captured(projections: Projections) -> list[str]:
    rows = projections.catalog.turns
    last = {name: rows.before(name, _END, 1) for name in sorted(rows.transcript_names())}
    names = sorted((name for name in last if last[name]), key=lambda name: last[name], reverse=True)
    return names[:_MOST_DONE]
