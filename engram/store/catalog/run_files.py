"""Records of consolidations: `state/runs/NNNNNNNN.json`, one a transaction, the newest 100.

Turns a ConsolidationRun into its file and back. The files are of this machine, hold no words, and
nothing depends on them: one that is damaged or missing counts as none. Raises StorageError when
one cannot be written.
"""

from __future__ import annotations

import json
import re

from engram.model.consolidation_run import ConsolidationRun, row_of, run_of
from engram.model.ports import Disk
from engram.store.base.layout import RUNS, run_path

#: so many are kept
MOST = 100
_NAME = re.compile(r"([0-9]{8,})\.json")


class RunFiles:
    """The records of one vault."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def put(self, run: ConsolidationRun) -> None:
        """Write a record, and remove what is older than the newest hundred."""
        data = json.dumps(row_of(run), indent=1).encode("ascii") + b"\n"
        self._disk.put(run_path(run.number), data)
        for number in self._numbers()[:-MOST]:
            self._disk.remove(run_path(number))
        self._disk.sync([RUNS])

    def read(self, number: int) -> ConsolidationRun | None:
        """The record of a transaction; None where there is none."""
        try:
            row = json.loads(self._disk.read(run_path(number)) or b"null")
            return run_of(row) if row["run"] == number else None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def last(self, *, whole: bool = False) -> ConsolidationRun | None:
        """The newest record that can be read; with `whole` of a run that left no part for later."""
        found = map(self.read, reversed(self._numbers()))
        return next((run for run in found if run is not None and (run.whole or not whole)), None)

    def _numbers(self) -> list[int]:
        names = map(_NAME.fullmatch, self._disk.names(RUNS))
        return sorted(int(name[1]) for name in names if name is not None)
