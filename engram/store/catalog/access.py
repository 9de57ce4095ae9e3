"""Sums of the access log: how often and when each memory was read.

Of its lines those with `ids` count as reads. The catalog keeps the sums, and where each block's
line stands (`given_rows`), and reads on from the byte where it stopped; a log that was cut or
replaced is counted again. Torn and foreign lines are skipped and counted. No memory's file is ever
touched.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from engram.model.ids import is_id, is_name
from engram.model.instant import Instant, instant_of
from engram.model.text import sha256_bytes
from engram.store.catalog.access_log import AccessLog as AccessLog
from engram.store.catalog.given_rows import GivenRows

if TYPE_CHECKING:
    from engram.model.given import GivenBlock
    from engram.model.step import Access
    from engram.store.catalog.database import CacheDatabase

#: digest length of the bytes before the counted end, by which the same log is recognised
_TAIL = 4_096
#: of what is not counted yet the newest is read for a question, bytes
_UNCOUNTED = 4 << 20
#: what every line has that counts as a read
_ASKED = b'"ids"'


class AccessRows:
    """The sums in the catalog. Called inside the catalog's transaction to write."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    def of(self, identifiers: Iterable[str] | None = None) -> dict[str, Access]:
        """Count, last time and days of each, or of all; those that were never read are absent."""
        from engram.model.step import Access

        select = "select id, count, last, days from accesses"
        if identifiers is None:
            rows = self._db.rows(f"{select} order by id")
        else:
            found = (self._db.row(f"{select} where id = ?", name) for name in identifiers)
            rows = [row for row in found if row is not None]
        return {row[0]: Access(row[1], row[2], row[3]) for row in rows}

    def of_now(self, log: AccessLog, identifiers: Iterable[str] | None = None) -> dict[str, Access]:
        """The same with what the log has since it was counted; nothing is written.

        Of very much that nobody counted the newest 4 MB: a question does not wait for it.
        """
        from engram.model.step import Access

        wanted = None if identifiers is None else set(identifiers)
        start, _ = self._goes_on(log)
        found = self.of(wanted) if start else {}
        for piece in log.whole_lines(max(start, log.size() - _UNCOUNTED)):
            lines = piece.splitlines() if wanted is None else _naming(piece, wanted)
            for names, time in filter(None, map(_read, lines)):
                for name in names if wanted is None else wanted.intersection(names):
                    old = found.get(name, Access())
                    days = old.days + (time[:10] > old.last[:10])
                    found[name] = Access(old.count + 1, max(old.last, time), days)
        return found

    def given_in(self, log: AccessLog, session: str) -> list[GivenBlock]:
        """What the agent of a conversation was given, oldest first; nothing is written."""
        return GivenRows(self._db).of_session(log, session, self._goes_on(log)[0])

    @property
    def skipped(self) -> int:
        """How many lines of the log could not be counted."""
        return self._db.number("select skipped from access_log")

    def is_behind(self, log: AccessLog) -> bool:
        """Whether there is anything to count; needs no transaction."""
        size, tail, _ = self._counted()
        return log.size() != size or _tail(log, size) != tail

    def count(self, log: AccessLog) -> None:
        """Add up what was appended since; everything, when the log was replaced."""
        size, skipped = self._goes_on(log)
        givens = GivenRows(self._db)
        if not size:
            self._db.do("delete from accesses")
            givens.clear()
        for piece in log.whole_lines(size):
            for line in piece.splitlines(keepends=True):
                given = givens.add(line, size)
                skipped += not (self._add(line) or given)
                size += len(line)
        self._db.do("delete from access_log")
        self._db.do("insert into access_log values(?,?,?)", size, _tail(log, size), skipped)

    def _goes_on(self, log: AccessLog) -> tuple[int, int]:
        """The byte from which to count on, and the skipped lines before it; 0 for another log."""
        size, tail, skipped = self._counted()
        replaced = log.size() < size or _tail(log, size) != tail
        return (0, 0) if replaced else (size, skipped)

    def _counted(self) -> tuple[int, str, int]:
        """Counted bytes, the digest before that end, and the number of skipped lines."""
        row = self._db.row("select size, tail, skipped from access_log")
        return (row[0], row[1], row[2]) if row else (0, "", 0)

    def _add(self, line: bytes) -> bool:
        """Count one line; False when it is not of our form."""
        read = _read(line)
        if read is None:
            return False
        names, time = read
        self._db.many(
            "insert into accesses values(?, 1, ?, 1) on conflict(id) do update"
            " set count = count + 1, last = max(last, excluded.last),"
            " days = days + (substr(excluded.last, 1, 10) > substr(last, 1, 10))",
            [(name, time) for name in names],
        )
        return True


def _naming(piece: bytes, wanted: Iterable[str]) -> list[bytes]:
    """The lines that name one of these: most name others, and need not be decoded."""
    written = (json.dumps(name).encode("ascii") for name in wanted)
    present = [name for name in written if name in piece]
    return [line for line in piece.splitlines() if any(name in line for name in present)]


def _tail(log: AccessLog, size: int) -> str:
    start = max(0, size - _TAIL)
    return sha256_bytes(log.piece(start, size - start)) if size else ""


def _read(line: bytes) -> tuple[list[str], Instant] | None:
    """The ids of this vault, each once, and the time of a line."""
    if _ASKED not in line:
        return None
    try:
        row = json.loads(line)
        names, time = row["ids"], instant_of(row["time"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    sound = isinstance(names, list) and all(isinstance(n, str) and is_name(n) for n in names)
    return ([name for name in dict.fromkeys(names) if is_id(name)], time) if sound else None
