"""Conversations: whole conversations of the journal, and their session records.

The Conversations port on a vault's projections: turns with the role of their speakers, without what
the person forgot; the record as the vault has it and as engram last wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engram.model.closing import OpenConversation, SessionOnRecord
from engram.model.memory import Memory
from engram.store.base import layout
from engram.store.catalog.turn_rows import link_of
from engram.store.commits.transaction_log import undone_in
from engram.store.files.content_file import read_content
from engram.store.files.memory_file import id_in

if TYPE_CHECKING:
    from engram.model.turn import Turn
    from engram.store.commits.attributed_turns import AttributedTurns
    from engram.store.commits.projections import Projections
    from engram.store.commits.transaction_log import TransactionLog


class VaultConversations:
    """Of one vault."""

    def __init__(
        self,
        projections: Projections,
        attributed: AttributedTurns,
        transaction_log: TransactionLog,
    ) -> None:
        self._projections = projections
        self._attributed = attributed
        self._transaction_log = transaction_log

    def gone_on(self, transcripts: Iterable[str] | None = None) -> list[OpenConversation]:
        """The conversations in which more was said since they were last put on record, by name."""
        return self._projections.catalog.conversations.gone_on(transcripts)

    def turns(self, transcript: str) -> list[Turn]:
        """All turns of a conversation that can be read, in order, without what is forgotten."""
        catalog = self._projections.catalog
        hidden = catalog.hidden()
        said = self._attributed.read(catalog.conversations.places(transcript))
        return [turn for turn in said if not hidden or link_of(turn) not in hidden]

    def on_record(self, transcript: str) -> SessionOnRecord:
        """The session record of a conversation."""
        catalog = self._projections.catalog
        rows = [row for row in catalog.conversations.closings(transcript) if row.memory]
        named = dict.fromkeys((*(row.memory for row in rows), *self._of(transcript)))
        memory = next((one for name in named if (one := catalog.memory(name)) is not None), None)
        if memory is None:
            return SessionOnRecord(removed=bool(rows))
        undone = undone_in(catalog.log.rows())
        numbers = [
            row.number for row in rows if row.memory == memory.id and row.number not in undone
        ]
        return SessionOnRecord(memory, self._written(memory.id, numbers))

    def _of(self, transcript: str) -> list[str]:
        return self._projections.catalog.conversations.records(transcript)

    def _written(self, identifier: str, numbers: Iterable[int]) -> Memory | None:
        """A record as the newest of these transactions that wrote it left it."""
        for number in numbers:
            found = self._transaction_log.read(number)
            for change in found.plan.changes if found is not None else ():
                body = change.after
                if body is None or layout.kind_of(change.path) != "memory":
                    continue
                if id_in(change.path, body) == identifier:
                    content = read_content(change.path, body).content
                    assert isinstance(content, Memory)
                    return content
        return None
