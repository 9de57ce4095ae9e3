"""A SQLite file of another program -> its rows, read where it lies (the Database port).

Guarantees: the file, its journal and its locks are left as they are: it is opened read-only, for
the time of one question at a time; values are bounded. A program that keeps it locked, a damaged
file and one that is no database are BadInput, said of the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from engram.model.display import plain
from engram.model.errors import BadInput

#: a value longer than this many bytes is given as NULL
MAX_VALUE = 33_554_432
#: how long a writer of the other program is waited for, seconds
_PATIENCE = 5.0


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
        with self._named(), closing(self._open()) as database:
            for row in database.execute(query, tuple(parameters)):
                yield tuple(map(self._bounded, row))

    def _open(self) -> sqlite3.Connection:
        """Read-only; when its write-ahead log cannot be joined, what stands in the file itself."""
        place = quote(str(self._path.absolute()), safe="/:\\")
        for mode in ("mode=ro", "immutable=1"):
            database = sqlite3.connect(f"file:{place}?{mode}", uri=True, timeout=_PATIENCE)
            try:
                database.execute("pragma query_only = on")
                database.execute("pragma trusted_schema = off")
                database.execute("select 1 from sqlite_master limit 1").fetchone()
            except sqlite3.OperationalError as error:
                database.close()
                if (
                    mode == "immutable=1"
                    or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN
                ):
                    raise
            except sqlite3.DatabaseError:
                database.close()
                raise
            else:
                database.text_factory = lambda data: data.decode("utf-8", "replace")
                return database
        raise AssertionError("the last mode returns or raises")

    def _bounded(self, value: object) -> object:
        too_long = isinstance(value, str | bytes) and len(value) > self._max_value
        return None if too_long else value

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise BadInput(
                f"cannot read {plain(str(self._path))}: {plain(str(error))}",
                "close the program that writes it, or give another file",
            ) from error
