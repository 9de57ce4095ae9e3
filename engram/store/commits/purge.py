"""Purge: destroys a memory's content wherever it is stored (design 4.2), and plans that.

Turns a committed purge into a vault without the memory's files, and into boxes, entities, plain
pages, transactions, turn journal and transcripts without its words. Part of applying the
transaction, so a crash repeats it; repeating changes nothing. Git history, backups and synced
copies are not reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from engram.model.change import Change, Event, Plan, Transaction
from engram.model.errors import StorageError
from engram.model.report import PurgePreview
from engram.store.base import layout
from engram.store.commits import transaction
from engram.store.commits.purge_remains import PurgeRemains
from engram.store.commits.transaction import Purged
from engram.store.files.memory_file import read_memory

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.model.ports import PageWriter, TurnLog
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections
    from engram.store.commits.transaction_log import TransactionLog
    from engram.store.files.transcripts import Transcripts


class PurgeWriter:
    """Erases in one vault; the writer lock must be held."""

    def __init__(
        self,
        disk: VaultDisk,
        transaction_log: TransactionLog,
        turn_log: TurnLog,
        transcripts: Transcripts,
    ) -> None:
        self._disk = disk
        self._transaction_log = transaction_log
        self._turn_log = turn_log
        self._transcripts = transcripts

    def changes(
        self, identifier: str, paths: Iterable[str], messages: Iterable[str], pages: Iterable[str]
    ) -> list[Purged]:
        """The file changes of a purge: a memory's own `paths` are removed, `pages` lose its lines.

        `messages` are the digests of its source turns.
        """
        own = sorted(paths)
        remains = self._remains(identifier, own, messages)
        changes = [Purged(path, None, None, "purged") for path in own]
        for path in (*sorted(pages), *layout.PROSE):
            data = self._disk.read(path)
            if data is not None and (kept := _without(remains, path, data)) != data:
                changes.append(Purged(path, None, kept, "purged"))
        return changes

    def erase(self, committed: Transaction) -> None:
        """Remove a purged memory's content from everything that holds it."""
        changes = [change for change in committed.plan.changes if isinstance(change, Purged)]
        own = [change.path for change in changes if change.after is None]
        pages = [change.path for change in changes if change.after is not None]
        for event in committed.plan.events:
            details = dict(event.details)
            messages = details.get("messages", "").split()
            # pages first: the other places tell what words to look for
            self._erase_from_pages(self._remains(event.subject, own, messages), pages)
            self._rewrite(lambda earlier: transaction.purged(earlier, own))
            self._turn_log.purge(messages)
            self._transcripts.purge(details.get("turns", "").split())
            for path in own:
                # another memory may have its path by now; a conflict copy belongs to nothing else
                if layout.original_of(path) != path or self._identity(path) == event.subject:
                    self._disk.remove(path)

    def _erase_from_pages(self, remains: PurgeRemains, paths: Iterable[str]) -> None:
        for path in paths:
            data = self._disk.read(path)
            if data is not None and (kept := _without(remains, path, data)) != data:
                self._disk.put(path, kept)
        self._rewrite(
            lambda earlier: transaction.rewritten(
                earlier,
                lambda path: layout.is_page(layout.original_of(path)),
                lambda path, body: _without(remains, path, body),
            )
        )

    def _rewrite(self, change: Callable[[Transaction], Transaction]) -> None:
        """Rewrite the transactions of the journal that `change` alters."""
        for earlier in self._transaction_log.all():
            without = change(earlier)
            if without != earlier:
                path = layout.journal_path(earlier.number, earlier.time)
                self._disk.put(path, transaction.encode(without))

    def _remains(
        self, identifier: str, paths: Iterable[str], messages: Iterable[str]
    ) -> PurgeRemains:
        states = self._states(identifier, frozenset(paths))
        texts = [text for memory in states for text in (memory.text, memory.quote)]
        return PurgeRemains.of(identifier, [*texts, *self._turns(frozenset(messages))])

    def _states(self, identifier: str, paths: frozenset[str]) -> Iterator[Memory]:
        """The memory as files and transactions show it, at any of its paths."""
        bodies = [(path, self._disk.read(path)) for path in sorted(paths)]
        for earlier in self._transaction_log.all():
            for change in (*earlier.plan.changes, *earlier.plan.seen):
                if change.path in paths:
                    bodies += [(change.path, change.before), (change.path, change.after)]
        for path, body in bodies:
            if body is not None:
                memory = read_memory(path, body).memory
                if memory.id == identifier:
                    yield memory

    def _turns(self, messages: frozenset[str]) -> list[str]:
        """The texts of these turns."""
        if not messages:
            return []
        entries = self._turn_log.entries()
        return [entry.turn.text for entry in entries if entry.turn.message in messages]

    def _identity(self, path: str) -> str:
        """The id of the file at a path now."""
        data = self._disk.read(path)
        return "" if data is None else read_memory(path, data).memory.id


class PurgePlanner:
    """What is to be erased in one vault; nothing is written."""

    def __init__(
        self,
        disk: VaultDisk,
        projections: Projections,
        transaction_log: TransactionLog,
        purge_writer: PurgeWriter,
        pages: PageWriter,
        copies: Callable[[], list[str]],
    ) -> None:
        """`copies` finds the conflict copies of the vault."""
        self._disk = disk
        self._projections = projections
        self._transaction_log = transaction_log
        self._purge_writer = purge_writer
        self._pages = pages
        self._copies = copies

    def unmentioned(self, memory: Memory) -> list[Change]:
        """The pages of its entities, and the plain pages, without a memory."""
        entity = self._projections.view.entity
        named = [one for one in map(entity, memory.entities) if one is not None]
        leads = sorted({one.merged_into or one.id for one in named})
        pages = [page for page in map(entity, leads) if page is not None]
        remains = PurgeRemains.of(memory.id, [memory.text])
        found = self._pages.pages([(page, remains.unmentioned(page)) for page in pages])
        linked = PurgeRemains.of(memory.id, [])
        for path in layout.PROSE:
            data = self._disk.read(path)
            if data is not None and (kept := linked.without(path, data)) != data:
                found.append(Change(path, data, kept, "forgotten"))
        return found

    def preview(self, memory: Memory) -> PurgePreview:
        """What a purge would destroy of a memory, also of one whose file is gone."""
        cited = self._projections.catalog.cited_by
        citing = {name for link in memory.sources for name in cited(link)} - {memory.id}
        paths = self._transaction_log.paths_of(memory.id) | {memory.path}
        paths.update(copy for copy in self._copies() if layout.original_of(copy) in paths)
        return PurgePreview(
            memory.id, memory.text, sorted(paths), list(memory.sources), sorted(citing)
        )

    def plan(self, memory: Memory) -> tuple[Plan, PurgePreview]:
        """The transaction, and what it destroys.

        Raises StorageError when a file of the journal cannot be searched.
        """
        for path in self._transaction_log.unreadable():
            raise StorageError(
                f"{path} cannot be read and may hold the same words; nothing was purged",
                "restore it from a backup, or remove it, and purge again",
            )
        preview, turns = self.preview(memory), self._projections.catalog.turns
        rows = [row for link in preview.turns if (row := turns.behind_link(link)) is not None]
        messages = [row.message for row in rows if row.message]
        for link in preview.turns:
            messages += turns.withdrawn(link)
        details = (("turns", " ".join(preview.turns)), ("messages", " ".join(messages)))
        known = (*self._projections.catalog.files(), *self._copies())
        pages = [path for path in known if layout.is_page(layout.original_of(path))]
        changes = self._purge_writer.changes(preview.id, preview.paths, messages, pages)
        event = Event("memory_purged", preview.id, details)
        return Plan("purge", tuple(changes), (event,)), preview


def _without(remains: PurgeRemains, path: str, data: bytes) -> bytes:
    """A page, or a conflict copy of one, without what remains of a memory."""
    return remains.without(layout.original_of(path), data)
