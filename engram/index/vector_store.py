"""Store of vectors: what a model made of memories and turns, in the cache, beside the index.

    <folder>/vectors.sqlite     which model and dimensions, and of each key its row and its stamp
    <folder>/memories.f32       one row a memory, `turns.f32` one row a turn (`unit_vectors`)

A stamp tells from what a vector was made: another stamp is another text. Guarantees: a row counts
only when the database names it, which is after its bytes are on the medium, so that a crash leaves
rows that nobody reads; vectors of another model, of other dimensions, of before a purge or in a
damaged file are never used, and removed by the next `begin`. Nothing here costs more than time and
money to make anew. Raises VectorsUnusable for a damaged store and a full disk; the caller has asked
`require_numpy` before it puts or compares.

One writer at a time: the caller holds a lock. Readers need none.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engram.model.atomic_file import fsync

if TYPE_CHECKING:
    from engram.index.unit_vectors import Cosines
    from engram.model.hit import Collection

#: another form of the files, or of what is embedded: older ones are made anew
_FORM = 1
#: bytes of one number in a row
_WIDTH = 4
#: keys that one statement names
_MOST_NAMED = 400
#: what brings numpy
INSTALL = 'pip install "engram-memory-vault[semantic]"'
_NEW = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_SCHEMA = """
create table made (model text not null, dimensions integer not null, purge integer not null);
create table vectors (collection text, key text, row integer, stamp text,
    primary key (collection, key)) without rowid;
create unique index by_row on vectors (collection, row);
create table free (collection text, row integer, primary key (collection, row)) without rowid;
"""


class VectorsUnusable(Exception):
    """There are no vectors that can be used; the message says why."""


class OtherDimensions(Exception):
    """Vectors of another length than those in the store."""


class VectorState(NamedTuple):
    """What a store holds: `purge` is the number of the last purge that it knows of."""

    model: str = ""
    dimensions: int = 0
    purge: int = 0
    memories: int = 0
    turns: int = 0


class VectorStore:
    """The vectors of one vault, in a folder that need not exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._database = folder / "vectors.sqlite"

    def state(self) -> VectorState:
        """What it holds; never raises, a damaged one holds nothing."""
        try:
            with self._opened() as db:
                made = db.execute("select model, dimensions, purge from made").fetchone()
                query = "select collection, count(*), max(row) from vectors group by 1"
                held = {name: (count, last) for name, count, last in db.execute(query)}
                for name, (_, last) in held.items():
                    if self._file(name).stat().st_size < (last + 1) * made[1] * _WIDTH:
                        raise VectorsUnusable(f"{name} are cut short")
        except VectorsUnusable:
            return VectorState()
        return VectorState(*made, *(held.get(name, (0, 0))[0] for name in ("memories", "turns")))

    def made_by(self) -> tuple[str, int]:
        """The model behind the vectors and the last purge they know of; none where there are none.

        Counts nothing, for one who searches.
        """
        try:
            with self._opened() as db:
                model, purge = db.execute("select model, purge from made").fetchone()
        except VectorsUnusable:
            return "", 0
        return model, purge

    def begin(self, model: str, purge: int) -> None:
        """Be ready for vectors of a model: those of another, or of before a purge, are removed."""
        state = self.state()
        if (state.model, state.purge) != (model, purge):
            self.drop()
            self._make(model, purge)

    def drop(self) -> None:
        """Remove everything. Raises VectorsUnusable where something could not be removed."""
        try:
            shutil.rmtree(self._folder)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise VectorsUnusable(f"the vectors cannot be removed: {error}") from error

    def stamps(self, collection: Collection) -> dict[str, str]:
        """Key -> stamp of all that have a vector."""
        with self._opened() as db:
            return dict(
                db.execute("select key, stamp from vectors where collection = ?", (collection,))
            )

    def put(
        self, collection: Collection, stamps: Sequence[tuple[str, str]],
        vectors: Sequence[Sequence[float]],
    ) -> None:  # fmt: skip
        """Add vectors, or put them in the place of others, for `(key, stamp)` in the same order.

        Raises OtherDimensions and then holds what it held.
        """
        from engram.index.unit_vectors import rows_of

        if not vectors:
            return
        length = len(vectors[0])
        with self._opened(write=True) as db:
            (dimensions,) = db.execute("select dimensions from made").fetchone()
            if dimensions not in (0, length):
                raise OtherDimensions(f"{length} instead of {dimensions}")
            # before any is freed: the rows of older vectors count until all of this is done
            places = _places(db, collection, len(stamps))
            self._free(db, collection, [key for key, _ in stamps])
            self._write(collection, dict(zip(places, rows_of(vectors), strict=True)))
            db.execute("update made set dimensions = ?", (length,))
            db.executemany(
                "insert into vectors values (?, ?, ?, ?)",
                [
                    (collection, key, row, stamp)
                    for (key, stamp), row in zip(stamps, places, strict=True)
                ],
            )

    def remove(self, collection: Collection, keys: Iterable[str]) -> None:
        """Forget vectors; their rows are used again."""
        with self._opened(write=True) as db:
            self._free(db, collection, keys)

    def holds(self, collection: Collection) -> bool:
        """Whether a collection has any vector."""
        with self._opened() as db:
            return _last_row(db, collection) is not None

    def near(self, collection: Collection, vector: Sequence[float]) -> Nearness:
        """How near all of a collection, which holds some, lie to one. Raises OtherDimensions."""
        from engram.index.unit_vectors import Cosines

        with self._opened() as db:
            (dimensions,) = db.execute("select dimensions from made").fetchone()
            rows = (_last_row(db, collection) or 0) + 1
            if dimensions != len(vector):
                raise OtherDimensions(f"{len(vector)} instead of {dimensions}")
            cosines = Cosines(self._file(collection), rows, vector)
            return Nearness(self, collection, cosines)

    def keys_of(self, collection: Collection, rows: Sequence[int]) -> list[tuple[int, str]]:
        """`(row, key)` of those of these rows that count, in their order."""
        return self._named(collection, "row, key", "row", rows)

    def rows_of(self, collection: Collection, keys: Sequence[str]) -> dict[str, int]:
        """Key -> row, of those that have a vector."""
        return dict(self._named(collection, "key, row", "key", keys))

    def _named(
        self, collection: Collection, wanted: str, column: str, names: Sequence[str | int]
    ) -> list[tuple[Any, Any]]:
        found: dict[Any, tuple[Any, Any]] = {}
        left = iter(names)
        with self._opened() as db:
            while some := list(islice(left, _MOST_NAMED)):
                marks = ",".join("?" * len(some))
                where = f"collection = ? and {column} in ({marks})"
                rows = db.execute(
                    f"select {wanted} from vectors where {where}", (collection, *some)
                )
                found.update((row[0], row) for row in rows)
        return [found[name] for name in names if name in found]

    def _file(self, collection: Collection) -> Path:
        return self._folder / f"{collection}.f32"

    def _make(self, model: str, purge: int) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True)
            os.close(os.open(self._database, _NEW | os.O_EXCL, 0o600))
        except OSError as error:
            raise VectorsUnusable(f"cannot write to {self._folder}: {error.strerror}") from error
        with self._connected() as db:
            db.executescript(_SCHEMA)
            db.execute("insert into made values (?, 0, ?)", (model, purge))
            # last: what has no number is damaged
            db.execute(f"pragma user_version = {_FORM}")

    @staticmethod
    def _free(db: sqlite3.Connection, collection: Collection, keys: Iterable[str]) -> None:
        for key in keys:
            db.execute(
                "insert into free select collection, row from vectors"
                " where collection = ? and key = ?", (collection, key),
            )  # fmt: skip
            db.execute("delete from vectors where collection = ? and key = ?", (collection, key))

    def _write(self, collection: Collection, rows: Mapping[int, bytes]) -> None:
        """Write rows that nobody reads yet, durably."""
        with os.fdopen(os.open(self._file(collection), _NEW, 0o600), "r+b") as file:
            for number, row in rows.items():
                file.seek(number * len(row))
                file.write(row)
            file.flush()
            fsync(file.fileno())

    @contextmanager
    def _opened(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """The database in a transaction; raises VectorsUnusable for none, and for another form."""
        if not self._database.is_file():
            raise VectorsUnusable("there are no vectors yet")
        with self._connected(write=write) as db:
            if db.execute("pragma user_version").fetchone() != (_FORM,):
                raise VectorsUnusable("the vectors are of another version")
            yield db

    @contextmanager
    def _connected(self, *, write: bool = True) -> Iterator[sqlite3.Connection]:
        try:
            db = sqlite3.connect(self._database, timeout=10.0)
            try:
                db.execute(f"pragma query_only = {'off' if write else 'on'}")
                with db:
                    yield db
            finally:
                db.close()
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            raise VectorsUnusable(f"the vectors are damaged: {error}") from error


def require_numpy() -> None:
    """Raise VectorsUnusable where vectors cannot be computed with."""
    try:
        import engram.index.unit_vectors  # noqa: F401 - whether it can be imported
    except ImportError as error:
        raise VectorsUnusable(f"numpy is not installed: `{INSTALL}`") from error


class Nearness:
    """How near the vectors of a collection lie to one vector: -1..1."""

    def __init__(self, store: VectorStore, collection: Collection, cosines: Cosines) -> None:
        self._store = store
        self._collection = collection
        self._cosines = cosines

    @property
    def spread(self) -> tuple[float, float, float]:
        """The lowest, the mean and the highest of all."""
        return self._cosines.spread

    def of(self, keys: Sequence[str]) -> dict[str, float]:
        """How near these are, as far as they have a vector."""
        rows = self._store.rows_of(self._collection, keys)
        return {key: self._cosines[row] for key, row in rows.items()}

    def nearest(self) -> Iterator[list[tuple[str, float]]]:
        """All of them in portions, nearest first, equal ones by the order in which they came."""
        for rows in self._cosines.nearest():
            found = self._store.keys_of(self._collection, rows)
            yield [(key, self._cosines[row]) for row, key in found]


def _last_row(db: sqlite3.Connection, collection: Collection) -> int | None:
    """The highest row number that counts."""
    query = "select max(row) from vectors where collection = ?"
    row: tuple[int | None] = db.execute(query, (collection,)).fetchone()
    return row[0]


def _places(db: sqlite3.Connection, collection: Collection, count: int) -> list[int]:
    """Row numbers for so many vectors: those that are free, then new ones behind the last."""
    query = "select row from free where collection = ? order by row limit ?"
    found = [row for (row,) in db.execute(query, (collection, count))]
    db.executemany(
        "delete from free where collection = ? and row = ?", [(collection, row) for row in found]
    )
    (last,) = db.execute(
        "select max(row) from (select collection, row from vectors"
        " union all select collection, row from free) where collection = ?",
        (collection,),
    ).fetchone()
    after = max(-1 if last is None else last, *found, -1) + 1
    return [*found, *range(after, after + count - len(found))]
