"""Times of the daemon's last runs by task, kept over a restart.

A small file in the user's state folder. It can be lost: then a source's history is scanned once
more, and a vault is consolidated a day later.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from engram.daemon.state.instance_lock import FOLDER
from engram.settings.user_files import replace

Row = dict[str, str]


class LastRuns:
    """Rows of text by table and name."""

    def __init__(self, state: Path) -> None:
        self._path = state / FOLDER / "notes.json"
        self._tables: dict[str, dict[str, Row]] = {}
        with suppress(OSError, ValueError, AttributeError, TypeError):
            for table, rows in json.loads(self._path.read_bytes()).items():
                self._tables[table] = {name: dict(row) for name, row in rows.items()}

    def get(self, table: str, name: str) -> Row:
        """A row; empty when there is none."""
        return dict(self._tables.get(table, {}).get(name, {}))

    def put(self, table: str, name: str, row: Row) -> None:
        """Write a row, durably. Raises StorageError."""
        rows = self._tables.setdefault(table, {})
        if rows.get(name) != row:
            self._save({**self._tables, table: {**rows, name: row}})

    def keep_only(self, table: str, names: frozenset[str]) -> None:
        """Remove the rows of other names."""
        rows = self._tables.get(table, {})
        kept = {name: row for name, row in rows.items() if name in names}
        if kept != rows:
            self._save({**self._tables, table: kept})

    def _save(self, tables: dict[str, dict[str, Row]]) -> None:
        replace(self._path, json.dumps(tables, indent=1, sort_keys=True).encode("ascii") + b"\n")
        self._tables = tables
