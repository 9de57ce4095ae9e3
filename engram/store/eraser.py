"""The eraser: what `purge` destroys beside a memory's own file (design 4.2).

Turns a committed purge into rewritten transactions, turn journal and transcripts without the
words. Part of applying the transaction, so a crash repeats it; repeating changes nothing. Git
history, backups and synced copies are not reached.
"""

from __future__ import annotations

from engram.model.change import Transaction
from engram.ports import Journal
from engram.store import layout, transaction
from engram.store.disk import VaultDisk
from engram.store.history import History
from engram.store.transcripts import Transcripts


class Eraser:
    """Erases in one vault; the writer lock must be held."""

    def __init__(
        self, disk: VaultDisk, history: History, journal: Journal, transcripts: Transcripts
    ) -> None:
        self._disk = disk
        self._history = history
        self._journal = journal
        self._transcripts = transcripts

    def erase(self, committed: Transaction) -> None:
        """Take the words of a purge out of everything that holds them."""
        paths = [change.path for change in committed.plan.changes]
        for earlier in self._history.all():
            without = transaction.purged(earlier, paths)
            if without != earlier:
                path = layout.journal_path(earlier.number, earlier.time)
                self._disk.put(path, transaction.encode(without))
        for event in committed.plan.events:
            details = dict(event.details)
            self._journal.purge(details.get("messages", "").split())
            self._transcripts.purge(details.get("turns", "").split())
