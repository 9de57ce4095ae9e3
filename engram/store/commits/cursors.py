"""Cursor file `state/cursors.json`: how far each transcript was read; keyed by content.

It holds places, sizes, times and digests, and no words, names or paths: see `capture.follow`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from engram.store.base import layout
from engram.store.base.disk import VaultDisk


class CursorFile:
    """The Cursors port. A damaged file counts as empty: turns read again are recognised."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        self.recent: dict[str, object] = {}

    def load(self) -> dict[str, dict[str, object]]:
        """Every cursor as plain data, by its key."""
        try:
            rows = json.loads(self._disk.read(layout.CURSORS) or b"{}")
        except (ValueError, RecursionError):
            return {}
        if not isinstance(rows, dict):
            return {}
        return {key: row for key, row in rows.items() if isinstance(row, dict)}

    def save(self, cursors: Mapping[str, dict[str, object]]) -> None:
        """Replace all cursors, sorted, durably."""
        body = json.dumps(dict(cursors), sort_keys=True, indent=1, ensure_ascii=True)
        self._disk.put(layout.CURSORS, body.encode("ascii") + b"\n")
        self._disk.sync([layout.STATE])
