"""Commit protocol: a plan becomes one transaction, or nothing (design 4.2, to the letter).

Lock, recover, check every file against what the plan expects, number the items that its events are
about, write the transaction file (the commit), apply it, move it to the journal, update the
projections. Guarantees: after a crash at
any point the next opening finishes or discards the transaction, and a file that a person changed in
between keeps the person's bytes (recorded in `left`); no bytes stand at a path, and no transaction
in the journal, that a power cut could take back. Refuses: a plan whose `before` no longer holds
(Conflict); a full disk, and a transaction file that cannot be read (StorageError).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from engram.model.change import Change, Event, Plan, Transaction
from engram.model.errors import BadInput, Conflict
from engram.model.numbering import items_in, numbered, numbering
from engram.store.base import layout
from engram.store.commits import transaction
from engram.store.commits.digest_chain import with_link
from engram.store.commits.linked_history import RELINK

if TYPE_CHECKING:
    from engram.model.policy import Policy
    from engram.model.ports import Clock
    from engram.store.base.disk import VaultDisk
    from engram.store.base.lock import WriterLock
    from engram.store.commits.projections import Projections
    from engram.store.files.policy_snapshots import PolicySnapshots

#: files staged with one group fsync; bounds the open file handles
_GROUP = 200


class VaultCommitter:
    """Writes to one vault; all of them go through here."""

    def __init__(
        self,
        disk: VaultDisk,
        clock: Clock,
        lock: WriterLock,
        projections: Projections,
        erase: Callable[[Transaction], Transaction],
        policy: Callable[[], Policy | None] = lambda: None,
    ) -> None:
        """`erase` takes what is purged out of everything that holds it, the transaction too.

        `policy` is the one that holds; None while its files are not understood, under which nothing
        is admitted, and what a person decides about memories is still done.
        """
        self._disk = disk
        self._clock = clock
        self._lock = lock
        self._projections = projections
        self._erase = erase
        self._policy = policy

    @cached_property
    def _snapshots(self) -> PolicySnapshots:
        # imported here: a vault that is only read keeps none
        from engram.store.files.policy_snapshots import PolicySnapshots

        return PolicySnapshots(self._disk)

    @contextmanager
    def lock(self, timeout: float | None = None) -> Iterator[None]:
        """Hold the writer lock; the first to enter recovers what a crash left over."""
        with self._lock.hold(timeout) as first:
            if first:
                self.recover()
            yield

    def recover(self) -> None:
        """Finish every pending transaction in order, then let the projections catch up."""
        for name in self._disk.names(layout.PENDING):
            path = f"{layout.PENDING}/{name}"
            if name.endswith(".tmp"):
                self._disk.remove(path)  # staged for a transaction that was never committed
            elif layout.is_transaction(name):
                self._finish(transaction.decode(self._disk.read(path) or b"", path))
        self._projections.catch_up()

    @property
    def last(self) -> int:
        """The number of the last transaction."""
        return self._projections.catalog.last

    @property
    def tick(self) -> int:
        """The last tick that was used; the lock is held."""
        return self._projections.catalog.items.tick

    def item_of(self, identifier: str, events: Sequence[Event] = ()) -> str:
        """The item of a memory once a transaction with these events is committed, '' without one.

        The lock is held.
        """
        found = items_in(Transaction(0, "", Plan("", events=self._numbered(events)[0])))
        of_plan = next((str(one.item) for one in reversed(found) if one.file == identifier), "")
        return of_plan or str(self._projections.catalog.items.of(identifier) or "")

    def commit(self, plan: Plan) -> Transaction:
        """Make a plan durable and apply it; raises Conflict when a file is not as it expects.

        Its events have item and tick in place of store and kind (`model.numbering`).
        """
        with self.lock():
            plan = plan._replace(changes=tuple(self._linked(plan)))
            number = self._projections.next_number
            events, tick = self._numbered(plan.events, purges=plan.kind == "purge")
            policy = self._snapshots.keep(self._policy())
            committed = with_link(
                Transaction(
                    number, self._clock.now(), plan._replace(events=events), tick=tick,
                    policy=policy,
                ),
                self._projections.chain,
            )  # fmt: skip
            # refused before the commit when it could not be filed after it
            self._disk.path(layout.journal_path(number, committed.time))
            self._write_pending(committed)
            return self._finish(committed, follow=True)

    def _linked(self, plan: Plan) -> Iterator[Change]:
        """The changes as the files have it: a link says the name that a person gave to a file.

        Those of a plan that is about links alone are what it says. Raises Conflict where a file is
        not as a change expects.
        """
        names = self._projections.names()
        undone = self._projections.catalog.log.kinds(plan.undoes).values()
        links_alone = plan.kind == RELINK or {kind for kind, *_ in undone} == {RELINK}
        for change in plan.changes:
            if isinstance(change, transaction.Purged):
                yield change
                continue
            now, after = self._disk.read(change.path), change.after
            linked = layout.is_linked(change.path)
            if now != change.before:
                known = linked and now is not None and names.with_ids(change.path, now)
                if not known or known != change.before:
                    raise Conflict(f"{change.path} has changed meanwhile")
            if linked and after is not None and not links_alone:
                after = names.with_names(change.path, after, now)
            yield dataclasses.replace(change, before=now, after=after)

    def _numbered(
        self, planned: Sequence[Event], *, purges: bool = False
    ) -> tuple[tuple[Event, ...], int]:
        """The events with items and ticks, those of memories without an item first; the tick."""
        items = self._projections.catalog.items
        # the events of a purge are about what it destroys
        owed = [] if purges else items.owed()
        return numbered((*numbering(owed, planned), *planned), items.tick, items.last)

    def _write_pending(self, committed: Transaction) -> None:
        """Write the transaction file; its rename is the commit. Refuses what there is no room for.

        The bodies stand in it: they are written again, as files, when it is applied.
        """
        bodies = (change.after for _, change in _applied(committed))
        self._disk.check_room(sum(len(body) for body in bodies if body is not None))
        head = f"{layout.PENDING}/{committed.number:08d}.tmp"
        self._disk.stage([(head, transaction.encode(committed))])
        self._disk.place(head, layout.pending_path(committed.number), fresh=True)
        self._disk.sync([layout.PENDING])

    def _finish(self, committed: Transaction, *, follow: bool = False) -> Transaction:
        """Apply, file in the journal, follow: steps 5 to 7, each of them repeatable."""
        left = self._apply(committed)
        pending, planned = layout.pending_path(committed.number), committed
        if committed.plan.kind == "purge":
            committed = self._erase(committed)
        self._disk.sync({change.path.rpartition("/")[0] for change in planned.plan.changes})
        if left:
            committed = committed._replace(left=tuple(left))
        if committed != planned or committed.plan.kind == "purge":
            committed = self._linked_again(committed)
            self._disk.put(pending, transaction.encode(committed))
        self._disk.rename(pending, layout.journal_path(committed.number, committed.time))
        if follow:
            self._projections.follow(committed)
        return committed

    def _linked_again(self, committed: Transaction) -> Transaction:
        """With the link of the lines that it has now; a purge may have changed the one before."""
        if not committed.chain:
            return committed  # committed by an older version, which did not come to applying it
        return with_link(committed, self._projections.chain_before(committed.number))

    def _apply(self, committed: Transaction) -> list[str]:
        """Bring every file to its `after`; returns the paths left to the person.

        The bodies of a group are durable before the first of them is moved to its path.
        """
        left: list[str] = []
        changes = _applied(committed)
        for start in range(0, len(changes), _GROUP):
            group = changes[start : start + _GROUP]
            bodies = [(staged, one.after) for staged, one in group if one.after is not None]
            if bodies:
                self._disk.stage(bodies)
            left += [one.path for staged, one in group if not self._apply_one(one, staged)]
        return left

    def _apply_one(self, change: Change, staged: str) -> bool:
        """Bring a file to its `after`, whose bytes are staged; False where it is the person's."""
        try:
            now = self._disk.read(change.path)
            if now == change.before != change.after:
                if change.after is None:
                    self._disk.remove(change.path)
                else:
                    self._disk.place(staged, change.path, fresh=now is None)
                return True
            applied = now == change.after
        except (BadInput, FileExistsError):
            applied = False  # the person put a link, a folder or this moment a file there
        if change.after is not None:
            self._disk.remove(staged)
        return applied


def _applied(committed: Transaction) -> list[tuple[str, Change]]:
    """The changes that are made to files, each with the path that its bytes are staged at.

    What is purged is the purge writer's.
    """
    return [
        (f"{layout.PENDING}/{committed.number:08d}-{index}.tmp", change)
        for index, change in enumerate(committed.plan.changes)
        if not isinstance(change, transaction.Purged)
    ]
