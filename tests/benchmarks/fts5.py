"""The peer that every Python has: full-text search of SQLite (FTS5, porter, BM25).

    python fts5.py build VAULT DATABASE
    python fts5.py search DATABASE WORD...

Run as a program it imports nothing but the standard library, so that whole processes can be
compared. It searches what the program searches: statement, receipt and tags of each memory.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Iterable
from pathlib import Path

_TABLE = (
    "create virtual table texts using fts5("
    "name unindexed, body, tokenize='porter unicode61 remove_diacritics 2')"
)
_TAGS = re.compile(r"^tags:\n((?:  - .*\n)+)", re.MULTILINE)


def available() -> bool:
    """Whether this Python's SQLite has FTS5."""
    try:
        with Texts() as texts:
            texts.build([])
    except sqlite3.OperationalError:
        return False
    return True


class Texts:
    """Named texts in one table; kept in memory unless a file is named."""

    def __init__(self, path: Path | None = None) -> None:
        self._db = sqlite3.connect(":memory:" if path is None else path)

    def __enter__(self) -> Texts:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def build(self, rows: Iterable[tuple[str, str]]) -> None:
        """All texts, in one transaction."""
        with self._db:
            self._db.execute(_TABLE)
            self._db.executemany("insert into texts(name, body) values(?, ?)", rows)

    def replace(self, name: str, body: str) -> None:
        """One text anew, durably."""
        with self._db:
            (row,) = self._db.execute("select rowid from map where name = ?", (name,)).fetchone()
            self._db.execute("update texts set body = ? where rowid = ?", (body, row))

    def remember_rows(self) -> None:
        """Keep where each name stands, as whoever replaces texts by name has to."""
        with self._db:
            self._db.execute("create table map(name text primary key, rowid int) without rowid")
            self._db.execute("insert into map select name, rowid from texts")

    def search(self, question: str, limit: int) -> list[str]:
        """The names of the best texts that hold any of the words, best first."""
        words = dict.fromkeys(re.findall(r"\w+", question.casefold()))
        asked = " OR ".join(f'"{word}"' for word in words)
        if not asked:
            return []
        found = self._db.execute(
            "select name from texts where texts match ? order by rank limit ?", (asked, limit)
        )
        return [name for (name,) in found]


def text_of(file: Path) -> str:
    """What of a memory's file is searched."""
    header, rule, body = file.read_text(encoding="utf-8").partition("\n---\n")
    if not rule:
        return header  # a note without one
    tags = _TAGS.search(header + "\n")
    return body + (tags[1] if tags else "")


def main() -> None:
    """Build from the files of a vault, or search and print the names as JSON."""
    if sys.argv[1] == "build":
        root, database = Path(sys.argv[2]), Path(sys.argv[3])
        database.unlink(missing_ok=True)
        with Texts(database) as texts:
            files = sorted((root / "facts").rglob("*.md"))
            texts.build((file.stem, text_of(file)) for file in files)
        return
    with Texts(Path(sys.argv[2])) as texts:
        print(json.dumps(texts.search(" ".join(sys.argv[3:]), 10)))


if __name__ == "__main__":
    main()
