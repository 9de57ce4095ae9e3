"""Projections of transactions: catalog, event trace, fact hashes, traces, topics, transcripts.

All follow in one SQLite transaction that carries the number last seen, so that a projection which
missed something replays it: every step here may be repeated. A catalog that is missing, foreign,
too old or damaged is rebuilt from the files, the turn journal and the transactions. Never touches a
memory's file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engram.model.authority import AUTHORITIES, authority_rank
from engram.model.box import Box
from engram.model.errors import BadInput, StorageError
from engram.model.instant import instant_of
from engram.model.link_targets import LinkResolver, NamedFile, link_key, stem_of
from engram.model.memory import Audience, Memory, dating
from engram.model.text import sha256_bytes
from engram.store.base import layout
from engram.store.catalog.catalog import Catalog, FileRow
from engram.store.catalog.catalog_view import CatalogView
from engram.store.catalog.database import CatalogUnusable
from engram.store.catalog.turn_rows import WITHDRAWN
from engram.store.commits.scan import BATCH, BATCH_BYTES, Scan, content_files
from engram.store.files.content_file import NO_MEMORY, read_content
from engram.store.files.link_names import LinkNames
from engram.store.files.transcripts import Transcripts

if TYPE_CHECKING:
    from engram.model.change import Change, Event, Transaction
    from engram.model.ports import TurnLog
    from engram.model.turn import TurnEntry
    from engram.store.base.disk import VaultDisk
    from engram.store.base.lock import WriterLock
    from engram.store.commits.claimed_authority import ClaimedAuthority
    from engram.store.commits.last_known import LastKnown
    from engram.store.commits.transaction_log import TransactionLog
    from engram.store.commits.views import Views


#: begins what the catalog says of its index while memories were taken up without a transaction
_TAKEN_UP = "taken up "


class TakenUp(NamedTuple):
    """Memories that were taken up without a transaction, by their ids.

    `before` is what the index was in step with, `mark` what the catalog says until it is again.
    """

    before: str
    mark: str
    names: set[str]


class Projections:
    """The projections of one vault. `catalog` is opened, or rebuilt, at first use.

    It may be another one later; `view` always asks the one that is open.
    """

    def __init__(
        self,
        disk: VaultDisk,
        turn_log: TurnLog,
        catalog_path: Path,
        vault: str,
        transaction_log: TransactionLog,
        guard: Callable[[], WriterLock],
        audience_of: Callable[[Memory], Audience],
        judged: str,
        most: str = AUTHORITIES[-1],
        *,
        records: bool = True,
    ) -> None:
        """`guard()` is held while the catalog is rebuilt: the writer lock of a vault that may be
        written, else one in the cache. `audience_of` says to whom a memory may be given; `judged`
        changes whenever its answers may. `most` is the most authority that the header of a file may
        claim that no transaction of this machine wrote. `records`: what is found in the files that
        no transaction knows of is left to the next scan, which records it."""
        self._disk = disk
        self.turn_log = turn_log
        self._path = catalog_path
        self._vault = vault
        self._transaction_log = transaction_log
        self._guard = guard
        self._audience_of = audience_of
        self._judged = judged
        self._most = most
        self._records = records
        #: the events of the transaction that is followed: the catalog has those before it
        self._following: tuple[Event, ...] = ()
        #: files that were read to be recorded: their rows and bytes, by path
        self._read: dict[str, tuple[FileRow, bytes]] = {}
        #: what links mean while several files are recorded
        self._meant: LinkNames | None = None
        self._open: Catalog | None = None
        self.view = CatalogView(lambda: self.catalog, disk, turn_log, self.names)
        self.transcripts = Transcripts(disk)
        self.rebuilt = ""
        #: how often the catalog was made anew
        self.fills = 0
        #: what this took up that the index may not know yet
        self.taken_up: TakenUp | None = None

    @property
    def guard(self) -> WriterLock:
        """The lock under which the catalog is made anew."""
        return self._guard()

    @cached_property
    def views(self) -> Views:
        """The views in `state/`, which only a writer follows."""
        from engram.store.commits.views import Views

        return Views(self._disk)

    @property
    def catalog(self) -> Catalog:
        """The catalog, sound as far as opening it can tell."""
        if self._open is None:
            try:
                self._open = Catalog.open(self._path, self._vault)
            except CatalogUnusable:
                with self.guard.hold():
                    try:
                        # another process may have rebuilt it while this one waited
                        self._open = Catalog.open(self._path, self._vault)
                    except CatalogUnusable as reason:
                        self.rebuild(str(reason))
            assert self._open is not None
            if self._open.most != self._most:
                self.rebuild("its headers may claim another authority")
            elif self._open.unrecorded and self._records:
                self.rebuild("it was filled while the vault could only be read")
            elif self._open.judged != self._judged:
                with self.guard.hold(), self._open.transaction():
                    self._open.judge_again(self._audience_of, self._judged)
        return self._open

    def close(self) -> None:
        """Close the catalog."""
        if self._open is not None:
            self._open.close()
            self._open = None

    @property
    def behind(self) -> bool:
        """Whether transactions or turns exist that the catalog has not seen; needs no lock.

        Also when a crash left a transaction to recover.
        """
        if any(map(layout.is_transaction, self._disk.names(layout.PENDING))):
            return True
        self.reopen_if_replaced()
        if self._diverged() or self._transaction_log.sha_of(self.catalog.last + 1):
            return True
        segments = [name for name in self._disk.names(layout.TURNS) if name.endswith(".jsonl")]
        if not segments:
            return False
        # by size: only a writer may look for a torn tail, it could be another's unfinished append
        last = f"{layout.TURNS}/{segments[-1]}"
        return self._disk.size(last) != self.catalog.turns.end_of(last)

    def reopen_if_replaced(self) -> None:
        """Reopen a catalog whose file was replaced, or is damaged, in a long-lived process."""
        if self._open is not None and not (self._open.is_sound() and self._open.is_at(self._path)):
            self.close()

    @property
    def next_number(self) -> int:
        """The number of the next transaction; one whose file is damaged keeps its own."""
        return self._transaction_log.following(self.catalog.last)

    @property
    def chain(self) -> str:
        """The link of the last transaction that has one, '' without any."""
        known = self.catalog.chain
        return self.chain_before(self.next_number) if known is None else known

    def chain_before(self, number: int) -> str:
        """The link of the last transaction below a number that has one, by the journal."""
        return self._transaction_log.chain_before(number)

    def _diverged(self) -> bool:
        """Whether the vault is not the one that the catalog knew: restored, or synced otherwise."""
        last = self.catalog.last
        return bool(last) and self._transaction_log.sha_of(last) != self.catalog.last_sha

    def catch_up(self) -> None:
        """Replay the turns and transactions that the catalog has not seen; repair the views."""
        self.reopen_if_replaced()
        segment, size, end = self.turn_log.end()
        known = self.catalog.turns
        # the same turns at other offsets: the length of a line was changed
        moved = bool(segment) and end == known.last and size != known.end_of(segment)
        if self._diverged() or end < known.last or moved:
            self.rebuild("the vault was restored or changed elsewhere")
        fresh = end > self.catalog.turns.last
        entries = list(self.turn_log.entries(self.catalog.turns.last)) if fresh else []
        if entries:
            with self.catalog.transaction():
                self.catalog.turns.add(entries)
        if self._transaction_log.sha_of(self.catalog.last + 1):
            for missed in self._transaction_log.all(self.catalog.last):
                self.follow(missed, again=True)
        if entries:
            rows = self.catalog.turns.places_of(
                [(entries[0].turn.seq, entries[-1].turn.seq)], WITHDRAWN
            )
            self.transcripts.mend(list(self.turn_log.read(row[1:] for row in rows)))
        self._scrub()
        if self.rebuilt:
            self.mend_views()
            self.rebuilt = ""

    def _scrub(self) -> None:
        """After a purge: the views anew, and nothing of deleted rows in the catalog's files."""
        if self.catalog.scrub_due:
            self.mend_views()
            self.catalog.scrub()
            self.rebuilt = ""

    def write_topics(self) -> bool:
        """Count the topics of the vault as it is; returns whether they had changed."""
        return self.views.topics.write(self.catalog.topics.best())

    def mend_views(self, *, due: bool = False) -> list[str]:
        """Write the views that differ from the vault's content; returns their paths.

        With `due` also those that would only be written next time.
        """
        mended = []
        live = self.catalog.live_hashes()
        if self.views.hashes.read() != live:
            self.views.hashes.follow((), live)
            mended.append(layout.HASHES)
        if self.views.trace.mend(self._transaction_log.all()):
            mended.append(layout.TRACE)
        if self.views.traces.follow(self.catalog.pages.traces.listed()):
            mended.append(layout.TRACES)
        if self.views.topics.mend(self.catalog, due=due):
            mended.append(layout.TOPICS)
        return mended

    def add_turns(self, entries: list[TurnEntry]) -> None:
        """Freshly journalled turns: into the catalog, then into their transcripts."""
        with self.catalog.transaction():
            self.transcripts.append([entry.turn for entry in entries])
            self.catalog.turns.add(entries)

    def follow(self, committed: Transaction, *, again: bool = False) -> None:
        """Update every projection with a transaction; an unusable catalog is rebuilt instead.

        `again`: an earlier attempt may have got half way, so nothing is appended blindly.
        """
        try:
            if committed.plan.kind == "purge":
                # what is left of the words stands in rows of every kind: none is kept
                self.rebuild("a purge")
            else:
                with self.catalog.transaction():
                    self._follow(committed, again)
            self._scrub()
        except CatalogUnusable as reason:
            self.rebuild(str(reason))
            self.mend_views()

    def _follow(self, committed: Transaction, again: bool) -> None:
        from engram.store.commits.views import COUNTING

        plan, catalog = committed.plan, self.catalog
        touched = [
            change for change in (*plan.changes, *plan.seen) if change.path not in committed.left
        ]
        changed = [change for change in touched if layout.content_type(change.path)]
        paths = [change.path for change in changed]
        known = catalog.files(paths)
        before = self._hashes_of(known)
        self._following = plan.events
        # removed files first: a move is a removal and an appearance of the same id
        changed.sort(key=lambda change: change.after is not None)
        self._look_at_each([change.path for change in changed])
        self._leave_to_scan(plan.seen)
        edited = any(change.path in known for change in plan.seen)
        if edited or any(change.after is None for change in changed):
            paths += self._look_at_homeless()
        self._look_at_confirmed(plan.events)
        self._following = ()
        catalog.record(committed)
        after = self._hashes_of(paths)
        # what was owed was recorded before its transaction: the list does not have it
        owed = any(row.size < 0 for row in known.values())
        whole = again or owed or bool(before - after)
        self.views.hashes.follow(sorted(after - before), catalog.live_hashes() if whole else None)
        if any(layout.content_type(change.path) is Box for change in changed):
            self.views.traces.follow(catalog.pages.traces.listed())
        self._follow_turns(committed)
        if any(change.path.startswith(layout.FORGOTTEN) for change in plan.changes):
            catalog.hide(self._forgotten())
        if plan.kind in COUNTING and not plan.continues:
            self.views.topics.write(catalog.topics.best())
        self.views.trace.follow(committed)

    def _look_at_confirmed(self, events: Iterable[Event]) -> None:
        """Record files again whose claims count now, though none of their bytes changed."""
        if self._most == AUTHORITIES[-1]:
            return
        from engram.model.trace import CONFIRMED

        confirmed = [event.subject for event in events if event.name == CONFIRMED]
        for memory in list(self.catalog.memories(confirmed)) if confirmed else ():
            self.look_at(memory.path)

    def _forgotten(self) -> list[str]:
        """The links of the turns that a person forgot."""
        names = self._disk.names(layout.FORGOTTEN)
        found = (self._found(f"{layout.FORGOTTEN}/{name}") for name in names)
        return [line for one in found if one for line in one[1].decode("utf-8", "replace").split()]

    def _follow_turns(self, committed: Transaction) -> None:
        plan = committed.plan
        if plan.withdraw:
            rows = self.catalog.turns.places_of(plan.withdraw)
            self.transcripts.withdraw(list(self.turn_log.read(row[1:] for row in rows)))
        if plan.readmit:
            rows = self.catalog.turns.places_of(plan.readmit, WITHDRAWN)
            self.transcripts.readmit(list(self.turn_log.read(row[1:] for row in rows)))
        settled = (*plan.ack, *plan.readmit, *plan.requeue, *plan.withdraw)
        for name, block in self.catalog.turns.extracted(settled):
            self.transcripts.mark(name, block)

    def _leave_to_scan(self, seen: Iterable[Change]) -> None:
        """A file edited again while it was recorded: the next scan is to find and record that."""
        for change in seen:
            if change.path in self._read:
                continue  # recorded as it was read: its stat shows what came after
            row = self.catalog.file(change.path)
            sha = sha256_bytes(change.after or b"")
            if row is not None and row.sha != sha:
                from engram.store.files.content_file import meaning_of

                data = self.names().with_ids(change.path, change.after or b"")
                meaning = meaning_of(change.path, data)
                self.catalog.put_file(row._replace(size=-1, sha=sha, meaning=meaning))

    def names(self, found: Iterable[NamedFile] = ()) -> LinkNames:
        """What the links in the vault's files mean now; `found` are files not recorded yet."""
        links = self.catalog.links
        more = [one for one in found if stem_of(one.path) != one.id]
        files = LinkResolver([*links.resolver.files, *more]) if more else links.resolver
        return LinkNames(files, self.transcripts.renamed, self.catalog.turns.transcript_of)

    def _look_at_each(self, paths: Iterable[str]) -> None:
        """Record files as they are now, then those again whose links mean something else by it."""
        links, before = self.catalog.links, self.catalog.links.files
        self._meant = self.names()
        self._record_each(paths)
        changed = before ^ links.files
        if changed:
            self._meant = self.names()
            for path in links.naming({link_key(stem_of(one.path)) for one in changed}):
                self._look_again(path)
        for one in self._meant.transcripts or ():
            links.named(one.path, one.id)
        self._meant = None

    def _look_again(self, path: str) -> None:
        """Record a file whose links mean something else; an edit of it is left to the scan."""
        found, row = self._found(path), self.catalog.file(path)
        if found is not None and row is not None and sha256_bytes(found[1]) == row.sha:
            self._record(row, found[1])

    def _look_at_homeless(self) -> list[str]:
        """Record files again whose id belonged to another file: it may be free now."""
        paths = self.catalog.homeless()
        for path in paths:
            self.look_at(path)
        return paths

    def _found(self, path: str) -> tuple[os.stat_result, bytes] | None:
        """A file's stat and bytes; None for anything but a readable regular file."""
        try:
            found = self._disk.read_with_stat(path)
        except (BadInput, StorageError):
            return None
        return None if found is None or found[1] is None else (found[0], found[1])

    @contextmanager
    def at_hand(self, read: Scan) -> Iterator[None]:
        """While a scan is recorded: its files need not be read again."""
        self._read = {path: (read.read[path], data) for path, data in read.changed.items()}
        try:
            yield
        finally:
            self._read = {}

    def look_at(self, path: str) -> None:
        """Record a content file as it is now; called inside a catalog transaction."""
        found = self._at(path)
        if found is None:
            self.catalog.drop_file(path)
        else:
            self._record(*found)

    def _at(self, path: str) -> tuple[FileRow, bytes] | None:
        """A file as it was read to be recorded, else as it is now."""
        known = self._read.get(path)
        if known is not None:
            return known
        found = self._found(path)
        return None if found is None else (_row(path, *found), found[1])

    def _record_each(self, paths: Iterable[str]) -> None:
        """Record files in their order; new ones that follow one another at once."""
        new: list[tuple[FileRow, bytes]] = []
        size = 0
        for path in paths:
            found = self._at(path)
            is_new = found is not None and self.catalog.file(path) is None
            if found is not None and is_new:
                new.append(found)
                size += len(found[1])
            if not is_new or len(new) == BATCH or size > BATCH_BYTES:
                self._record_new(new)
                new, size = [], 0
            if found is None:
                self.catalog.drop_file(path)
            elif not is_new:
                self._record(*found)
        self._record_new(new)

    def _record_new(self, found: Sequence[tuple[FileRow, bytes]]) -> None:
        """Record files that the catalog does not know: of several with one id the first has it."""
        if not found:
            return
        catalog, meant = self.catalog, self._meant or self.names()
        reads = [read_content(row.path, meant.with_ids(row.path, data)) for row, data in found]
        taken = set(catalog.homes(Memory, [one.id for one in reads]))
        rows: list[FileRow] = []
        memories: list[tuple[Memory, Audience]] = []
        others: list[tuple[FileRow, bytes]] = []
        for (row, data), read in zip(found, reads, strict=True):
            if not isinstance(read.content, Memory) or read.left_out or read.id in taken:
                others.append((row, data))
                continue
            taken.add(read.id)
            if names := meant.foreign_names(row.path, data):
                catalog.links.linked(row.path, names)
            problem = "; ".join(read.problems)
            rows.append(row._replace(id=read.id, problem=problem, meaning=read.meaning))
            memory = self._weighed(_dated(read.content, row), row.sha)
            memories.append((memory, self._audience_of(memory)))
        catalog.put_files(rows)
        catalog.put_memories(memories)
        for one in others:
            self._record(*one)

    def _record(self, seen: FileRow, data: bytes) -> None:
        """Record a file and its content as read; `seen` holds its stat and SHA-256."""
        catalog, path = self.catalog, seen.path
        meant = self._meant or self.names()
        read = read_content(path, meant.with_ids(path, data))
        catalog.links.linked(path, meant.foreign_names(path, data))
        known = catalog.file(path)
        if known is not None and (known.id != read.id or read.left_out):
            catalog.drop_file(path)
        if read.left_out:
            catalog.put_file(seen._replace(problem=NO_MEMORY + read.left_out))
            return
        problem = "; ".join(read.problems)
        home = catalog.home(read.kind, read.id)
        taken = home not in ("", path) and catalog.file(home) is not None
        if taken:
            problem = f"the id {read.id} belongs to {home}"
        identifier, meaning = "" if taken else read.id, read.meaning
        catalog.put_file(seen._replace(id=identifier, problem=problem, meaning=meaning))
        if taken:
            return
        if isinstance(read.content, Memory):
            memory = self._weighed(_dated(read.content, seen), seen.sha)
            catalog.put_memory(memory, self._audience_of(memory))
        else:
            catalog.pages.put(read.content)

    def _weighed(self, memory: Memory, sha: str) -> Memory:
        """A memory with the authority that counts here; `sha` is that of its file."""
        if authority_rank(memory.authority) <= authority_rank(self._most):
            return memory
        logged = (event for _, _, event in self.catalog.log.events(memory.id))
        here = (one for one in self._following if one.subject == memory.id)
        return self._claims.counted(memory, sha, (*logged, *here))

    @cached_property
    def _claims(self) -> ClaimedAuthority:
        # imported here: the headers of a vault that is not shared claim what they like
        from engram.store.commits.claimed_authority import ClaimedAuthority

        return ClaimedAuthority(self._transaction_log, self._most)

    def take_up(self, found: Scan, *, owed: bool = False) -> None:
        """Record a scan without a transaction: for a vault that is only read.

        No transaction tells the index of it: `taken_up` does, or it is rebuilt. With `owed` the
        next look finds the same again, for a vault that can be written another time.
        """
        if found.gone or found.changed:
            with self.catalog.transaction(), self.at_hand(found):
                paths = [*found.gone, *found.changed]
                known = self.catalog.files(paths)
                before = self._memory_ids(paths)
                self._look_at_each(paths)
                if known:
                    paths += self._look_at_homeless()
                names = before | self._memory_ids(paths)
                pages = any(layout.content_type(path) is not Memory for path in paths)
                self.taken_up = None if pages else self._taking_up(names)
                self.catalog.set_indexed(self.taken_up.mark if self.taken_up else "")
                if not owed:
                    self.catalog.set_unrecorded()
                for path in (*found.gone, *found.changed) if owed else ():
                    self._owe(path, known.get(path))
        if not owed:
            self.record_touched(found)

    def _owe(self, path: str, before: FileRow | None) -> None:
        """Let the next look find a file as it found it now."""
        now = self.catalog.file(path) or before
        if now is not None:
            said = (before.sha, before.meaning) if before is not None else ("", "")
            self.catalog.put_file(now._replace(size=-1, sha=said[0], meaning=said[1]))

    def _taking_up(self, names: set[str]) -> TakenUp | None:
        """These memories as taken up; None where others are, by somebody else."""
        last, before = self.taken_up, self.catalog.indexed
        if last is not None and last.mark == before:
            return last._replace(names=last.names | names)
        in_step = before and not before.startswith(_TAKEN_UP)
        return TakenUp(before, f"{_TAKEN_UP}{os.urandom(8).hex()}", names) if in_step else None

    def _memory_ids(self, paths: Iterable[str]) -> set[str]:
        rows = (self.catalog.file(path) for path in paths if layout.content_type(path) is Memory)
        return {row.id for row in rows if row is not None and row.id}

    def read_on(self) -> None:
        """Record the transactions that the catalog has not seen, and nothing but in the catalog.

        For a catalog that is only read from: a scan finds the files that they changed.
        """
        self.reopen_if_replaced()
        if self._diverged():
            self.rebuild("the vault was restored or changed elsewhere")
        if self._transaction_log.sha_of(self.catalog.last + 1):
            with self.catalog.transaction():
                for missed in self._transaction_log.all(self.catalog.last):
                    self.catalog.record(missed)

    def record_touched(self, found: Scan) -> None:
        """Record the new stats of files whose bytes, or whose meaning, are the same: no edits.

        Of a rewritten file the version that the scan read is recorded, not what it may be now.
        """
        if not (found.touched or found.rewritten):
            return
        with self.catalog.transaction():
            for row in found.touched:
                memory = self.catalog.memory(row.id) if row.id else None
                if memory is not None and memory.date_guessed:
                    self.look_at(row.path)  # its date may be the file's
                else:
                    self.catalog.put_file(row)
            for row, data in found.rewritten:
                self._record(row, data)

    def damaged_turns(self) -> int:
        """How many whole lines of the turn journal cannot be read."""
        return self.turn_log.count_damaged()

    def _hashes_of(self, paths: Iterable[str]) -> set[tuple[str, str]]:
        rows = (self.catalog.file(path) for path in paths if layout.content_type(path) is Memory)
        return self.catalog.hashes_of(row.id for row in rows if row is not None and row.id)

    def rebuild(self, reason: str = "asked for") -> None:
        """The catalog anew from turn journal, transactions, files and transcripts.

        Under the guard and in one SQLite transaction: whoever else finds it unusable waits, and
        readers see the old one or the new one. The views are mended by the next writer.
        """
        with self.guard.hold():
            self.close()
            made = Catalog.make(self._path, self._vault)
            self._open = catalog = made
            with catalog.transaction():
                catalog.clear()
                self._fill(catalog)
                catalog.set_judged(self._judged)
                catalog.set_most(self._most)
        self.rebuilt = reason
        self.fills += 1

    def _fill(self, catalog: Catalog) -> None:
        # imported here: a catalog is seldom made anew
        from engram.store.commits.last_known import LastKnown
        from engram.store.commits.shown_turns import add_shown

        known = LastKnown(self._transaction_log)
        catalog.turns.add(self.turn_log.entries())
        catalog.turns.add_purged(self.turn_log.purged())
        catalog.hide(self._forgotten())
        for committed in self._transaction_log.all():
            catalog.record(committed)
            known.follow(committed)

        self._fill_known(known, there := list(content_files(self._disk)))
        for path, sha, identifier in known.missing(frozenset(there)) if self._records else ():
            catalog.put_file(FileRow(path, -1, 0, 0, sha, identifier))
        add_shown(catalog.turns, self.transcripts, self.transcripts.paths())

    def _fill_known(self, known: LastKnown, there: Iterable[str]) -> None:
        """Record the files that the journal knows; a look finds the others, and takes them up.

        Where two files claim one id, the one that the journal knew as its owner wins.
        """
        late: list[tuple[bool, bool, str]] = []

        def owners() -> Iterator[str]:
            for path in there:
                found = self._found(path) if known.sha(path) else None
                if found is None:
                    continue
                row, homeless = _row(path, *found), known.is_homeless(path)
                if row.sha != known.sha(path) or homeless:
                    late.append((not known.knows(path, found[1]), homeless, path))
                    continue
                self._read = {path: (row, found[1])}
                yield path
            self._read = {}

        self._look_at_each(owners())
        self._look_at_each(path for *_, path in sorted(late))
        for *_, path in late if self._records else ():
            row = self.catalog.file(path)
            owed = known.owed(row) if row is not None else None
            if owed is not None:
                self.catalog.put_file(owed)


def _row(path: str, status: os.stat_result, data: bytes) -> FileRow:
    """The row of a file that was read."""
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return FileRow(path, status.st_size, *times, sha256_bytes(data), "")


def _dated(memory: Memory, seen: FileRow) -> Memory:
    """A memory; one that nothing in its file dates has the file's time, told as guessed."""
    if memory.created:
        return memory
    written = instant_of(max(1, min(seen.mtime_ns, seen.ctime_ns) // 1_000_000_000))
    return replace(memory, created=written, extra=(*memory.extra, *dating(guessed=True)))
