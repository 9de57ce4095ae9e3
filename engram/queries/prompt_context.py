"""What a vault knows around some turns (the Surroundings port): for a model to see updates.

Turns a batch of turns into the nearest live memories (by the index, of the same project or of the
person), the names that the vault knows and that occur in them, and what was said just before.
Guarantees: bounded, the same vault and turns give the same context, nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from engram.model.ids import slug
from engram.model.memory import Memory
from engram.model.model_request import Context
from engram.model.ports import TurnLog
from engram.model.turn import Turn
from engram.queries.index_sync import IndexSync
from engram.store.commits.projections import Projections

#: memories, names and earlier turns that are shown at most
MEMORIES, NAMES, EARLIER = 12, 30, 4
#: how long a process that writes is waited for before the index is asked, seconds
_PATIENCE = 5.0
#: as much of what was said is searched for
_QUERY_CHARACTERS = 2000
#: names of a vault that are looked for, the most used first
_KNOWN_NAMES = 2000


class VaultPromptContext:
    """Of one vault."""

    def __init__(self, projections: Projections, turn_log: TurnLog, index_sync: IndexSync) -> None:
        self._projections = projections
        self._turn_log = turn_log
        self._index_sync = index_sync

    def near(self, turns: Sequence[Turn]) -> Context:
        """The context of turns of one conversation, in order."""
        if not turns:
            return Context()
        # what an earlier question brought is to be seen by the next one
        self._index_sync.refresh(_PATIENCE)
        said = "\n".join(turn.text for turn in turns if turn.role == "user")
        return Context(
            self._memories(said[:_QUERY_CHARACTERS], turns[0].project),
            self._names(said),
            self._earlier(turns[0]),
        )

    def _memories(self, said: str, project: str) -> tuple[Memory, ...]:
        found = self._index_sync.find(said, "memories", MEMORIES * 4)
        known = self._projections.catalog.memories(hit.key for hit in found)
        by_id = {memory.id: memory for memory in known}
        near = (by_id[hit.key] for hit in found if hit.key in by_id)
        ours = [
            memory
            for memory in near
            if memory.live and (memory.space != "project" or memory.project == project)
        ]
        return tuple(ours[:MEMORIES])

    def _names(self, said: str) -> tuple[str, ...]:
        """`tool-postgres` and the like whose name is among the words that were said."""
        here = f"-{slug(said, limit=len(said) * 8 + 60)}-"
        names = self._projections.view.most_mentioned(_KNOWN_NAMES)
        return tuple(name for name in names if f"-{name.partition('-')[2]}-" in here)[:NAMES]

    def _earlier(self, first: Turn) -> tuple[Turn, ...]:
        places = self._projections.catalog.turns.before(first.transcript, first.seq, EARLIER)
        return tuple(self._turn_log.read(places))
