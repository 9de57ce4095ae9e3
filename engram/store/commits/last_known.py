"""Last known version of each content file in the journal: its bytes, and which file owns an id.

For a catalog that is rebuilt, and for who asks whose bytes a file has: a file whose bytes, or whose
meaning, the journal has last is known; of any other, and of one that is gone, the next scan is to
find and record what the person did.
Where files claim one id, the transactions are replayed in order: a file owns an id until it is
removed or takes another. Bodies are not kept in memory; one is read again where the bytes differ.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from engram.model.text import sha256_bytes
from engram.store.base import layout
from engram.store.files.content_file import meaning_of, read_content

if TYPE_CHECKING:
    from engram.model.change import Transaction
    from engram.store.catalog.catalog import FileRow
    from engram.store.commits.transaction_log import TransactionLog

#: how every file written by the program begins
_ID = re.compile(rb"---\nid: ([a-z0-9-]{1,80})\n(?=[a-z-])")
#: a person's may begin so and claim another id below
_ANOTHER = re.compile(rb"\n[^a-z-]|\n.?id[\"': ]")
#: transactions that may hold a person's bytes
_OF_A_PERSON = frozenset({"settle", "undo", "restore"})
#: an id is unique among its kind
_Name = tuple[type, str]


class _Last(NamedTuple):
    """The last transaction that knows a file, its hash there, and the id that it claims."""

    number: int
    sha: str
    name: _Name


class LastKnown:
    """Files by path, as the replayed transactions left them."""

    def __init__(self, transaction_log: TransactionLog) -> None:
        self._transaction_log = transaction_log
        self._files: dict[str, _Last] = {}
        self._holders: dict[_Name, str] = {}
        self._homeless: set[str] = set()

    def follow(self, committed: Transaction) -> None:
        """Note the files of a transaction, without those that were left to the person."""
        plan = committed.plan
        touched = [
            change
            for change in (*plan.changes, *plan.seen)
            if change.path not in committed.left and layout.content_type(change.path)
        ]
        gone = [change.path for change in touched if change.after is None]
        for path in gone:
            self._leave(path)
        for change in touched:
            if change.after is not None:
                name = _name(change.path, change.after, plan.kind in _OF_A_PERSON)
                last = _Last(committed.number, sha256_bytes(change.after), name)
                self._enter(change.path, last)
        if gone or plan.seen:
            self._settle(sorted(self._homeless))

    def _leave(self, path: str) -> None:
        last = self._files.pop(path, None)
        self._homeless.discard(path)
        if last is not None and self._holders.get(last.name) == path:
            del self._holders[last.name]

    def _enter(self, path: str, last: _Last) -> None:
        before = self._files.get(path)
        if before is not None and before.name != last.name:
            self._leave(path)
        self._files[path] = last
        self._settle([path])

    def _settle(self, paths: Iterable[str]) -> None:
        """Give each file the id that it claims, if that is free."""
        for path in paths:
            holder = self._holders.setdefault(self._files[path].name, path)
            (self._homeless.discard if holder == path else self._homeless.add)(path)

    def knows(self, path: str, data: bytes) -> bool:
        """Whether a file's bytes, or what they mean, are those of its last known version."""
        last = self._files.get(path)
        if last is None:
            return False
        return sha256_bytes(data) == last.sha or self._says(path, last) == meaning_of(path, data)

    def is_homeless(self, path: str) -> bool:
        """Whether the id that a file claims belongs to another one."""
        return path in self._homeless

    def sha(self, path: str) -> str:
        """The digest of a file's last known version; '' where there is none."""
        last = self._files.get(path)
        return "" if last is None else last.sha

    def owed(self, row: FileRow) -> FileRow | None:
        """The row that makes the next scan record a file; None where its version is known."""
        last = self._files.get(row.path)
        if last is None:
            return row._replace(size=-1, sha="", meaning="")
        if row.sha == last.sha or row.meaning == (meaning := self._says(row.path, last)):
            return None
        return row._replace(size=-1, sha=last.sha, meaning=meaning)

    def missing(self, there: Container[str]) -> Iterator[tuple[str, str, str]]:
        """`(path, sha, id)` of the files that are not there: the next scan is to record that."""
        for path, last in sorted(self._files.items()):
            if path not in there:
                yield path, last.sha, "" if path in self._homeless else last.name[1]

    def _says(self, path: str, last: _Last) -> str:
        """The meaning of a file's last known version."""
        found = self._transaction_log.read(last.number)
        changes = (*found.plan.changes, *found.plan.seen) if found is not None else ()
        bodies = [one.after for one in changes if one.path == path and one.after is not None]
        return meaning_of(path, bodies[-1]) if bodies else ""


def _name(path: str, data: bytes, of_a_person: bool) -> _Name:
    """The id that a file claims; not parsed as a whole where its beginning will do."""
    plain = _ID.match(data)
    if plain is not None and of_a_person:
        header = data[plain.end() - 1 : data.find(b"\n---", plain.end())]
        plain = None if _ANOTHER.search(header) else plain
    kind = layout.content_type(path) or type(None)
    return kind, plain[1].decode("ascii") if plain else read_content(path, data).id
