"""The HandEdits port: looks at the files of a vault, and what the catalog is told of them."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engram.store.commits.scan import Scan, edits, scan

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

    def look(self, until: float = math.inf, first: Iterable[str] = ()) -> ScannedFiles:
        """Look until that time of the monotonic clock, each time from elsewhere."""
        rows = self._projections.catalog.files()
        found = scan(
            self._disk, rows, lambda: time.monotonic() > until, first=first, start=random.random(),
            names=self._projections.names,
        )  # fmt: skip
        return ScannedFiles(self._projections, found)


class ScannedFiles:
    """One look."""

    def __init__(self, projections: Projections, found: Scan) -> None:
        self._projections = projections
        self._found = found

    @property
    def complete(self) -> bool:
        """Whether there was time to look at all of them."""
        return self._found.complete

    @property
    def noticed(self) -> Sequence[str]:
        """The paths that are not as the catalog has them, but for their stat alone."""
        found = self._found
        return [*found.changed, *found.gone, *(row.path for row, _ in found.rewritten)]

    def edits(self) -> tuple[list[Change], list[Event]]:
        """The versions seen, and an event for each memory or page."""
        if not (self._found.changed or self._found.gone):
            return [], []
        catalog = self._projections.catalog
        return edits(self._found, catalog.files(), catalog.items.differs)

    def note(self) -> None:
        """Record what is no edit."""
        self._projections.record_touched(self._found)

    def take_up(self) -> None:
        """Record everything without a transaction."""
        self._projections.take_up(self._found)
