"""Hand edits: what people did to the files is recorded before anything is answered or written.

The version found is journalled, and catalog, views and index follow. Files that came are recorded
in batches, each a transaction of its own: who is stopped goes on where he was, and others write in
between. Guarantees: nothing of the person's is changed; of known files a question looks at as many
as it has time for, and new ones are all taken up before it is answered, unless another process is
at it, or it has no `patience`: then `to_come` says how many are missing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, Locked, StorageError

if TYPE_CHECKING:
    from engram.model.ports import ChangeDetector, Committer, FoundEdits, HandEdits

#: how long a question waits to take up a hand edit, seconds
_PATIENCE = 0.02
#: how long it waits between two batches for who writes in between: less than one who takes up files
#: as well holds the lock, seconds
_BETWEEN = 0.2


class Settler:
    """Takes up the hand edits of one vault; of one that is not `writable`, without a transaction.

    A `change_detector` is for a vault that is kept open and asked often. `patience` is how long a
    question takes up files at most, but for the batch that it is at, seconds; `advance` is told
    how many files are taken up, and of how many.
    """

    def __init__(
        self, files: HandEdits, committer: Callable[[], Committer], *, writable: bool
    ) -> None:
        """`committer` is asked for when there is something to write, which is seldom."""
        self._files = files
        self._committer = committer
        self._writable = writable
        self.change_detector: ChangeDetector | None = None
        self.patience = math.inf
        self.advance: Callable[[int, int], None] = lambda done, total: None
        #: how many files the last question had to leave
        self.to_come = 0

    def settle(self) -> int:
        """Take up all hand edits; the writer lock is held. Returns how many files they are."""
        folders = self._changed()
        if folders is not None and not folders:
            return 0
        count = self._record_all(self._files.look(folders=folders))
        self._trust()
        return count

    def _changed(self) -> frozenset[str] | None:
        """The folders that are to be looked at; None for all, by a look that begins now."""
        if self.change_detector is None:
            return None
        folders = self.change_detector.changed(self._files.catalog)
        if folders is None:
            self.change_detector.begin()
        return folders

    def _trust(self) -> None:
        if self.change_detector is not None and self._writable:
            self.change_detector.trust(self._files.catalog)

    def _record_all(self, found: FoundEdits) -> int:
        count, total = 0, len(found)
        while found:
            count += self._record(found)
            self.advance(total - len(found), total)
        self.to_come = 0
        return count

    def _record(self, found: FoundEdits) -> int:
        """Record one batch; returns how many files were edited."""
        batch = found.next_batch()
        seen, events = batch.edits()
        batch.note()
        if seen:
            # imported here: most questions find no hand edit
            from engram.model.change import Plan

            try:
                with batch.at_hand():
                    self._committer().commit(Plan("settle", events=tuple(events), seen=tuple(seen)))
            except (StorageError, BadInput):
                with suppress(StorageError):
                    batch.take_up(owed=True)
                raise
        return len(seen)

    def within(self, milliseconds: float) -> bool:
        """Take up hand edits if that is quick; False when they are behind."""
        # first: it opens a catalog, or makes it anew, and the time is for looking at files
        behind = self._files.behind and self._writable
        until = time.monotonic() + milliseconds / 1000
        if behind:
            try:
                with self._committer().lock(timeout=_PATIENCE):
                    pass  # the first to enter recovers what a crash left over
            except (Locked, StorageError, BadInput):
                # somebody writes, or the disk is full, read-only or damaged
                self.to_come = len(self._files.look(until))
                return False
        folders = self._changed()
        if folders is not None and not folders:
            return True
        taken_up = self._taken_up(self._files.look(until, folders))
        if taken_up:
            self._trust()
        return taken_up

    def _taken_up(self, found: FoundEdits) -> bool:
        """Take up what was found, a batch at least; False when some of it has to wait."""
        total, until, wait = len(found), time.monotonic() + self.patience, _PATIENCE
        recorded = True
        try:
            while found:
                if self._writable:
                    with self._committer().lock(timeout=wait):
                        self._record(found)
                else:
                    found.next_batch().take_up()
                self.advance(total - len(found), total)
                if time.monotonic() >= until:
                    break
                wait = _BETWEEN
        except Locked:
            pass  # somebody writes
        except (StorageError, BadInput):
            # the disk is full, read-only or damaged: what can be read is found all the same
            recorded = False
            with suppress(StorageError):
                while found:
                    found.next_batch().take_up(owed=True)
        self.to_come = len(found)
        return recorded and found.complete and not found
