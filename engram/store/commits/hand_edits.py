"""The HandEdits port: looks at the files of a vault, and what the catalog is told of them."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engram.store.commits.scan import Differences, Scan, compare, edits, read_batch

if TYPE_CHECKING:
    from engram.model.change import Change, Event
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections


class VaultEdits:
    """What people do to the files of one vault."""

    def __init__(self, disk: VaultDisk, projections: Projections) -> None:
        self._disk = disk
        self._projections = projections

    @property
    def catalog(self) -> object:
        """The catalog that files are compared with."""
        return self._projections.catalog

    @property
    def behind(self) -> bool:
        """Whether a crash or another machine left something to take up; needs no lock."""
        return self._projections.behind

    def look(self, until: float = math.inf, folders: frozenset[str] | None = None) -> UnreadEdits:
        """Look until that time of the monotonic clock, each time from elsewhere."""
        marks = self._projections.catalog.marks(folders)
        found = compare(
            self._disk, marks, lambda: time.monotonic() > until, random.random(), folders
        )
        return UnreadEdits(self._disk, self._projections, found)


class UnreadEdits:
    """One look, of which each batch is read when it is asked for."""

    def __init__(self, disk: VaultDisk, projections: Projections, found: Differences) -> None:
        self._disk = disk
        self._projections = projections
        self._rest = found
        self.complete = found.complete

    def __len__(self) -> int:
        """How many files are not as the catalog has them, and were not read yet."""
        return len(self._rest)

    def next_batch(self) -> ReadEdits:
        """Read some of them, compared with what the catalog knows by now."""
        projections = self._projections
        read, self._rest = read_batch(
            self._disk, projections.catalog.file, self._rest, projections.names
        )
        return ReadEdits(projections, read)


class ReadEdits:
    """Files that were read."""

    def __init__(self, projections: Projections, read: Scan) -> None:
        self._projections = projections
        self._read = read

    def edits(self) -> tuple[list[Change], list[Event]]:
        """The versions seen, and an event for each memory or page."""
        read, catalog = self._read, self._projections.catalog
        if not (read.changed or read.gone):
            return [], []
        rows = catalog.files((*read.changed, *read.gone))
        return edits(read, rows, catalog.items.differs)

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        """While they are recorded: nobody need read them again."""
        with self._projections.at_hand(self._read):
            yield

    def note(self) -> None:
        """Record what is no edit."""
        self._projections.record_touched(self._read)

    def take_up(self, *, owed: bool = False) -> None:
        """Record everything without a transaction; `owed`: the next look is to find it again."""
        self._projections.take_up(self._read, owed=owed)
