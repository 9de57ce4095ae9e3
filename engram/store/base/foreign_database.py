"""Read-only access to the SQLite file of another program (the ForeignRows port).

Guarantees: the file, its journal and its locks are left as they are. It is opened read-only and
for the time of one query only, so that its program can always tidy up; nothing is copied or
spilled to disk (its content has not passed the redactor yet). Values are bounded.

A database in write-ahead mode whose log is empty is read as an unchanging file: joining the log
would create files beside it. If its program writes the file meanwhile, the rows read so far may not
belong together, and that is reported. A log that cannot be joined (a read-only folder) is left out
the same way. A program that keeps its file locked, a damaged file and one that is no database raise
BadInput, which names the file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from engram.model.display import plain
from engram.model.errors import BadInput

#: a value longer than this many bytes is given as NULL
MAX_VALUE = 33_554_432
#: how long to wait for a writer of the other program, seconds
_PATIENCE = 5.0
#: position and value of the write-ahead flag in the header of a SQLite file
_READ_VERSION, _WAL = 19, 2
_SHARED, _ALONE = "mode=ro", "mode=ro&immutable=1"


class ForeignDatabase:
    """One such file."""

    def __init__(self, path: Path, max_value: int = MAX_VALUE) -> None:
        self._path = path
        self._max_value = max_value

    def tables(self) -> frozenset[str]:
        """The names of its tables."""
        found = self.rows("select name from sqlite_master where type = 'table'")
        return frozenset(name for (name,) in found if isinstance(name, str))

    def rows(
        self, query: str, parameters: Sequence[str | int] = ()
    ) -> Iterator[tuple[object, ...]]:
        """The rows of a SELECT, one by one."""
        with self._named():
            database, mode = self._open()
            with closing(database):
                before = self._stamp()
                for row in database.execute(query, tuple(parameters)):
                    yield tuple(map(self._bounded, row))
                if mode == _ALONE and self._stamp() != before:
                    raise sqlite3.OperationalError("it was written while it was read")

    def _open(self) -> tuple[sqlite3.Connection, str]:
        """A connection, and whether the file is shared with its program or read alone."""
        if not self._is_resting():
            try:
                return self._connected(_SHARED), _SHARED
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN:
                    raise
        return self._connected(_ALONE), _ALONE

    def _connected(self, mode: str) -> sqlite3.Connection:
        place = self._path.absolute().as_uri()
        database = sqlite3.connect(f"{place}?{mode}", uri=True, timeout=_PATIENCE)
        try:
            database.execute("pragma query_only = on")
            database.execute("pragma trusted_schema = off")
            database.execute("pragma temp_store = memory")
            database.execute("select 1 from sqlite_master limit 1").fetchone()
        except sqlite3.Error:
            database.close()
            raise
        database.text_factory = self._text
        return database

    def _is_resting(self) -> bool:
        """Whether it is in write-ahead mode with an empty log, and no program has it open."""
        try:
            with open(self._path, "rb") as file:
                header = file.read(_READ_VERSION + 1)
        except OSError:
            return False  # opening it as a database reports what is wrong
        if len(header) <= _READ_VERSION or header[_READ_VERSION] != _WAL:
            return False
        log, index = (f"{self._path}-{ending}" for ending in ("wal", "shm"))
        return not os.path.exists(index) and not _size(log)

    def _stamp(self) -> tuple[int, int]:
        status = os.stat(self._path)
        return status.st_size, status.st_mtime_ns

    def _text(self, data: bytes) -> str | None:
        return None if len(data) > self._max_value else data.decode("utf-8", "replace")

    def _bounded(self, value: object) -> object:
        return None if isinstance(value, bytes) and len(value) > self._max_value else value

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            raise BadInput(
                f"cannot read {plain(str(self._path))}: {plain(str(error))}",
                "close the program that writes it, or give another file",
            ) from error


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
