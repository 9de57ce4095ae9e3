"""Document index of the qmd face: all collections in one SQLite file, searched by FTS5.

FTS5 with `porter unicode61` and its own BM25 is what qmd ranks with, so scores are qmd's to the
last digit. The words are kept without the texts (a contentless table); the texts stand beside
them, one for equal files, so that a hit can be shown as it was when it was indexed.

Guarantees: reading never writes; a change is one transaction, and a concurrent reader sees the
state before it; the file is readable for the user alone (0600). It is a cache: one of another
schema is rebuilt by the next `update`. Raises Unusable.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from engram.surfaces.qmd.folder import FolderFile
from engram.surfaces.qmd.rows import Unusable
from engram.surfaces.qmd.terms import spaced

#: raise it whenever the tables or the tokens of a text change
FORM: Final = 1
#: qmd's weights of path, title and body
_WEIGHTS: Final = "1.5, 4.0, 1.0"
#: milliseconds to wait for another process that writes
_PATIENCE: Final = 120_000

_TABLES = """
create table documents(
  id integer primary key, collection text not null, path text not null, title text not null,
  hash text not null, length integer not null, size integer not null, mtime_ns integer not null,
  modified text not null, active integer not null default 1, unique(collection, path)
);
create index by_hash on documents(hash);
create table content(hash text primary key, doc text not null) without rowid;
create virtual table words using fts5(
  filepath, title, body, content='', tokenize='porter unicode61'
);
"""
_COLUMNS = "id, collection, path, title, hash, length, size, mtime_ns, modified"


class IndexedDocument(NamedTuple):
    """One document of the index; `length` is in characters, size and time are the file's."""

    id: int
    collection: str
    path: str
    title: str
    hash: str
    length: int
    size: int
    mtime_ns: int
    modified: str

    @property
    def docid(self) -> str:
        """`#` and six digits of the hash."""
        return f"#{self.hash[:6]}"

    @property
    def uri(self) -> str:
        """qmd://collection/path"""
        return f"qmd://{self.collection}/{self.path}"


class DocumentIndex:
    """An open index, for reading, or with `writable` for changing too."""

    def __init__(self, path: Path, *, writable: bool = False, patience: int = _PATIENCE) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None
        with _sound(path):
            if writable:
                self._db = _made(path, patience)
            elif path.exists():
                self._db = _read_only(path, patience)
                if _form(self._db) != FORM:
                    raise Unusable(f"{path} is of another engram. Run 'qmd update' to renew it.")

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def change(self) -> Iterator[None]:
        """A transaction: all changes inside, or none."""
        assert self._db is not None
        with _sound(self.path):
            self._db.execute("begin immediate")
            try:
                yield
                self._db.execute("commit")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("rollback")
                raise

    # -- asking --------------------------------------------------------------------------------

    def matches(self, expression: str, limit: int) -> list[tuple[float, IndexedDocument]]:
        """The best documents for an expression of FTS5, best first, with their raw BM25."""
        # the words first and alone: joined at once, the planner may leave the full-text index
        sql = (
            f"with found as (select rowid as row, bm25(words, {_WEIGHTS}) as raw from words"
            " where words match ? order by raw limit ?)"
            f" select -raw, {_COLUMNS} from found join documents on id = row"
            " where active = 1 order by raw, row"
        )
        return [(row[0], IndexedDocument(*row[1:])) for row in self._rows(sql, (expression, limit))]

    def documents(self, where: str = "", given: Sequence[str | int] = ()) -> list[IndexedDocument]:
        """The active documents, by collection and path; `where` is a condition of ours."""
        also = f" and ({where})" if where else ""
        sql = f"select {_COLUMNS} from documents where active = 1{also} order by collection, path"
        return [IndexedDocument(*row) for row in self._rows(sql, given)]

    def text(self, document: IndexedDocument) -> str:
        """A document's text as it was indexed; "" when it went meanwhile."""
        rows = self._rows("select doc from content where hash = ?", (document.hash,))
        return str(rows[0][0]) if rows else ""

    def counts(self) -> dict[str, tuple[int, str]]:
        """Of each collection that has documents: how many, and when the newest was changed."""
        sql = (
            "select collection, count(*), max(modified) from documents where active = 1"
            " group by collection"
        )
        return {str(name): (int(count), str(last)) for name, count, last in self._rows(sql)}

    def stale(self) -> tuple[int, int]:
        """How many documents are gone and still there, and how many texts only they hold."""
        gone = self._rows("select count(*) from documents where active = 0")
        texts = self._rows(
            "select count(*) from content where hash not in"
            " (select hash from documents where active = 1)"
        )
        return (int(gone[0][0]), int(texts[0][0])) if gone else (0, 0)

    def _rows(self, sql: str, given: Sequence[str | int] = ()) -> list[tuple[Any, ...]]:
        if self._db is None:
            return []
        with _sound(self.path):
            return self._db.execute(sql, tuple(given)).fetchall()

    # -- changing, within `change` ---------------------------------------------------------------

    def known(self, collection: str) -> dict[str, IndexedDocument]:
        """The active documents of a collection by their path."""
        return {one.path: one for one in self.documents("collection = ?", (collection,))}

    def put(self, collection: str, found: FolderFile, title: str, digest: str) -> None:
        """Add a document or replace it; it is found by its words from now on."""
        db = self._connection
        old = db.execute(
            f"select {_COLUMNS}, active from documents where collection = ? and path = ?",
            (collection, found.path),
        ).fetchone()
        if old is not None and old[-1]:
            self._forget_words(IndexedDocument(*old[:-1]))
        db.execute("insert or ignore into content values(?, ?)", (digest, found.text))
        values = (
            title, digest, len(found.text), found.size, found.mtime_ns, found.modified,
        )  # fmt: skip
        if old is None:
            cursor = db.execute(
                "insert into documents(collection, path, title, hash, length, size, mtime_ns,"
                " modified) values(?, ?, ?, ?, ?, ?, ?, ?)",
                (collection, found.path, *values),
            )
            row = int(cursor.lastrowid or 0)
        else:
            row = old[0]
            db.execute(
                "update documents set title = ?, hash = ?, length = ?, size = ?, mtime_ns = ?,"
                " modified = ?, active = 1 where id = ?",
                (*values, row),
            )
        self._add_words(row, collection, found.path, title, found.text)

    def touch(self, document: IndexedDocument, found: FolderFile) -> None:
        """Update the stat of a document whose text is unchanged."""
        self._connection.execute(
            "update documents set size = ?, mtime_ns = ? where id = ?",
            (found.size, found.mtime_ns, document.id),
        )

    def retire(self, documents: Iterable[IndexedDocument]) -> None:
        """Mark documents as gone; their rows stay until `cleanup`."""
        for one in documents:
            self._forget_words(one)
            self._connection.execute("update documents set active = 0 where id = ?", (one.id,))

    def drop_orphans(self) -> int:
        """Remove the texts that no document holds, gone ones included; returns how many."""
        sql = "delete from content where hash not in (select hash from documents)"
        return self._connection.execute(sql).rowcount

    def rename(self, old: str, new: str) -> None:
        """Rename a collection; paths are searched as words, so they are written again."""
        for one in self.documents("collection = ?", (old,)):
            text = self.text(one)
            self._forget_words(one)
            self._add_words(one.id, new, one.path, one.title, text)
        db = self._connection
        db.execute("delete from documents where collection = ? and active = 0", (new,))
        db.execute("update documents set collection = ? where collection = ?", (new, old))

    def remove(self, collection: str) -> tuple[int, int]:
        """Remove a collection; returns how many documents and texts that were."""
        for one in self.documents("collection = ?", (collection,)):
            self._forget_words(one)
        sql = "delete from documents where collection = ?"
        gone = self._connection.execute(sql, (collection,)).rowcount
        return gone, self.drop_orphans()

    def clean(self) -> tuple[int, int]:
        """Remove what is gone; returns how many documents, and how many texts."""
        gone = self._connection.execute("delete from documents where active = 0").rowcount
        return gone, self.drop_orphans()

    def pack(self) -> None:
        """Merge the full-text index, so that no deleted word is left, and shrink the file."""
        with _sound(self.path):
            self._connection.execute("insert into words(words) values('optimize')")
            self._connection.execute("vacuum")
            self._connection.execute("pragma wal_checkpoint(truncate)")

    def _add_words(self, row: int, collection: str, path: str, title: str, text: str) -> None:
        self._connection.execute(
            "insert into words(rowid, filepath, title, body) values(?, ?, ?, ?)",
            (row, spaced(f"{collection}/{path}"), spaced(title), spaced(text)),
        )

    def _forget_words(self, one: IndexedDocument) -> None:
        """Remove the words of a document: a table without texts has to be told which."""
        self._connection.execute(
            "insert into words(words, rowid, filepath, title, body) values('delete', ?, ?, ?, ?)",
            (one.id, spaced(f"{one.collection}/{one.path}"), spaced(one.title),
             spaced(self.text(one))),
        )  # fmt: skip

    @property
    def _connection(self) -> sqlite3.Connection:
        assert self._db is not None, "the index was opened for reading"
        return self._db


def _opened(name: str, patience: int) -> sqlite3.Connection:
    return sqlite3.connect(name, uri=True, timeout=patience / 1000, isolation_level=None)


def _read_only(path: Path, patience: int) -> sqlite3.Connection:
    """The index of a path for reading; also where no file can be made beside it."""
    name = path.absolute().as_uri()
    db = _opened(f"{name}?mode=ro", patience)
    try:
        _form(db)
    except sqlite3.OperationalError as error:
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
        db.close()
        db = _opened(f"{name}?immutable=1", patience)
    return db


def _made(path: Path, patience: int) -> sqlite3.Connection:
    """The index of a path for changing; made when it is missing, of another form or damaged."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for last in (False, True):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        db = _opened(path.absolute().as_uri(), patience)
        try:
            db.execute("pragma journal_mode = wal")
            db.execute("pragma synchronous = normal")
            db.execute("pragma secure_delete = on")
            if _founded(db):
                return db
        except sqlite3.DatabaseError as error:
            if last or isinstance(error, sqlite3.OperationalError):
                db.close()
                raise
        db.close()
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{path}{suffix}")
    raise Unusable(f"{path} cannot be made anew")


def _founded(db: sqlite3.Connection) -> bool:
    """Whether the file has our tables; a new one is given them."""
    if _form(db) == 0:
        db.execute("begin immediate")
        if _form(db) == 0:  # no other process was quicker
            for statement in _TABLES.split(";"):
                db.execute(statement)
            db.execute(f"pragma user_version = {FORM}")
        db.execute("commit")
    return _form(db) == FORM


def _form(db: sqlite3.Connection) -> int:
    return int(db.execute("pragma user_version").fetchone()[0])


@contextmanager
def _sound(path: Path) -> Iterator[None]:
    """Raise what SQLite or the disk reports as Unusable."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "fts5" in str(error) and "no such module" in str(error):
            raise Unusable("this Python's SQLite has no FTS5, which qmd's ranking needs") from error
        raise Unusable(f"{path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise Unusable(f"{path} is damaged ({error}). Run 'qmd update' to renew it.") from error
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror or error}") from error
