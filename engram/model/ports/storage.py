"""Ports to the vault: what it knows, what it holds, and how it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from engram.model.box import Box
from engram.model.candidate import Candidate
from engram.model.change import Change, Plan, Range, Transaction
from engram.model.entity import Entity
from engram.model.hit import Admit, Collection, Document, Found, Hints
from engram.model.instant import Day, Instant
from engram.model.memory import Memory
from engram.model.step import Access, Page
from engram.model.turn import Turn, TurnEntry, Waiting


class Known(Protocol):
    """What the vault knows, read from the catalog."""

    def memory(self, identifier: str) -> Memory | None:
        """The memory of that id, whatever its status."""
        ...

    def owners(self, content_hash: str) -> list[Memory]:
        """Every memory, of any status, whose scoped content hash this is; newest last."""
        ...

    def holders(self, slot: str, space: str, project: str) -> list[Memory]:
        """Live memories whose header key is this slot, in that space and project; newest last."""
        ...

    def around(self, candidate: Candidate) -> Sequence[Memory]:
        """A few live memories of a candidate's space and project that share its rarest words."""
        ...

    def taken(self, names: Iterable[str]) -> set[str]:
        """Those of the given ids or file stems that exist already."""
        ...


class Contents(Protocol):
    """The whole vault, as consolidation asks about it; sequences are oldest first."""

    def memory(self, identifier: str) -> Memory | None:
        """The memory of that id, whatever its status."""
        ...

    def live(self) -> Sequence[Memory]:
        """Every active or needs-review memory."""
        ...

    def due(self, day: Day) -> Sequence[Memory]:
        """Live memories whose `expires` is that day or before."""
        ...

    def aged(self, before: Instant, importance: float) -> Sequence[Memory]:
        """Active memories created at or before a time, of an importance below that."""
        ...

    def overdue(self, day: Day) -> Sequence[Memory]:
        """Active commitments whose header `due` is a day before that one."""
        ...

    def holders(self, slot: str, space: str, project: str) -> Sequence[Memory]:
        """Live memories whose header key is this slot, in that space and project."""
        ...

    def terms(self, text: str) -> frozenset[str]:
        """The words (stems) that a text is found by; words that tell nothing are left out."""
        ...

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """How many live memories hold each of these terms; a term that none holds is absent."""
        ...

    def holding(self, terms: Iterable[str]) -> Sequence[str]:
        """Ids of live memories that hold at least one of these terms (text, title, quote, tags)."""
        ...

    def accesses(self, identifiers: Iterable[str]) -> Mapping[str, Access]:
        """How often these memories were asked for; those that never were are absent."""
        ...

    def unboxed(self) -> Sequence[Memory]:
        """Memories with a source that no box holds, but those that the person forgot."""
        ...

    def boxes(self, since: Instant = "", until: Instant = "") -> Sequence[Box]:
        """Sealed boxes, of those whose last memory is not before `since` nor after `until`."""
        ...

    def box(self, identifier: str) -> Box | None:
        """The sealed box of that id."""
        ...

    def box_of(self, memory: str) -> Box | None:
        """The sealed box that holds a memory."""
        ...

    def entities(self) -> Sequence[Entity]:
        """Every entity that has a file, those that were merged too, by id."""
        ...

    def entity(self, identifier: str) -> Entity | None:
        """The entity of that id."""
        ...

    def mentioned(self) -> Mapping[str, int]:
        """Entity names (`tool-postgres`) that memories link to, and how many live ones do."""
        ...

    def about(self, entity: str) -> Sequence[Memory]:
        """Memories of any status that link to this entity name."""
        ...

    def page(self, path: str) -> str | None:
        """The text of a plain page of the vault (`profile.md`), None when there is none."""
        ...

    def opening(self, session: str, without: Iterable[str] = ()) -> str:
        """What the user said first in a conversation; empty where that is hidden or not known.

        `without`: links of turns (`transcript#^block`) that are about to be hidden.
        """
        ...


class Writer(Protocol):
    """Memories -> file changes, in the vault's own format."""

    def changes(
        self, born: Sequence[Memory], amended: Sequence[tuple[Memory, Memory]]
    ) -> list[Change]:
        """Files to create for new memories, headers to patch for `(before, after)` pairs."""
        ...


class PageWriter(Protocol):
    """Boxes and entities -> file changes, in the vault's own format."""

    def pages(self, pairs: Sequence[tuple[Page | None, Page | None]]) -> list[Change]:
        """Files of boxes and entities, as `(before, after)`: to create, patch or remove."""
        ...


class Committer(Protocol):
    """The store as the flows see it: one lock, one commit."""

    def lock(self) -> AbstractContextManager[None]:
        """Hold the writer lock (re-entrant in one process), recovering first what was left over."""
        ...

    def commit(self, plan: Plan) -> Transaction:
        """Make a plan durable and apply it; raises Conflict when a `before` no longer holds."""
        ...


class TurnLog(Protocol):
    """The durable buffer of turns."""

    def append(self, turns: Sequence[tuple[Turn, str]], batch: str = "") -> list[TurnEntry]:
        """Number and append `(turn, signal level)` pairs with one group fsync."""
        ...

    def end(self) -> tuple[str, int, int]:
        """The last segment, its size in bytes and the last number."""
        ...

    def entries(self, after: int = 0) -> Iterator[TurnEntry]:
        """Every sound entry numbered above `after`, in order; purged turns are left out."""
        ...

    def read(self, places: Iterable[tuple[str, int, int]]) -> Iterator[Turn]:
        """The turns at `(segment, offset, length)`, in the order asked for."""
        ...

    def count_damaged(self) -> int:
        """How many whole lines of the journal cannot be read."""
        ...

    def purge(self, messages: Iterable[str]) -> int:
        """Take the words of these messages out of the journal; returns how many."""
        ...


class TurnStore(Protocol):
    """Queries about captured turns."""

    def seen(self, turns: Sequence[Turn]) -> set[str]:
        """Digests of those turns that were captured before and not taken back."""
        ...

    def add(self, entries: list[TurnEntry]) -> None:
        """Freshly journalled turns: now pending, and readable in their transcripts."""
        ...

    def waiting(self) -> list[Waiting]:
        """What is pending, by transcript, oldest first."""
        ...

    def pending(self, transcript: str) -> tuple[list[Range], list[Turn], str]:
        """A transcript's pending number ranges, their turns in order, and their import, if any.

        Turns of several imports, or of an import and of live capture, come one batch at a time.
        """
        ...

    def take_up_shown(self, turns: Sequence[Turn]) -> None:
        """Record turns that these transcripts show and another machine captured."""
        ...

    def take_up_transcripts(self, also: Iterable[str] = ()) -> list[str]:
        """Record transcripts that came as a whole, and some paths; the links of the new turns."""
        ...

    def settled_elsewhere(self, transcript: str) -> list[Range]:
        """The pending ranges of a transcript that another machine has settled."""
        ...

    def still_pending(self, ranges: Sequence[Range]) -> bool:
        """Whether no turn of these ranges was settled meanwhile."""
        ...


class Finder(Protocol):
    """The full-text index. Disposable: anything wrong with it is repaired by `rebuild`."""

    def update(
        self, documents: Iterable[Document], removed: Iterable[tuple[Collection, str]]
    ) -> None:
        """Add or replace documents and remove keys, in one commit."""
        ...

    def find(
        self, query: str, collection: Collection, limit: int, hints: Hints = Hints(),
        admit: Admit | None = None,
    ) -> list[Found]:  # fmt: skip
        """The best documents for the words of a query, best first, of those that `admit` lets."""
        ...

    def rebuild(self, documents: Iterable[Document]) -> None:
        """Build a new generation from all documents and swap it in."""
        ...
