"""Transaction log: the committed transactions in `state/journal`, read back.

Answers what was done, by which transaction, and what a file looked like. Guarantees: nothing is
written here; what was purged is never returned. Raises NotFound for unknown transactions and
memories. A file that cannot be read is skipped and listed by `unreadable`: logs are never needed to
read a vault (design 1.1).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, NotFound, StorageError
from engram.model.ids import docid
from engram.model.memory import Memory
from engram.model.text import sha256_bytes
from engram.store.base import layout
from engram.store.files.content_file import read_content

if TYPE_CHECKING:
    from engram.model.change import Transaction
    from engram.model.shown import ChangeEntry
    from engram.store.base.disk import VaultDisk
    from engram.store.catalog.catalog import Catalog

_MOST_MISSING = 100
#: the kinds of changes that a person makes to memories that he names
_BY_HAND = frozenset({
    "remember", "edit", "forget", "restore", "confirm", "retire", "archive", "supersede", "resolve",
    "promote", "review",
})  # fmt: skip
_Stamp = tuple[str, int, int, int, int]


class TransactionLog:
    """The journal of one vault's transactions."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        self._hashed: tuple[int, _Stamp, str] | None = None

    def read(self, number: int) -> Transaction | None:
        """A committed transaction by its number, None when there is none."""
        path, data = self._file(number)
        return None if data is None else _decoded(path, data)

    def sha_of(self, number: int) -> str:
        """SHA-256 of a transaction's file, '' when there is none.

        Every query asks for the last one, and an import has megabytes: an unchanged file is not
        read again.
        """
        stamp = self._stamp(number)
        if stamp and self._hashed and self._hashed[:2] == (number, stamp):
            return self._hashed[2]
        data = self._file(number)[1]
        if data is None:
            return ""
        sha = sha256_bytes(data)
        self._hashed = (number, stamp, sha) if stamp else None
        return sha

    def _stamp(self, number: int) -> _Stamp | None:
        """Path, inode, size and times of a transaction's file, to notice a change."""
        for month in reversed(self._disk.names(layout.JOURNAL)):
            path = f"{layout.JOURNAL}/{month}/{number:08d}.json"
            with suppress(OSError):
                found = os.lstat(self._disk.root / path)
                return path, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
        return None

    def _file(self, number: int) -> tuple[str, bytes | None]:
        for month in reversed(self._disk.names(layout.JOURNAL)):
            path = f"{layout.JOURNAL}/{month}/{number:08d}.json"
            with suppress(BadInput):  # the doctor reports a link or a pipe in its place
                data = self._disk.read(path)
                if data is not None:
                    return path, data
        return "", None

    def all(self, after: int = 0) -> Iterator[Transaction]:
        """Every committed transaction above a number that can be read, in order."""
        return self._readable(self.paths(after))

    def _readable(self, paths: Iterable[str]) -> Iterator[Transaction]:
        for path in paths:
            with suppress(StorageError, BadInput):
                yield _decoded(path, self._disk.read(path) or b"")

    def unreadable(self) -> dict[str, str]:
        """The files of transactions that cannot be read, and why."""
        return {path: problem for path, _, problem in self.examined(self.paths()) if problem}

    def examined(
        self, paths: Iterable[str]
    ) -> Iterator[tuple[str, Transaction | None, str]]:  # fmt: skip
        """Each of these files with its transaction, or None and why it cannot be read."""
        for path in paths:
            try:
                yield path, _decoded(path, self._disk.read(path) or b""), ""
            except (StorageError, BadInput) as error:
                yield path, None, str(error)

    def following(self, number: int) -> int:
        """The first number above one that no file has, not even a damaged one."""
        while self._file(number + 1)[1] is not None:
            number += 1
        return number + 1

    def chain_before(self, number: int) -> str:
        """The link of the last transaction below a number that has one and can be read, else ''."""
        below = (path for path in reversed(self.paths()) if path[-13:-5] < f"{number:08d}")
        return next((one.chain for one in self._readable(below) if one.chain), "")

    def paths(self, after: int = 0) -> list[str]:
        """The files of all transactions above a number, in the order of their numbers."""
        numbered = sorted(
            (name, f"{layout.JOURNAL}/{month}/{name}")
            for month in self._disk.names(layout.JOURNAL)
            for name in self._disk.names(f"{layout.JOURNAL}/{month}")
            if layout.is_transaction(name) and name[:8] > f"{after:08d}"
        )
        return [path for _, path in numbered]

    def missing(self) -> list[int]:
        """Numbers below the last one that have no file; the first 100 of them."""
        found: list[int] = []
        before = 0
        for number in sorted({int(path.rpartition("/")[2][:8]) for path in self.paths()}):
            found += range(before + 1, min(number, before + 1 + _MOST_MISSING - len(found)))
            before = number
        return found

    def entries(self, catalog: Catalog, limit: int) -> list[ChangeEntry]:
        """The log, newest first."""
        from engram.model.shown import ChangeEntry

        rows = catalog.log.rows()
        undone = undone_in(rows)
        return [
            ChangeEntry(
                number, time, kind, batch, changes, tuple(left.splitlines()),
                tuple(map(int, undoes.split())), number in undone, _subjects(number, kind, catalog),
            )
            for number, time, kind, batch, changes, left, undoes in rows[:limit]
        ]  # fmt: skip

    def existing(self, number: int) -> Transaction:
        """The transaction of that number. Raises NotFound."""
        found = self.read(number)
        if found is None:
            raise NotFound(f"there is no transaction {number}", "`engram log` shows the changes")
        return found

    # -- bodies --------------------------------------------------------------------------------

    def last_body(self, identifier: str) -> tuple[str, bytes]:
        """`(path, bytes)` of a content file as last known, by its id, a beginning of it or a docid.

        Raises NotFound, and BadInput for a beginning of several.
        """
        found: dict[str, tuple[str, bytes]] = {}
        for path, body in self._bodies_newest_first():
            name = read_content(path, body).id
            if name == identifier:
                return path, body
            short = "#" + identifier.removeprefix("#").lower()
            if identifier and (name.startswith(identifier) or docid(name) == short):
                found.setdefault(name, (path, body))
        if len(found) > 1:
            shown = ", ".join(sorted(found)[:5])
            raise BadInput(f"{identifier!r} could be {len(found)} memories", f"for example {shown}")
        for path, body in found.values():
            return path, body
        raise NotFound(f"there is no memory {identifier!r}")

    def last_memory(self, identifier: str) -> Memory:
        """A memory as its file last said it, also when the file is gone. Raises NotFound."""
        found = self.last_memories([identifier])
        if not found:
            raise NotFound(f"there is no memory {identifier!r}")
        return found[0]

    def last_memories(self, identifiers: Iterable[str]) -> list[Memory]:
        """Those of these memories that ever were, each as its file last said it."""
        from engram.store.files.memory_file import id_in

        wanted, found = set(identifiers), list[Memory]()
        for path, body in self._bodies_newest_first() if wanted else ():
            if layout.kind_of(path) == "memory" and (name := id_in(path, body)) in wanted:
                wanted.discard(name)
                content = read_content(path, body).content
                assert isinstance(content, Memory)
                found.append(content)
                if not wanted:
                    break
        return found

    def _bodies_newest_first(self) -> Iterator[tuple[str, bytes]]:
        for found in self._readable(reversed(self.paths())):
            for change in (*found.plan.seen, *found.plan.changes):
                for body in (change.after, change.before):
                    if body is not None and layout.content_type(change.path):
                        yield change.path, body

    def memory_bodies(self) -> Iterator[tuple[str, bytes]]:
        """`(path, bytes)` of every version of a memory's file, oldest first."""
        for found in self.all():
            for change in (*found.plan.changes, *found.plan.seen):
                if layout.kind_of(layout.original_of(change.path)) == "memory":
                    for body in (change.before, change.after):
                        if body is not None:
                            yield change.path, body

    def gone(self, catalog: Catalog) -> Iterator[Memory]:
        """The memories whose files are gone, as those last were."""
        from engram.store.files.memory_file import id_in

        last: dict[str, tuple[str, bytes]] = {}
        for path, body in self.memory_bodies():
            last[id_in(path, body)] = path, body
        for name, (path, body) in last.items():
            found = read_content(path, body).content if catalog.memory(name) is None else None
            if isinstance(found, Memory):
                yield found

    def versions_of(self, identifiers: Collection[str]) -> list[tuple[str, bytes, bool]]:
        """`(path, bytes, own)` of every version of these memories' files, and where its bytes were.

        Not its `own` is another name: a note without a header has that of its file for its id.
        """
        # imported here: a search finds memories by the catalog
        from engram.store.files.memory_file import id_in

        bodies = list(dict.fromkeys(self.memory_bodies())) if identifiers else []
        own = {one for one in bodies if id_in(*one) in identifiers}
        same = {body for _, body in own}
        return [(*one, one in own) for one in bodies if one[1] in same]


def _decoded(path: str, data: bytes) -> Transaction:
    """A file of the journal; raises StorageError when it is none, or another's."""
    # imported here: a question asks for no more than the bytes of the last one
    from engram.store.commits.transaction import decode

    found = decode(data, path)
    if found.number != int(path.rpartition("/")[2][:8]):
        raise StorageError(f"the transaction file {path} is that of number {found.number}")
    return found


def undone_in(rows: Sequence[tuple]) -> set[int]:  # type: ignore[type-arg]
    """Numbers of transactions out of force: undone by one that is itself in force."""
    out: set[int] = set()
    for row in rows:  # newest first: an undo is judged before what it undid
        if row[2] == "undo" and row[0] not in out:
            out.update(int(number) for number in row[6].split())
    return out


def _subjects(number: int, kind: str, catalog: Catalog) -> tuple[str, ...]:
    """The memories that a person's own change was about; what was purged is not among them."""
    if kind not in _BY_HAND:
        return ()
    return tuple(one.id for one in catalog.memories(catalog.log.subjects(number)))
