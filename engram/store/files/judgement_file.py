"""Judgements of memories: `state/judged.jsonl`, a line each, the newest last.

    {"id": "decision-20260306-101000-9c1f03aa", "time": "2026-11-22T09:14:03Z", "verdict": "good"}

Turns a Judgement into its line and back. A line holds an id, a verdict and a time and no words, so
that a purge leaves it as it is. Appended without a lock: two lines do not depend on each other.
What is torn or foreign is passed over. Raises StorageError when a line cannot be written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from engram.model.errors import BadInput
from engram.model.ids import is_name
from engram.model.instant import instant_of
from engram.model.judgement import GRADES, Judgement
from engram.model.ports import Disk
from engram.store.base.layout import JUDGED

_KEYS = frozenset(Judgement._fields)


class JudgementFile:
    """The judgements of one vault."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def add(self, judgement: Judgement) -> None:
        """Append one."""
        line = json.dumps(judgement._asdict(), sort_keys=True).encode("ascii") + b"\n"
        before = self.whole()
        torn = b"\n" if before and not before.endswith(b"\n") else b""
        self._disk.append(JUDGED, torn + line)

    def all(self) -> list[Judgement]:
        """Every judgement that can be read, oldest first."""
        return list(self._read())

    def whole(self) -> bytes:
        """The file; a link, a pipe or a folder in its place is none of ours."""
        try:
            return self._disk.read(JUDGED) or b""
        except BadInput:
            return b""

    def _read(self) -> Iterator[Judgement]:
        for line in self.whole().splitlines():
            try:
                row = json.loads(line)
                if isinstance(row, dict) and row.keys() == _KEYS:
                    one = Judgement(**row)
                    known = one.verdict in ("", *GRADES) and is_name(one.id)
                    if known and instant_of(one.time) == one.time:
                        yield one
            except (ValueError, TypeError, AttributeError, RecursionError):
                continue
