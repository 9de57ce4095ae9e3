"""Blocks that were given, as the access log has them: of a conversation, or newest first.

The catalog keeps where the line of each counted block stands, no word of it; what was appended
since is read as it is. Guarantees: a line that is torn, foreign or altered is no block; nothing is
written but by `add` and `clear`, which are called while the log is counted (`access`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engram.store.catalog.given_line import block_of

if TYPE_CHECKING:
    from engram.model.given import GivenBlock
    from engram.model.phase_diff import AskedDiff
    from engram.store.catalog.access_log import AccessLog
    from engram.store.catalog.database import CacheDatabase


class GivenRows:
    """Of one vault."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    def clear(self) -> None:
        """Forget all places; called inside the catalog's transaction."""
        self._db.do("delete from givens")

    def add(self, line: bytes, start: int) -> bool:
        """Keep where a line stands; False when it holds no block. Called inside a transaction."""
        block = block_of(line)
        if block is not None:
            self._db.do(
                "insert or replace into givens values(?,?,?)", start, len(line), block.session
            )
        return block is not None

    def of_session(self, log: AccessLog, session: str, counted: int) -> list[GivenBlock]:
        """What the agent of a conversation was given, oldest first.

        `counted` bytes of the log are in the catalog.
        """
        places = self._db.rows(
            "select start, length from givens where session = ? and start < ? order by start",
            session, counted,
        )  # fmt: skip
        lines = log.pieces([(start, length) for start, length in places])
        name = session.encode("ascii", "replace")
        for piece in log.whole_lines(counted):
            if name in piece:
                lines += [line for line in piece.splitlines() if name in line]
        found = map(block_of, lines)
        return [one for one in found if one is not None and one.session == session]


def newest_asked(log: AccessLog) -> Iterator[GivenBlock | AskedDiff]:
    """Every block and every difference of phases of a log, newest first."""
    from engram.store.catalog.diff_line import diff_of

    for piece in log.whole_lines_back(log.size()):
        for line in reversed(piece.splitlines()):
            found = block_of(line) or diff_of(line)
            if found is not None:
                yield found


def newest(log: AccessLog, naming: str = "") -> Iterator[GivenBlock]:
    """Every block of a log, newest first; with `naming` those that name a memory's file id."""
    name = naming.encode("ascii", "replace")
    for piece in log.whole_lines_back(log.size()):
        for line in reversed(piece.splitlines()) if name in piece else ():
            block = block_of(line) if name in line else None
            if block is not None and (not naming or block.names(naming)):
                yield block
