"""Index synchronisation: keeps the documents of the index in step with the catalog.

Turns transactions, turns and pages (boxes, entities, summaries) into documents for the Finder.
Guarantees: what was committed is found (the index follows before it is asked); an unusable index is
rebuilt, and while that is impossible the files are scanned: never an empty answer for that reason.
Writes nothing but the cache.

One process at a time brings the index up, under a lock of its own: who writes files waits for no
index. It may read what is committed meanwhile: the index then knows some things before it says so,
and is told of them once more. Who waited finds its own changes brought up by the one before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING

from engram.index.contract import IndexState, IndexUnusable, SearchIndex
from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.errors import BadInput, Locked, StorageError
from engram.model.hit import Admit, Collection, Document, Found, Hints, place_in
from engram.model.instant import local_day
from engram.model.summary import Summary
from engram.model.turn import is_conversation
from engram.store.base import layout
from engram.store.catalog.turn_rows import WITHDRAWN
from engram.store.files.content_file import read_content

if TYPE_CHECKING:
    from engram.model.change import Transaction
    from engram.model.instant import Day
    from engram.model.memory import Memory
    from engram.model.ports import TurnLog
    from engram.model.report import IndexStatus
    from engram.model.step import Page
    from engram.store.base.disk import VaultDisk
    from engram.store.base.lock import WriterLock
    from engram.store.commits.projections import Projections, TakenUp
    from engram.store.commits.transaction_log import TransactionLog
    from engram.store.files.link_names import LinkNames

_log = logging.getLogger(__name__)
#: one number for the index to keep: transactions in the high part, turns in the low
_TURN_BITS = 40
#: an index of so many turns takes long enough to build for somebody to be told why they wait
_MANY = 1_000
#: how long somebody is waited for who may be building the first index, seconds
_BUILDING = 1.0
#: transactions that may hide the source turns of a memory, or show them again
_HIDING = frozenset({"forget", "restore", "undo", "settle", "purge"})


class IndexSync:
    """The index of one vault."""

    def __init__(
        self,
        disk: VaultDisk,
        projections: Projections,
        turn_log: TurnLog,
        transaction_log: TransactionLog,
        finder: SearchIndex,
        turn: Callable[[], WriterLock],
        timezone: str = "UTC",
    ) -> None:
        """`turn()` is held by the one who brings the index up; days are those of `timezone`."""
        self._make_turn = turn
        self._disk = disk
        self._projections = projections
        self._turn_log = turn_log
        self._transaction_log = transaction_log
        self._finder = self._on_disk = finder
        self._timezone = timezone
        self.index_reason = ""
        #: told how many documents of an index that is made anew are done, and of how many
        self.advance: Callable[[int, int], None] = lambda done, total: None

    @cached_property
    def turn(self) -> WriterLock:
        """What the one holds who brings the index up."""
        return self._make_turn()

    def close(self) -> None:
        """Let go of the index."""
        self._finder.close()

    def close_replaced(self) -> None:
        """Let go of an older generation, whose files may be removed already."""
        self._finder.close_replaced()

    # -- the index in step ---------------------------------------------------------------------

    def prepare(self) -> None:
        """Load what `refresh` needs: the library behind the index."""
        self._finder.state()

    def refresh(self, patience: float | None = None) -> bool:
        """Bring the index up to the catalog as it is now, or build it anew; False when that cannot
        be now: another one does it and is not done, or the cache cannot be locked.

        `patience` is how long to wait for that other one, seconds; None as long as for a writer.
        """
        if self._finder is not self._on_disk and self._on_disk.state().usable:
            self._finder, self.index_reason = self._on_disk, ""  # somebody has built it meanwhile
        if self._is_current():
            return True
        self.close_replaced()
        behind = self._brought_up(patience)
        if behind and not self._finder.state().usable:
            behind = self._brought_up(_BUILDING)
            if behind and not self._finder.state().usable:
                self._scan_files(behind)
        return not behind

    def _brought_up(self, patience: float | None) -> str:
        """Bring the index up in turn; why that cannot be now."""
        wanted = self._target()
        try:
            with self.turn.hold(patience):
                # a catalog that was replaced may know what was purged since
                self._projections.reopen_if_replaced()
                if not self._is_current(wanted):
                    self._bring_up()
        except (Locked, StorageError) as reason:
            return str(reason)
        return ""

    def _is_current(self, wanted: int | None = None) -> bool:
        """Whether the index has seen what the catalog has, or at least `wanted` of it."""
        state = self._finder.state()
        indexed, now = self._is_indexed(), self._target()
        if not (indexed and state.usable and state.seen is not None):
            return False
        return state.seen == now or (wanted is not None and wanted <= state.seen < now)

    def _is_indexed(self) -> bool:
        """Whether the index was built from this catalog, by days of this time zone."""
        return self._projections.catalog.indexed == self._timezone

    def _bring_up(self) -> None:
        state, target = self._finder.state(), self._target()
        indexed = self._is_indexed()
        if indexed and not state.usable and self._projections.catalog.turns.last > _MANY:
            _log.warning("the index is not usable (%s); building it anew", state.reason)
        taken, self._projections.taken_up = self._projections.taken_up, None
        try:
            if taken and state.usable and self._follows(taken, state.seen):
                self._finder.update(*self._of_memories(taken.names), seen=target)
                self._projections.catalog.set_indexed(self._timezone)
                return
            if indexed and state.usable and state.seen is not None and state.seen < target:
                if self._is_mostly_new(state, state.seen):
                    self.rebuild()
                    return
                missed = self._missed(state.seen)
                if missed is not None and all(one.plan.kind != "purge" for one in missed):
                    documents, removed = self._since(state.seen, missed)
                    self._finder.update(documents, removed, seen=target)
                    return
                # it goes first: purged words must not survive in it if nothing can be built
                self._finder.drop()
        except IndexUnusable as reason:
            _log.warning("the index is not usable (%s); building it anew", reason)
        self.rebuild()

    def _is_mostly_new(self, state: IndexState, seen: int) -> bool:
        """Whether so many memories came that an index anew takes less than reading what came."""
        catalog = self._projections.catalog
        came = sum(catalog.status_counts().values()) - state.memories
        if came <= max(_MANY, state.memories + state.turns):
            return False
        # it would stand until there is another: purged words must not survive in it
        missed = range((seen >> _TURN_BITS) + 1, catalog.last + 1)
        return "purge" not in {kind for kind, *_ in catalog.log.kinds(missed).values()}

    def _follows(self, taken: TakenUp, seen: int | None) -> bool:
        """Whether all that the index does not know is what this process took up itself."""
        now = self._projections.catalog.indexed, self._target()
        return (taken.before, *now) == (self._timezone, taken.mark, seen)

    def show(self, links: Sequence[str]) -> None:
        """Put turns that only transcripts have into the index; one built anew has them."""
        if not links:
            return
        with self.turn.hold():
            if not (self._is_indexed() and self._finder.state().usable):
                return
            try:
                self._finder.update(self._foreign_documents(links), [])
            except IndexUnusable as reason:
                _log.warning("the index is not usable (%s); building it anew", reason)
                self.rebuild()

    def rebuild(self) -> None:
        """A new generation of everything; without one, a scan of the files for this process."""
        self.index_reason = ""
        try:
            with self.turn.hold():
                # before the documents: what is committed meanwhile is looked at once more
                target = self._target()
                self._finder.rebuild(self._counted(self._everything()), seen=target)
                self._projections.catalog.set_indexed(self._timezone)
        except IndexUnusable as reason:
            self._scan_files(str(reason))

    def _counted(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The same, telling how many there were."""
        catalog = self._projections.catalog
        total = sum(catalog.status_counts().values()) + catalog.turns.last
        for number, document in enumerate(documents, 1):
            yield document
            if not number % _MANY:
                self.advance(number, max(number, total))

    def _scan_files(self, reason: str) -> None:
        """Answer from an index in memory, made of the files: never nothing for want of an index."""
        _log.warning("no index to be had (%s); reading the files instead", reason)
        self.index_reason = reason
        from engram.index.memory_finder import MemoryFinder

        self._finder = MemoryFinder()
        self._finder.rebuild(self._everything(), seen=self._target())

    def find(
        self, query: str, collection: Collection, limit: int, hints: Hints = Hints(),
        admit: Admit | None = None,
    ) -> list[Found]:  # fmt: skip
        """Raw answers for the words of a query; an index that fails is rebuilt and asked again."""
        try:
            return self._finder.find(query, collection, limit, hints, admit)
        except IndexUnusable as reason:
            _log.warning("the index failed (%s); building it anew", reason)
            self.rebuild()
            return self._finder.find(query, collection, limit, hints, admit)

    def find_now(
        self, query: str, collection: Collection, limit: int, admit: Admit | None = None
    ) -> list[Found]:
        """Raw answers of the index as it is, for the words themselves; none while it is not usable:
        nothing is built."""
        try:
            if self._finder.state().usable:
                return self._finder.find(query, collection, limit, Hints(related=False), admit)
        except IndexUnusable as reason:
            _log.info("the index failed (%s); nothing is found in it", reason)
        return []

    def terms_like(self, term: str, most: int) -> list[str]:
        """Terms of the memories that begin as a term does; none when the index fails."""
        try:
            return self._finder.terms_like(term, most)
        except IndexUnusable:
            return []

    def surprises(self, terms: Sequence[str]) -> list[float]:
        """How telling each term is among turns; the same for all when the index fails."""
        try:
            return self._finder.surprises(terms)
        except IndexUnusable:
            return [1.0] * len(terms)

    def status(self) -> IndexStatus:
        """The index as it is, for a person."""
        from engram.model.report import IndexStatus

        state = self._finder.state()
        reason = self.index_reason or state.reason
        return IndexStatus(state.generation, state.memories, state.turns, state.made_by, reason)

    @property
    def has_pages(self) -> bool:
        """Whether the index holds any page; does not open it."""
        return self._finder.state().pages > 0

    def counts(self) -> tuple[int, int]:
        """How many memories and turns are in the index."""
        state = self._finder.state()
        return state.memories, state.turns

    def _target(self) -> int:
        catalog = self._projections.catalog
        return (catalog.last << _TURN_BITS) + catalog.turns.last

    def _missed(self, seen: int) -> list[Transaction] | None:
        """The transactions since the index last looked; None when one of them is gone."""
        wanted = range((seen >> _TURN_BITS) + 1, self._projections.catalog.last + 1)
        missed = [self._transaction_log.read(number) for number in wanted]
        found = [one for one in missed if one is not None]
        return found if len(found) == len(missed) else None

    def _of_memories(
        self, names: Iterable[str]
    ) -> tuple[list[Document], list[tuple[Collection, str]]]:
        """The documents of those that there are, and the others."""
        wanted = list(names)
        there = {one.id: one for one in self._projections.catalog.memories(wanted)}
        removed: list[tuple[Collection, str]] = [
            ("memories", name) for name in wanted if name not in there
        ]
        return [document_of(one, self._timezone) for one in there.values()], removed

    def _since(
        self, seen: int, missed: Iterable[Transaction]
    ) -> tuple[Iterable[Document], list[tuple[Collection, str]]]:
        """What came and went since the index last looked."""
        turn = seen & ((1 << _TURN_BITS) - 1)
        catalog = self._projections.catalog
        names: dict[str, None] = {}
        turns: dict[int, None] = {}
        for one in missed:
            names.update(dict.fromkeys(_concerned(one)))
            for first, last in (*one.plan.withdraw, *one.plan.readmit):
                turns.update(dict.fromkeys(range(first, min(last, catalog.turns.last) + 1)))
        turns.update(dict.fromkeys(range(turn + 1, catalog.turns.last + 1)))
        documents: list[Document] = []
        removed: list[tuple[Collection, str]] = []
        for name in dict.fromkeys(name for one in missed for name in _pages_of(one)):
            page = self._projections.view.page_by_id(name)
            if page is None:
                removed.append(("pages", name))
            else:
                documents.append(self._of_page(page))
        there, gone_memories = self._of_memories(names)
        documents += there
        removed += gone_memories
        links = self._sources_of_changed(missed)
        rows = catalog.turns.behind_links(list(links))
        turns.update(dict.fromkeys(row.seq for row in rows.values() if row.seq > 0))
        come, gone = self._turn_documents(sorted(turns))
        foreign = [link for link, row in rows.items() if row.seq < 0]
        come += self._foreign_documents(foreign)
        return [*documents, *come], [*removed, *gone, *(("turns", link) for link in foreign)]

    def _sources_of_changed(self, missed: Iterable[Transaction]) -> dict[str, None]:
        """The source turns of memories that may have been hidden or shown again (design 5.21)."""
        found: dict[str, None] = {}
        gone: dict[str, None] = {}
        for one in missed:
            if one.plan.kind not in _HIDING:
                continue
            # each box that an undo took away would be looked for in all of the history
            pages = frozenset(_pages_of(one))
            for name in dict.fromkeys(_concerned(one)):
                memory = self._projections.catalog.memory(name)
                if memory is None and name not in pages:
                    gone[name] = None
                found.update(dict.fromkeys(memory.sources if memory is not None else ()))
            for change in one.plan.changes:
                if change.path.startswith(layout.FORGOTTEN):
                    links = (change.before or change.after or b"").decode("utf-8", "replace")
                    found.update(dict.fromkeys(links.split()))
        for memory in self._transaction_log.last_memories(gone):
            found.update(dict.fromkeys(memory.sources))
        return found

    def _turn_documents(
        self, numbers: list[int]
    ) -> tuple[list[Document], list[tuple[Collection, str]]]:
        """Documents of the turns that are there, keys of those taken back or purged."""
        if not numbers:
            return [], []
        turns = self._projections.catalog.turns
        wanted = frozenset(numbers)
        rows = [
            row
            for row in turns.places_of([(numbers[0], numbers[-1])], WITHDRAWN)
            if row[0] in wanted
        ]
        documents, here, hidden = [], set(), self._projections.catalog.hidden()
        ordinals: dict[str, dict[str, int]] = {}
        for turn in self._turn_log.read(row[1:] for row in rows):
            name, link = turn.transcript, f"{turn.transcript}#^{turn.block}"
            if link in hidden:
                continue
            here.add(turn.seq)
            if name not in ordinals:
                ordinals[name] = turns.ordinals(name)
            place = _place(name, ordinals[name].get(link, 1))
            day = local_day(turn.time, self._timezone)
            document = Document(link, "turns", turn.title, turn.text, day, turn.speaker, place)
            documents.append(document)
        return documents, [("turns", link) for link in turns.links(wanted - here)]

    def _everything(self) -> Iterator[Document]:
        for memory in self._projections.catalog.memories():
            yield document_of(memory, self._timezone)
        for one in self._pages():
            yield self._of_page(one)
        hidden = self._projections.catalog.hidden()
        for path in self._projections.transcripts.paths():
            yield from self._shown(path, hidden)

    def _of_page(self, page: Page) -> Document:
        data = page_bytes(self._disk, page, self._projections.names())
        return document_of_page(page, data, self._timezone)

    def _pages(self) -> Iterator[Page]:
        """The pages, but the entities that became part of another."""
        view = self._projections.view
        every: list[Page] = [*view.boxes(), *view.entities(), *view.summaries()]
        return filter(None, map(view.page_by_id, dict.fromkeys(page.id for page in every)))

    def _shown(self, path: str, hidden: Set[str]) -> Iterator[Document]:
        """The turns that a transcript shows, but those that a forgotten memory hides.

        In the words of the journal, where it has them: what is indexed as it comes is the same.
        """
        from engram.model.said_words import said_words
        from engram.store.files.transcripts import PURGED

        transcripts, turns = self._projections.transcripts, self._projections.catalog.turns
        title = said_words(transcripts.header(path).get("title", ""))
        name = transcripts.name_of(path)
        ordinals = turns.ordinals(name)
        behind = max(ordinals.values(), default=0)
        blocks = [block for block in transcripts.blocks(path) if block.text != PURGED]
        rows = turns.behind_links([block.link for block in blocks])
        numbers = [row.seq for row in rows.values() if row.seq > 0]
        said = {
            f"{name}#^{turn.block}": (turn.text, turn.speaker)
            for turn in self._turn_log.read(turns.places(numbers))
        }
        for number, block in enumerate(blocks, 1):
            if block.link in hidden:
                continue
            place = _place(name, ordinals.get(block.link, behind + number))
            text, speaker = said.get(block.link) or (block.said.text, block.speaker)
            day = local_day(block.time, self._timezone)
            yield Document(block.link, "turns", title, text, day, speaker, place)

    def _foreign_documents(self, links: Sequence[str]) -> list[Document]:
        """Documents of turns that only transcripts have."""
        hidden, wanted = self._projections.catalog.hidden(), frozenset(links)
        names = dict.fromkeys(link.partition("#")[0] for link in links)
        paths = filter(None, map(self._projections.transcripts.find, names))
        return [one for path in paths for one in self._shown(path, hidden) if one.key in wanted]


def _place(transcript: str, ordinal: int) -> int:
    """Where a turn stands; 0 where turns that follow one another have nothing to do with it."""
    return place_in(transcript, ordinal) if is_conversation(transcript) else 0


def document_of(memory: Memory, timezone: str = "UTC") -> Document:
    """What of a memory is searchable: its words, its quote, tags, entities and sections.

    Its day is that of its source turn in a time zone.
    """
    body = "\n".join((memory.text, memory.quote, *memory.tags, *memory.entities))
    told = "\n".join(text for _, text in memory.sections)
    day = local_day(memory.created, timezone)
    return Document(memory.id, "memories", memory.title, body, day, sections=told)


def document_of_page(page: Page, data: bytes, timezone: str = "UTC") -> Document:
    """What of a page is searchable: its names, its topics, and the words on it."""
    from engram.store.files.page_prose import prose_of

    topics = page.topics if isinstance(page, Box) else ()
    body = "\n".join((prose_of(data).text, *topics))
    return Document(page.id, "pages", title_of(page), body, day_of_page(page, timezone))


def day_of_page(page: Page, timezone: str) -> Day:
    """The day of a box's first memory and of a summary's newest source; an entity has none."""
    if isinstance(page, Summary):
        return page.last
    return local_day(page.created, timezone) if isinstance(page, Box) else ""


def title_of(page: Page) -> str:
    """What a page is called: the title of a box or summary, every name of an entity."""
    return "\n".join((page.name, *page.aliases)) if isinstance(page, Entity) else page.title


def page_bytes(disk: VaultDisk, page: Page, names: LinkNames) -> bytes:
    """A page's file, with ids in its links; empty when it cannot be read at present, which the
    doctor tells of.
    """
    try:
        return names.with_ids(page.path, disk.read(page.path) or b"")
    except (BadInput, StorageError):
        return b""


def _pages_of(missed: Transaction) -> Iterator[str]:
    """The ids of the pages that a transaction touched."""
    touched = [
        change
        for change in (*missed.plan.changes, *missed.plan.seen)
        if layout.kind_of(change.path) in layout.PAGES
    ]
    for change in touched:
        bodies = (body for body in (change.before, change.after) if body is not None)
        yield from (read_content(change.path, body).id for body in bodies)
    for event in missed.plan.events if touched else ():
        if event.name == "hand_edit" and dict(event.details)["what"] == "removed":
            yield event.subject  # there is no body of what a person took away


def _concerned(missed: Transaction) -> Iterator[str]:
    """The ids that a transaction touched, by its events and the bodies it holds."""
    yield from (event.subject for event in missed.plan.events if event.subject)
    for change in (*missed.plan.changes, *missed.plan.seen):
        if layout.kind_of(change.path) != "memory":
            continue
        for body in (change.before, change.after):
            if body is not None:
                yield read_content(change.path, body).id
