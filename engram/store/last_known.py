"""What the journal last knew of each content file, to tell a hand edit from what was seen before.

A catalog that is built anew asks it: a file whose bytes, or whose meaning, the journal has last is
known; of any other the next scan is to find and record the person's version. Bodies are not kept in
memory; one is read again where the bytes differ.
"""

from __future__ import annotations

from typing import NamedTuple

from engram.model.change import Transaction
from engram.store.catalog import FileRow
from engram.store.history import History
from engram.store.meaning import meaning_of
from engram.store.transaction import sha256


class _Last(NamedTuple):
    """The transaction in which a file first came, the last that knows it, and its hash there."""

    first: int
    number: int
    sha: str


class LastKnown:
    """Files by path, as the transactions that were followed left them."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._files: dict[str, _Last] = {}

    def follow(self, committed: Transaction) -> None:
        """Note what a transaction made of its files, but those that were left to the person."""
        for change in (*committed.plan.changes, *committed.plan.seen):
            if change.path in committed.left:
                continue
            known = self._files.pop(change.path, None)
            if change.after is not None:
                first = known.first if known else committed.number
                self._files[change.path] = _Last(first, committed.number, sha256(change.after))

    def age(self, path: str, data: bytes | None) -> tuple[bool, int, str]:
        """A key that puts files first which are known as they are, those that came first first."""
        last = self._files.get(path)
        if last is None or data is None:
            return True, last.first if last else 0, path
        known = sha256(data) == last.sha or self._says(path, last) == meaning_of(path, data)
        return not known, last.first, path

    def owed(self, row: FileRow) -> FileRow | None:
        """The row that makes the next scan record a file; None for one that is known as it is."""
        last = self._files.get(row.path)
        if last is None:
            return row._replace(size=-1, sha="", meaning="")
        if row.sha == last.sha:
            return None
        meaning = self._says(row.path, last)
        return (
            None if row.meaning == meaning else row._replace(size=-1, sha=last.sha, meaning=meaning)
        )

    def _says(self, path: str, last: _Last) -> str:
        """The meaning of a file's last known version."""
        found = self._history.read(last.number)
        changes = (*found.plan.changes, *found.plan.seen) if found is not None else ()
        bodies = [one.after for one in changes if one.path == path and one.after is not None]
        return meaning_of(path, bodies[-1]) if bodies else ""
