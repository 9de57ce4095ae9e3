"""Ports through which a vault is written and found in; what it knows is a `VaultView`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from engram.model.change import Change, Plan, Range, Transaction
from engram.model.hit import Admit, Collection, Document, Found, Hints
from engram.model.memory import Memory
from engram.model.step import Page
from engram.model.turn import Turn, TurnEntry, Waiting


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

    def record_shown(self, turns: Sequence[Turn]) -> None:
        """Record turns that these transcripts show and another machine captured."""
        ...

    def record_transcripts(self, also: Iterable[str] = ()) -> list[str]:
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
