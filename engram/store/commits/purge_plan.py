"""Purge plan: what a person named -> the transaction that destroys it, and what to look for.

Finds every file that the memories ever had, the messages of the turns, and the words that only
these texts have: no other turn, no other memory and no line that a person wrote on a page has one
with the same stem. Nothing is written. Refuses a vault whose journal cannot be searched as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.language.distinct_words import DistinctWords
from engram.language.proper_names import entities_of_names, mentioned_in
from engram.model.change import Change, Event, Plan
from engram.model.errors import StorageError
from engram.model.report import PurgePreview, Scope
from engram.model.shared_copy import PROMOTED_TO
from engram.model.summary import without_memories
from engram.model.text import first_line
from engram.model.trace import ITEM
from engram.model.vault_label import labelled_id
from engram.store.base import layout
from engram.store.commits.purge import TITLE_PURGED, WORDS_PURGED
from engram.store.commits.purge_remains import PurgeRemains
from engram.store.commits.transaction import Purged
from engram.store.files.box_file import box_remains
from engram.store.files.memory_file import read_memory
from engram.store.files.summary_file import summary_remains

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.model.ports import PageWriter
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections
    from engram.store.commits.transaction_log import TransactionLog

#: versions of files as `TransactionLog.versions_of` gives them
Versions = Sequence[tuple[str, bytes, bool]]
#: turns whose words a preview shows
_PREVIEWED = 10
#: a word that more of the other texts have tells nothing of what was purged
_SELDOM = 3
#: a link to a turn behind an item: the name of a conversation is no word that somebody said
_RECEIPT = re.compile(r" \(\[\[[a-z0-9-]+#\^[a-z0-9]+\|said\]\]\)")


class PurgePlanner:
    """What is to be erased in one vault; nothing is written."""

    def __init__(
        self,
        disk: VaultDisk,
        projections: Projections,
        transaction_log: TransactionLog,
        pages: PageWriter,
        copies: Callable[[], list[str]],
        own_words: Callable[[], frozenset[str]],
    ) -> None:
        """`copies` finds the conflict copies, `own_words` are those of the program's own files."""
        self._disk = disk
        self._projections = projections
        self._transaction_log = transaction_log
        self._pages = pages
        self._copies = copies
        self._own_words = own_words

    def unmentioned(self, memories: Sequence[Memory], pages: Iterable[str] = ()) -> list[Change]:
        """Their entities, the summaries and the plain pages, without these memories."""
        entity = self._projections.view.entity
        led = entities_of_names(self._projections.view.mentioned())
        names = {led.get(name, name) for memory in memories for name in mentioned_in(memory)}
        named = [one for one in map(entity, sorted(names)) if one is not None]
        leads = sorted({one.merged_into or one.id for one in named})
        told = [page for page in map(entity, leads) if page is not None]
        ids = [memory.id for memory in memories]
        remains = PurgeRemains.of(ids, [memory.text for memory in memories])
        summaries = [
            (page, left)
            for page in self._projections.view.summaries()
            if (left := without_memories(page, ids)) != page
        ]
        found = self._pages.pages([(page, remains.unmentioned(page)) for page in told])
        found += self._pages.pages(summaries)
        linked = PurgeRemains.of([*ids, *pages], [])
        for path in layout.PROSE:
            data = self._with_ids(path)
            if data is not None and (kept := linked.without(path, data)) != data:
                found.append(Change(path, data, kept, "forgotten"))
        return found

    def _with_ids(self, path: str) -> bytes | None:
        """A page with ids for the names of files in its links."""
        data = self._disk.read(path)
        return None if data is None else self._projections.names().with_ids(path, data)

    def preview(self, scope: Scope) -> PurgePreview:
        """What a purge would destroy, of memories also where the file is gone."""
        return self._preview(scope, self._versions(scope))

    def _versions(self, scope: Scope) -> Versions:
        return self._transaction_log.versions_of({memory.id for memory in scope.memories})

    def _preview(self, scope: Scope, versions: Versions) -> PurgePreview:
        cited = self._projections.catalog.cited_by
        ids = {memory.id for memory in scope.memories}
        citing = {name for link in scope.links for name in cited(link)} - ids
        paths = self._paths(ids, versions) | {memory.path for memory in scope.memories}
        paths.update(copy for copy in self._copies() if layout.original_of(copy) in paths)
        return PurgePreview(
            tuple((memory.id, memory.text) for memory in scope.memories),
            sorted(paths), list(scope.links), list(scope.conversations), sorted(citing),
            self._said(scope.links[:_PREVIEWED]),
            tuple(
                labelled_id(memory.extras[PROMOTED_TO], memory.id)
                for memory in scope.memories
                if PROMOTED_TO in memory.extras
            ),
        )  # fmt: skip

    def _said(self, links: Sequence[str]) -> list[str]:
        """What turns say, as far as the journal has them."""
        turns = self._projections.catalog.turns
        numbers = [row.seq for row in turns.behind_links(links).values() if row.seq > 0]
        read = self._projections.turn_log.read(turns.places(numbers))
        return [f"{turn.role}: {first_line(turn.text)}" for turn in read]

    def plan(self, scope: Scope) -> tuple[Plan, PurgePreview, Sequence[str]]:
        """The transaction, what it destroys, and which of its words are seldom said elsewhere.

        Raises StorageError when a file of the journal cannot be searched.
        """
        for path in self._transaction_log.unreadable():
            raise StorageError(
                f"{path} cannot be read and may hold the same words; nothing was purged",
                "restore it from a backup, or remove it, and purge again",
            )
        turns, versions = self._projections.catalog.turns, self._versions(scope)
        preview = self._preview(scope, versions)
        ids = [name for name, _ in preview.memories]
        messages = turns.messages_behind(scope.links)
        texts, words, seldom = self._words(scope, preview, versions, frozenset(messages))
        remains = PurgeRemains(
            frozenset(ids), PurgeRemains.of(ids, texts).said, words,
            _searched(words, self._own_words()), scope.phrase,
        )  # fmt: skip
        pages = self._pages_gone(remains)
        remains = replace(remains, ids=remains.ids | pages, pages=pages)
        files = self._projections.catalog.links.files
        names = sorted({(one.path, one.id) for one in files if one.id in remains.ids})
        remains = replace(remains, names=tuple(names))
        details = {
            "turns": " ".join(scope.links), "messages": " ".join(messages),
            "conversations": " ".join(scope.conversations), "ids": " ".join(sorted(remains.ids)),
            "items": " ".join(self._items(ids)),
            "texts": json.dumps(texts), "words": " ".join(sorted(words)),
            "rare": " ".join(sorted(remains.rare)), "phrase": scope.phrase,
            "names": json.dumps(names),
        }  # fmt: skip
        events = [Event("memory_purged", name) for name in ids]
        events.append(Event(WORDS_PURGED, "", tuple(details.items())))
        events += [Event(TITLE_PURGED, name) for name in self._untitled(scope, remains)]
        changes = tuple(self._changes(preview.paths, remains))
        return Plan("purge", changes, tuple(events)), preview, seldom

    def _items(self, ids: Iterable[str]) -> list[str]:
        """The item ids that these memories have, and had in other stores."""
        catalog = self._projections.catalog
        found = {str(item) for item in map(catalog.items.of, ids) if item is not None}
        events = (event for name in ids for *_, event in catalog.log.events(name))
        return sorted(found.union(filter(None, (dict(one.details).get(ITEM) for one in events))))

    def _changes(self, paths: Iterable[str], remains: PurgeRemains) -> Iterator[Purged]:
        """A memory's own files are removed; pages lose their lines, or go as well."""
        for path in paths:
            yield Purged(path, None, None, "purged")
        known = (*self._projections.catalog.files(), *self._copies())
        pages = [path for path in known if layout.is_page(layout.original_of(path))]
        for path in (*sorted(pages), *layout.PROSE):
            data = self._disk.read(path)
            if (
                data is not None
                and (kept := remains.without(layout.original_of(path), data)) != data
            ):
                yield Purged(path, None, kept, "purged")

    # -- what is to be looked for --------------------------------------------------------------

    def _words(
        self, scope: Scope, preview: PurgePreview, versions: Versions, messages: frozenset[str]
    ) -> tuple[list[str], frozenset[str], list[str]]:
        """All that is purged, the words that only it has, and those that others seldom say."""
        own, conversations = frozenset(preview.paths), frozenset(scope.conversations)
        ids = frozenset(memory.id for memory in scope.memories)
        texts = list(self._told(scope.memories, versions))
        others: list[str] = []
        for entry in self._projections.turn_log.entries():
            turn = entry.turn
            words = (turn.text, turn.speaker, *turn.tools)
            if turn.message in messages:
                # the title of a conversation that goes as a whole says what it was about
                whole = turn.transcript in conversations
                texts += (*words, turn.title, turn.project) if whole else words
            else:
                others.append("\n".join((*words, turn.project, turn.time)))
        shown = frozenset(scope.links)
        texts += self._shown_only(lambda link: link in shown)
        texts = list(dict.fromkeys(filter(None, texts)))
        distinct = DistinctWords([*texts, scope.phrase])
        for text in (
            *others,
            *self._shown_only(lambda link: link not in shown),
            *self._files(ids, own),
        ):
            distinct.other(text)
        said = "\n".join([one.text for one in scope.memories] or texts)
        return texts, distinct.left, distinct.seldom(said, _SELDOM, self._own_words())

    def _shown_only(self, wanted: Callable[[str], bool]) -> list[str]:
        """The texts of turns that only transcripts have, captured on another machine."""
        transcripts = self._projections.transcripts
        foreign = self._projections.catalog.turns.foreign_links()
        paths = {transcripts.find(link.partition("#")[0]) for link in foreign}
        return [
            block.text
            for path in sorted(filter(None, paths))
            for block in transcripts.blocks(path)
            if block.link in foreign and wanted(block.link)
        ]

    def _files(self, ids: frozenset[str], own: frozenset[str]) -> Iterator[str]:
        """What other memories say, and what a person wrote on pages."""
        for path, row in self._projections.catalog.files().items():
            if row.id in ids or (path in own and not row.id) or layout.kind_of(path) != "memory":
                continue
            yield path + "\n" + (self._disk.read(path) or b"").decode("utf-8", "replace")
        for entity in self._projections.view.entities():
            if entity.synthesis_by == "person":
                yield entity.synthesis
        for path in layout.PROSE:
            lines = (self._disk.read(path) or b"").decode("utf-8", "replace").splitlines()
            yield "\n".join(line for line in lines if "[[" not in line)

    def _paths(self, ids: Collection[str], versions: Versions) -> set[str]:
        """Every path of these memories' files, and of copies in which no other memory lives."""
        rows = ((path, own, self._projections.catalog.file(path)) for path, _, own in versions)
        return {path for path, own, row in rows if own or row is None or row.id in ("", *ids)}

    def _told(self, memories: Sequence[Memory], versions: Versions) -> Iterator[str]:
        """What memories say and said before, and in which words they were quoted."""
        files = ((one.path, self._disk.read(one.path) or b"", True) for one in memories)
        read = (read_memory(path, body).memory for path, body, own in (*versions, *files) if own)
        ids = {memory.id for memory in memories}
        for memory in (*memories, *(one for one in read if one.id in ids)):
            yield from (memory.text, memory.quote, memory.title, *memory.tags)
            yield from (_RECEIPT.sub("", text) for _, text in memory.sections)

    def _pages_gone(self, remains: PurgeRemains) -> frozenset[str]:
        """The pages that nothing is left in, and the entities that nothing speaks of any more."""
        view, gone = self._projections.view, set()
        for box in view.boxes():
            data = self._with_ids(box.path)
            if box.lines and remains.ids.issuperset(box.memories) and data is not None:
                gone |= {box.id} if box_remains(data, box) is None else set()
        named = {
            name
            for memory in self._projections.catalog.memories()
            if memory.id not in remains.ids
            for name in memory.entities
        }
        for entity in view.entities():
            resting = {item[1] for item in (*entity.timeline, *entity.activity)}
            resting |= {item[2] for item in entity.relations}
            unsaid = entity.synthesis_by != "person" and resting <= remains.ids
            if unsaid and not named.intersection((entity.id, *entity.aliases)):
                gone |= {entity.id} if resting or remains.named_in(entity.name) else set()
        for page in view.summaries():
            data = self._with_ids(page.path)
            if data is not None and remains.unsummarised(page) is None:
                gone |= {page.id} if summary_remains(data, page) is None else set()
        return frozenset(gone)

    def _untitled(self, scope: Scope, remains: PurgeRemains) -> list[str]:
        """The conversations whose title tells of what is purged, or may tell of it later."""
        transcripts = self._projections.transcripts
        names = {link.partition("#")[0] for link in scope.links} | set(scope.conversations)
        names.update(
            name
            for name, title in self._projections.catalog.turns.titles()
            if remains.named_in(title)
        )
        for path in transcripts.paths():
            if remains.named_in(transcripts.header(path).get("title", "")):
                names.add(transcripts.name_of(path))
        return sorted(names)


def _searched(words: Iterable[str], own: Collection[str]) -> frozenset[str]:
    """The words that are looked for in texts of any kind: numbers stand there for anything."""
    return frozenset(word for word in words if word not in own and not word.isdigit())
