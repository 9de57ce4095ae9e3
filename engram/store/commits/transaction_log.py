"""Transaction log: the committed transactions in `state/journal`, read back.

Answers what was done, by which transaction, what a file looked like, and how to undo it.
Guarantees: nothing is written here; what was purged is never returned. Raises NotFound for unknown
transactions and memories, Conflict when a later change prevents an undo. A file that cannot be read
is skipped and listed by `unreadable`: logs are never needed to read a vault (design 1.1).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from engram.model.change import Change, Event, Plan, Range, Transaction
from engram.model.errors import BadInput, Conflict, NotFound, StorageError
from engram.model.memory import Memory
from engram.model.shown import ChangeEntry
from engram.model.text import sha256_bytes
from engram.store.base import layout
from engram.store.catalog.turn_rows import DEAD, ranges_of
from engram.store.commits import transaction
from engram.store.files.content_file import read_content
from engram.store.files.meaning import same_meaning

if TYPE_CHECKING:
    from engram.store.base.disk import VaultDisk
    from engram.store.catalog.catalog import Catalog

#: kinds that cannot be undone: they follow the person, destroy, or only retry
_FINAL = frozenset({"settle", "purge", "retry"})
#: kinds that a plain `undo` skips
_UNASKED = _FINAL | {"undo", "seal"}
_MOST_MISSING = 100
#: lines of each version that a refused undo shows
_SHOWN_LINES = 4

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
        found: dict[str, str] = {}
        for path in self.paths():
            try:
                _decoded(path, self._disk.read(path) or b"")
            except (StorageError, BadInput) as error:
                found[path] = str(error)
        return found

    def following(self, number: int) -> int:
        """The first number above one that no file has, not even a damaged one."""
        while self._file(number + 1)[1] is not None:
            number += 1
        return number + 1

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
        rows = catalog.log.rows()
        undone = _undone(rows)
        return [
            ChangeEntry(row[0], row[1], row[2], row[3], row[4], tuple(row[5].splitlines()),
                  tuple(map(int, row[6].split())), row[0] in undone)
            for row in rows[:limit]
        ]  # fmt: skip

    # -- undo ----------------------------------------------------------------------------------

    def to_undo(self, what: str, catalog: Catalog) -> tuple[list[int], str]:
        """The transactions that an `undo` means, and the import that it includes, if any.

        '' is the last change that stands, with all of its import; `N` that transaction alone;
        `import-N` that import. Raises NotFound and BadInput.
        """
        rows = catalog.log.rows()
        undone = _undone(rows)
        if re.fullmatch(r"[0-9]{1,15}", what):
            return [self._one(int(what), rows, undone)], ""
        if what:
            batch = what
            known = any(row[3] == batch for row in rows)
            if not known and not (batch.isascii() and catalog.turns.batch_range(batch)):
                raise NotFound(f"there is no change {what!r}", "`engram log` shows the changes")
        else:
            # a transaction without file changes (a failure, turns without memories) needs no undo
            standing = [
                row
                for row in rows
                if row[0] not in undone and row[2] not in _UNASKED and (row[4] or row[3])
            ]
            if not standing:
                raise NotFound("there is nothing to undo", "`engram log` shows the changes")
            batch = standing[0][3]
            if not batch:
                return [standing[0][0]], ""
        numbers = [row[0] for row in rows if row[3] == batch and row[0] not in undone]
        consolidations = [
            row[0] for row in rows if row[2] == "consolidate" and row[0] not in undone
        ]
        return self._with_consolidations(sorted(numbers), sorted(consolidations)), batch

    def _with_consolidations(self, numbers: list[int], consolidations: Sequence[int]) -> list[int]:
        """Transactions, and the later consolidations that changed the same files."""
        paths = {change.path for number in numbers for change in self.existing(number).plan.changes}
        found = list(numbers)
        for run in consolidations:
            if not numbers or run <= numbers[0] or run in found:
                continue
            touched = {change.path for change in self.existing(run).plan.changes}
            if touched & paths:
                found.append(run)
                paths |= touched
        return sorted(found)

    def _one(self, number: int, rows: Sequence[tuple], undone: set[int]) -> int:  # type: ignore[type-arg]
        kind = next((row[2] for row in rows if row[0] == number), "")
        if not kind:
            raise NotFound(f"there is no transaction {number}", "`engram log` shows the changes")
        if number in undone:
            raise BadInput(
                f"transaction {number} is undone already", "undo its undo to have it again"
            )
        if kind in _FINAL:
            raise BadInput(
                f"transaction {number} ({kind}) cannot be undone",
                "your own edits are yours to take back; `engram restore ID` brings a file back",
            )
        return number

    def undo_plan(
        self, numbers: Sequence[int], only: Callable[[Change], bool] = lambda change: True
    ) -> Plan:
        """The plan that undoes transactions: before and after swapped over all of them.

        `only` selects changes of them; the others stay. A file that an editor rewrote with the same
        meaning gets its older bytes all the same. Raises Conflict (both versions in its hint)
        when a file was changed since, or was purged.
        """
        targets = [self.existing(number) for number in sorted(numbers)]
        before: dict[str, bytes | None] = {}
        after: dict[str, bytes | None] = {}
        for target in targets:
            for change in target.plan.changes:
                if isinstance(change, transaction.Purged):
                    raise Conflict(
                        f"transaction {target.number} cannot be undone: {change.path} was purged",
                        "purged content is gone for good; that is what purge is for",
                    )
                if change.path in target.left or not only(change):
                    continue
                earlier = after.get(change.path, change.before)
                if not same_meaning(change.path, earlier, change.before):
                    raise Conflict(
                        f"{change.path} was changed in between; it is left as it is",
                        _versions(change.before, after[change.path]),
                    )
                before.setdefault(change.path, change.before)
                after[change.path] = change.after
        changes = []
        for path, final in after.items():
            now = self._disk.read(path)
            if same_meaning(path, now, before[path]):
                continue  # it has the older meaning already
            if not same_meaning(path, now, final):
                raise Conflict(
                    f"{path} was changed since; it is left as it is", _versions(now, final)
                )
            changes.append(Change(path, now, before[path], "undo"))
        return Plan(
            "undo",
            tuple(changes),
            withdraw=tuple(pair for target in targets for pair in target.plan.readmit),
            readmit=tuple(pair for target in targets for pair in target.plan.withdraw),
            requeue=tuple(pair for target in targets for pair in target.plan.dead),
            undoes=tuple(target.number for target in targets),
        )

    def undo_events(self, plan: Plan) -> tuple[Event, ...]:
        """One event for each memory, box and entity whose file the undo touches."""
        numbers = " ".join(map(str, plan.undoes)) or plan.batch
        named: dict[str, str] = {}
        for change in plan.changes:
            body = change.after if change.after is not None else change.before
            if layout.content_type(change.path) and body is not None:
                what = "taken back" if change.after is None else "changed back"
                named[read_content(change.path, body).id] = what
        return tuple(
            Event("undone", name, (("what", what), ("undoes", numbers)))
            for name, what in named.items()
        )

    def part_plan(self, number: int, subjects: Container[str]) -> Plan:
        """The plan that undoes what a transaction did to these ids (or plain pages)."""

        def concerned(change: Change) -> bool:
            stem = change.path.rpartition("/")[2].removesuffix(".md")
            if change.path in subjects or stem in subjects:
                return True
            body = change.after if change.after is not None else change.before
            if body is None or layout.kind_of(change.path) != "memory":
                return False
            return read_content(change.path, body).id in subjects

        return self.undo_plan([number], concerned)._replace(undoes=())

    def existing(self, number: int) -> Transaction:
        """The transaction of that number. Raises NotFound."""
        found = self.read(number)
        if found is None:
            raise NotFound(f"there is no transaction {number}", "`engram log` shows the changes")
        return found

    # -- bodies --------------------------------------------------------------------------------

    def last_body(self, identifier: str) -> tuple[str, bytes]:
        """`(path, bytes)` of a content file as last known, by its id. Raises NotFound."""
        for path, body in self._bodies_newest_first():
            if read_content(path, body).id == identifier:
                return path, body
        raise NotFound(f"there is no memory {identifier!r}")

    def last_memory(self, identifier: str) -> Memory:
        """A memory as its file last said it, also when the file is gone. Raises NotFound."""
        for path, body in self._bodies_newest_first():
            found = read_content(path, body).content
            if isinstance(found, Memory) and found.id == identifier:
                return found
        raise NotFound(f"there is no memory {identifier!r}")

    def _bodies_newest_first(self) -> Iterator[tuple[str, bytes]]:
        for found in self._readable(reversed(self.paths())):
            for change in (*found.plan.seen, *found.plan.changes):
                for body in (change.after, change.before):
                    if body is not None and layout.content_type(change.path):
                        yield change.path, body

    def paths_of(self, identifier: str) -> set[str]:
        """Every path at which a memory's file ever stood.

        Also under another name: a note without a header has the name of its file for its id.
        """
        bodies = [
            (change.path, body)
            for found in self.all()
            for change in (*found.plan.changes, *found.plan.seen)
            for body in (change.after, change.before)
            if body is not None and layout.kind_of(layout.original_of(change.path)) == "memory"
        ]
        own = {body for path, body in bodies if read_content(path, body).id == identifier}
        return {path for path, body in bodies if body in own}

    def requeue(self, catalog: Catalog) -> tuple[Plan, int]:
        """The plan that queues the dead letter again, and how many turns it holds."""
        numbers = catalog.turns.in_state(DEAD)
        ranges: list[Range] = ranges_of(numbers)
        letters = [
            Change(path, self._disk.read(path), None, "queued again")
            for name in self._disk.names(layout.DEAD_LETTER)
            for path in (f"{layout.DEAD_LETTER}/{name}",)
            if name.endswith(".json")
        ]
        names = catalog.turns.transcripts_in(ranges)
        events = tuple(Event("requeued", name) for name in names)
        return Plan("retry", tuple(letters), events, requeue=tuple(ranges)), len(numbers)


def _decoded(path: str, data: bytes) -> Transaction:
    """A file of the journal; raises StorageError when it is none, or another's."""
    found = transaction.decode(data, path)
    if found.number != int(path.rpartition("/")[2][:8]):
        raise StorageError(f"the transaction file {path} is that of number {found.number}")
    return found


def _undone(rows: Sequence[tuple]) -> set[int]:  # type: ignore[type-arg]
    """Numbers of transactions out of force: undone by one that is itself in force."""
    out: set[int] = set()
    for row in rows:  # newest first: an undo is judged before what it undid
        if row[2] == "undo" and row[0] not in out:
            out.update(int(number) for number in row[6].split())
    return out


def _versions(now: bytes | None, expected: bytes | None) -> str:
    """Where two versions of a file differ, in short lines, for the person to compare."""

    def lines(body: bytes | None) -> list[str]:
        return ["(no file)"] if body is None else body.decode("utf-8", "replace").splitlines()

    here, there = lines(now), lines(expected)
    mine = [line for line in here if line not in there][:_SHOWN_LINES]
    ours = [line for line in there if line not in here][:_SHOWN_LINES]
    return f"on disk: {_shown(mine)} | expected: {_shown(ours)}"


def _shown(lines: Sequence[str]) -> str:
    return " / ".join(line[:100] for line in lines if line.strip()) or "(nothing more)"
