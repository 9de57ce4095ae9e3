"""SQLite file as a cache: opened with safe settings, every failure raised as CatalogUnusable."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from engram.model.errors import StorageError

Row = tuple[Any, ...]
_FAILURES = (sqlite3.Error, OSError)
#: pages that one connection keeps, KiB: the system has them all, and a daemon has two connections
_CACHE = 500
#: and while it writes: a page that several rows of a batch change is written once
_CACHE_OF_WRITER = 64_000


class CatalogUnusable(StorageError):
    """The catalog is missing, foreign, too old or damaged: it is to be rebuilt.

    Where even that fails (the disk is full, the cache cannot be written), or it happens in the
    middle of a query, the error reaches the user.
    """

    default_hint = "run the command again: what is damaged in the cache is built anew"


class CacheDatabase:
    """A connection. Not shared between threads; other processes may read the file meanwhile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._sound():
            self._db = sqlite3.connect(path, isolation_level=None, timeout=10)
            self._inode = path.stat().st_ino
            # a cache: after a power cut the projections replay what is missing
            self._db.execute("pragma journal_mode=wal")
            self._db.execute("pragma synchronous=normal")
            self._db.execute("pragma secure_delete=on")
            self._db.execute("pragma temp_store=memory")
            self._keep_pages(_CACHE)

    @classmethod
    def create(cls, path: Path) -> CacheDatabase:
        """A new file, readable by its owner only, in place of whatever is there."""
        with sound():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for stale in (Path(f"{path}-wal"), Path(f"{path}-shm"), path):
                if stale.is_dir() and not stale.is_symlink():
                    shutil.rmtree(stale)
                stale.unlink(missing_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        return cls(path)

    def is_at(self, path: Path) -> bool:
        """Whether this is still the file of that path, and not one that was replaced."""
        try:
            return path.stat().st_ino == self._inode
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes inside are committed together, or none."""
        with self._sound():
            self._db.execute("begin immediate")
        try:
            self._keep_pages(_CACHE_OF_WRITER)
            yield
        except BaseException:
            with suppress(sqlite3.Error):  # what is damaged cannot even be rolled back
                self._db.execute("rollback")
                self._keep_pages(_CACHE)
            raise
        with self._sound():
            self._db.execute("commit")
            self._keep_pages(_CACHE)

    def _keep_pages(self, size: int) -> None:
        self._db.execute(f"pragma cache_size={-size}")

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """Turn what SQLite and the disk raise into CatalogUnusable; see `_unusable`."""
        try:
            yield
        except _FAILURES as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> CatalogUnusable:
        """The CatalogUnusable of a failure; a file that proves damaged is removed, to be rebuilt.

        Called by each statement: two contexts around each cost more than most of them.
        """
        if _is_damage(error):
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
        return _named(error)

    def do(self, statement: str, *values: object) -> None:
        """Run one statement."""
        try:
            self._db.execute(statement, values)
        except _FAILURES as error:
            raise self._unusable(error) from error

    def many(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Run one statement for each row."""
        try:
            self._db.executemany(statement, rows)
        except _FAILURES as error:
            raise self._unusable(error) from error

    def row(self, statement: str, *values: object) -> Row | None:
        """The first row of an answer."""
        try:
            found: Row | None = self._db.execute(statement, values).fetchone()
        except _FAILURES as error:
            raise self._unusable(error) from error
        return found

    def rows(self, statement: str, *values: object) -> list[Row]:
        """All rows of an answer."""
        try:
            return self._db.execute(statement, values).fetchall()
        except _FAILURES as error:
            raise self._unusable(error) from error

    def number(self, statement: str, *values: object) -> int:
        """The first value of an answer as a number, 0 without one."""
        row = self.row(statement, *values)
        return int(row[0]) if row and row[0] is not None else 0


@contextmanager
def sound() -> Iterator[None]:
    """Turn what SQLite and the disk raise into CatalogUnusable."""
    try:
        yield
    except _FAILURES as error:
        raise _named(error) from error


def _named(error: Exception) -> CatalogUnusable:
    return CatalogUnusable(f"the catalog in the cache cannot be used: {error}")


def _is_damage(error: BaseException | None) -> bool:
    """Whether an error means that the file is no catalog of ours, and not only unreachable."""
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "no such" in str(error)
