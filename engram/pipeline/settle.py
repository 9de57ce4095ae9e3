"""Hand edits: what people did to the files is recorded before anything is answered or written.

The version found is journalled, and catalog, views and index follow. Guarantees: nothing of the
person's is changed; a question waits only as long as it is told to; everything that writes settles
first, under the writer lock, and leaves the index caught up.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, Locked, StorageError

if TYPE_CHECKING:
    from engram.model.ports import ChangeDetector, Committer, EditedFiles, HandEdits
    from engram.pipeline.ports import Ports

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
        return self._record(self._files.look())

    def _record(self, found: EditedFiles) -> int:
        seen, subjects = found.edits()
        found.note()
        if seen:
            # imported here: most questions find no hand edit
            from engram.model.change import Event, Plan

            events = tuple(
                Event("hand_edit", identifier, (("what", what),)) for identifier, what in subjects
            )
            self._committer().commit(Plan("settle", events=events, seen=tuple(seen)))
        return len(seen)

    def within(self, milliseconds: float) -> bool:
        """Take up hand edits if that is quick; False when they are behind."""
        until = time.monotonic() + milliseconds / 1000
        behind = self._writable and self._files.behind
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


@contextmanager
def writing(ports: Ports, *, index: bool = True, settle: bool = True) -> Iterator[int]:
    """Under the writer lock, with hand edits taken up before and the index caught up after.

    Yields how many files were edited; without `settle` nobody has looked. Raises Untrusted and
    FormatTooNew for a vault that may not be written here.
    """
    ports.check_writable()
    with ports.committer.lock():
        yield ports.settler.settle() if settle else 0
        if index:
            ports.index.refresh()


def settle_all(ports: Ports, *, writable: bool) -> str:
    """Take up everything that lies in the vault, transcripts of other machines too.

    Returns why that is not possible, if it is not.
    """
    try:
        if writable:
            with writing(ports):
                take_up_transcripts(ports)
        else:
            ports.settler.within(math.inf)
            ports.index.refresh()
    except (StorageError, BadInput) as error:
        return str(error)
    return ""


def take_up_transcripts(ports: Ports, also: Sequence[str] = ()) -> None:
    """Know and find the turns of transcripts that another machine wrote."""
    links = ports.turns.record_transcripts(also)
    if links:
        ports.index.refresh()
        ports.index.show(links)


def rebuild(ports: Ports, *, writable: bool) -> list[str]:
    """Catalog and index anew from the files, then the views; returns those that differed."""
    if not writable:
        ports.derived.rebuild()
        ports.index.rebuild()
        return []
    with ports.committer.lock():
        ports.derived.rebuild()
        mended = ports.derived.mend_views(due=True)
        if ports.settler.settle():
            ports.derived.write_topics()
        ports.index.rebuild()
        return mended
