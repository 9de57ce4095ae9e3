"""Hand edits: what people did to the files is recorded before anything is answered or written.

The version found is journalled, and catalog, views and index follow. Guarantees: nothing of the
person's is changed; a question waits only as long as it is told to.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, Locked, StorageError

if TYPE_CHECKING:
    from engram.model.ports import ChangeDetector, Committer, EditedFiles, HandEdits

#: how long a question waits to take up a hand edit, seconds
_PATIENCE = 0.02


class Settler:
    """Takes up the hand edits of one vault; of one that is not `writable`, without a transaction.

    A `change_detector` is for a vault that is kept open and asked often.
    """

    def __init__(
        self, files: HandEdits, committer: Callable[[], Committer], *, writable: bool
    ) -> None:
        """`committer` is asked for when there is something to write, which is seldom."""
        self._files = files
        self._committer = committer
        self._writable = writable
        self.change_detector: ChangeDetector | None = None

    def settle(self) -> int:
        """Take up all hand edits; the writer lock is held. Returns how many files they are."""
        detector = self.change_detector
        if detector is None:
            return self._record(self._files.look())
        if detector.quiet(self._files.catalog):
            return 0
        detector.begin()
        count = self._record(self._files.look())
        detector.trust(self._files.catalog)
        return count

    def _record(self, found: EditedFiles) -> int:
        seen, events = found.edits()
        found.note()
        if seen:
            # imported here: most questions find no hand edit
            from engram.model.change import Plan

            self._committer().commit(Plan("settle", events=tuple(events), seen=tuple(seen)))
        return len(seen)

    def within(self, milliseconds: float) -> bool:
        """Take up hand edits if that is quick; False when they are behind."""
        # first: it opens a catalog, or makes it anew, and the time is for looking at files
        behind = self._files.behind and self._writable
        until = time.monotonic() + milliseconds / 1000
        if self.change_detector is not None:
            if self._writable and not behind and self.change_detector.quiet(self._files.catalog):
                return True
            self.change_detector.begin()
        found = self._files.look(until)
        if not self._writable:
            found.take_up()
        elif behind or found.noticed:
            try:
                with self._committer().lock(timeout=_PATIENCE):
                    # again: the vault may have been recovered, or changed by another
                    self._record(self._files.look(until if behind else 0.0, first=found.noticed))
            except (Locked, StorageError, BadInput):
                return False  # somebody writes, or the disk is full, read-only or damaged
        if self.change_detector is not None and self._writable and found.complete and not behind:
            self.change_detector.trust(self._files.catalog)
        return found.complete
