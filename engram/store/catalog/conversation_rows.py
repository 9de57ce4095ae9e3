"""Conversation rows: how far each conversation is on record, and which went on since.

Counted from the events of transactions, as consolidations are: no other state says it, and a
catalog that is made anew knows the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from engram.model.closing import SESSION_CLOSED, OpenConversation
from engram.model.turn import is_conversation
from engram.store.catalog.turn_rows import WITHDRAWN

if TYPE_CHECKING:
    from engram.model.change import Transaction
    from engram.store.catalog.database import CacheDatabase

#: names in one statement; SQLite takes 999 everywhere
_MOST = 400


class ClosingRow(NamedTuple):
    """One closing of a conversation: its transaction, and the record, if one was made."""

    number: int
    memory: str


class ConversationRows:
    """Rows of closings, beside those of turns. Called inside the catalog's transaction to write."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    def follow(self, transaction: Transaction) -> None:
        """Record which conversations a transaction closed."""
        for event in transaction.plan.events:
            if event.name == SESSION_CLOSED:
                details = dict(event.details)
                self._db.do(
                    "insert or replace into closings values(?,?,?,?)",
                    event.subject, transaction.number, int(details["last"]),
                    details.get("memory", ""),
                )  # fmt: skip

    def gone_on(self, transcripts: Iterable[str] | None = None) -> list[OpenConversation]:
        """The conversations with turns that no closing has seen, of these or all, by name."""
        found: list[tuple[str, int]] = []
        if transcripts is None:
            found += self._db.rows(f"{_LATER} where seq > 0 {_THAN_CLOSED}")
        else:
            wanted = list(dict.fromkeys(transcripts))
            for start in range(0, len(wanted), _MOST):
                some = wanted[start : start + _MOST]
                marks = ",".join("?" * len(some))
                inside = f"where seq > 0 and transcript in ({marks})"
                found += self._db.rows(f"{_LATER} {inside} {_THAN_CLOSED}", *some)
        talks = ((name, upto) for name, upto in sorted(found) if is_conversation(name))
        opened = (self._opened(name, upto) for name, upto in talks)
        return [one for one in opened if one is not None]

    def _opened(self, transcript: str, upto: int) -> OpenConversation | None:
        """What was said since a turn; None where all of it was taken back."""
        row = self._db.row(
            "select max(seq), max(time), min(batch), max(batch) from turns"
            f" where transcript = ? and seq > ? and state < {WITHDRAWN}",
            transcript, upto,
        )  # fmt: skip
        if row is None or row[0] is None:
            return None
        last, time, first, other = row
        return OpenConversation(transcript, last, time, first if first == other else "", upto)

    def closings(self, transcript: str) -> list[ClosingRow]:
        """The closings of a conversation, newest first, but of turns that were taken back."""
        rows = self._db.rows(
            "select n, memory from closings c where transcript = ? and not exists ("
            f"select 1 from turns where seq = c.last and state = {WITHDRAWN}) order by n desc",
            transcript,
        )
        return [ClosingRow(*row) for row in rows]

    def places(self, transcript: str) -> list[tuple[str, int, int]]:
        """`(segment, offset, length)` of all turns of a conversation that can be read, in order."""
        return self._db.rows(
            "select segment, offset, length from turns"
            f" where transcript = ? and seq > 0 and state < {WITHDRAWN} order by seq",
            transcript,
        )

    def records(self, transcript: str) -> list[str]:
        """The ids of the session records of a conversation, the oldest first."""
        rows = self._db.rows(
            "select id from memories where session = ? and record = 'session' order by created, id",
            transcript,
        )
        return [row[0] for row in rows]


_LATER = (
    "select transcript, coalesce(upto, 0) from"
    " (select transcript, max(seq) as latest from turns"
)  # fmt: skip
_THAN_CLOSED = (
    "group by transcript) left join"
    " (select transcript, max(last) as upto from closings group by transcript) using (transcript)"
    " where latest > coalesce(upto, 0)"
)
