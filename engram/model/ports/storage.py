"""Ports through which a vault is written and found in; what it knows is a `VaultView`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from engram.model.hit import Admit, Collection, Document, Found, Hints

if TYPE_CHECKING:
    from engram.model.change import Change, Event, Plan, Range, Transaction
    from engram.model.closing import OpenConversation, SessionOnRecord
    from engram.model.consolidation_run import ConsolidationRun
    from engram.model.instant import Instant
    from engram.model.memory import Memory
    from engram.model.phase import PhaseLine, PhasePage
    from engram.model.report import ConflictCopy, PurgePreview, Scope
    from engram.model.step import Page
    from engram.model.tier import MemoryTier
    from engram.model.turn import NextTurn, Turn, TurnEntry, Waiting


class Writer(Protocol):
    """Memories -> file changes, in the vault's own format."""

    def changes(
        self, born: Sequence[Memory], amended: Sequence[tuple[Memory, Memory]]
    ) -> list[Change]:
        """Files to create for new memories, headers to patch for `(before, after)` pairs."""
        ...

    def retitled(self, path: str, data: bytes) -> bytes:
        """The file of a memory with the title of its statement, where it has none of its own."""
        ...


class PageWriter(Protocol):
    """Boxes, entities and summaries -> file changes, in the vault's own format."""

    def pages(self, pairs: Sequence[tuple[Page | None, Page | None]]) -> list[Change]:
        """Files of pages, as `(before, after)`: to create, patch or remove."""
        ...


class Phases(Protocol):
    """The page that says when phases of stores began."""

    def read(self) -> PhasePage:
        """What it says now."""
        ...

    def with_line(self, line: PhaseLine) -> Change:
        """The change that begins a phase. Raises BadInput where there is no page to write to."""
        ...


class Committer(Protocol):
    """The store as the flows see it: one lock, one commit."""

    @property
    def last(self) -> int:
        """The number of the last transaction."""
        ...

    @property
    def tick(self) -> int:
        """The last tick that was used; the writer lock is held."""
        ...

    def item_of(self, identifier: str, events: Sequence[Event] = ()) -> str:
        """The item of a memory once a transaction with these events is committed, '' without one.

        The writer lock is held.
        """
        ...

    def lock(self, timeout: float | None = None) -> AbstractContextManager[None]:
        """Hold the writer lock (re-entrant in one process), recovering first what was left over.

        Raises Locked after `timeout` seconds; None: as long as any writer waits.
        """
        ...

    def commit(self, plan: Plan) -> Transaction:
        """Make a plan durable and apply it; raises Conflict when a `before` no longer holds."""
        ...


class TurnLog(Protocol):
    """The durable buffer of turns."""

    def append(
        self, turns: Sequence[tuple[Turn, str]], batch: str = "", tick: int = 0
    ) -> list[TurnEntry]:
        """Number and append `(turn, signal level)` pairs with one group fsync.

        `tick` is the last one that the vault has used.
        """
        ...

    def end(self) -> tuple[str, int, int]:
        """The last segment, its size in bytes and the last number."""
        ...

    def entries(self, after: int = 0) -> Iterator[TurnEntry]:
        """Every sound entry numbered above `after`, in order; purged turns are left out."""
        ...

    def purged(self) -> Iterator[tuple[int, str, str, int, int, int]]:
        """`(number, message, segment, offset, length, tick)` of every purged entry, in order."""
        ...

    def read(self, places: Iterable[tuple[str, int, int]]) -> Iterator[Turn]:
        """The turns at `(segment, offset, length)`, in the order asked for."""
        ...

    def rewrite(self, change: Callable[[Turn], Turn]) -> None:
        """Write turns as `change` makes them of what they were."""
        ...

    def count_damaged(self) -> int:
        """How many whole lines of the journal cannot be read."""
        ...

    def purge(self, messages: Iterable[str], change: Callable[[Turn], Turn]) -> int:
        """Take the words of these messages out of the journal, and `change` other turns.

        Returns how many lines were blanked.
        """
        ...


class TurnStore(Protocol):
    """Queries about captured turns."""

    def seen(self, turns: Sequence[Turn]) -> set[str]:
        """Digests of those turns that were captured before, those that were taken back too."""
        ...

    def taken_back(self, turns: Sequence[Turn]) -> set[str]:
        """Digests of those turns that an undo took back, and that were not captured again."""
        ...

    def count_taken_back(self, source: str) -> int:
        """How many turns of a source an undo took back, without those captured again."""
        ...

    def batches(self, kind: str) -> set[str]:
        """The names of all batches that begin like this, those that were taken back too."""
        ...

    def titles_taken_back(self, transcript: str) -> set[str]:
        """The titles that a conversation had when turns of it were taken back."""
        ...

    def knows_project(self, name: str) -> bool:
        """Whether anything was said in a project, or is remembered of it."""
        ...

    def hidden(self) -> set[str]:
        """The links of the turns that are forgotten, with a memory or without."""
        ...

    def pending_among(self, links: Sequence[str]) -> list[Range]:
        """The ranges of those of the turns behind links that are pending."""
        ...

    def untitled(self, turns: Sequence[Turn]) -> set[str]:
        """Transcripts of these turns whose title was purged: none is stored for them any more."""
        ...

    def add(self, entries: list[TurnEntry]) -> None:
        """Freshly journalled turns: now pending, and readable in their transcripts."""
        ...

    def waiting(self) -> list[Waiting]:
        """What is pending, by transcript, oldest first."""
        ...

    def pending(self, transcript: str, most: int = 0) -> tuple[list[Range], list[Turn], str]:
        """A transcript's pending number ranges, their turns in order, and their import, if any.

        Turns of several imports, or of an import and of live capture, come one batch at a time;
        with `most` only the first so many are looked at.
        """
        ...

    def next_pending(self, transcript: str, beside: Sequence[Range] = ()) -> NextTurn | None:
        """The first pending turn of a transcript, or the first outside some pending ranges."""
        ...

    def attempts(self, transcript: str) -> int:
        """How often what is pending in a transcript has failed."""
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

    def for_model(self, batch: str) -> bool:
        """Whether a person chose that a model is to read what an import brought."""
        ...

    def unchosen(self, transcripts: Sequence[str]) -> list[str]:
        """The pending imports of transcripts that the rules are to read."""
        ...

    def still_pending(self, ranges: Sequence[Range]) -> bool:
        """Whether no turn of these ranges was settled meanwhile."""
        ...


class Ages(Protocol):
    """How long memories have lived in ticks, and which belong to sessions (seed 002)."""

    def of_sessions(self) -> list[Memory]:
        """The live memories in session space, oldest first."""
        ...

    def ended(self, conversations: Iterable[str], reason: str) -> list[Memory]:
        """The memories of these sessions that expired for a reason, oldest first."""
        ...

    def live(self, spaces: Iterable[str]) -> list[Memory]:
        """The live memories of these spaces, oldest first."""
        ...

    def ticks(self, memory: Memory, *, renews: bool) -> int | None:
        """The age of a memory in ticks of its session, or of the vault; None before it has an item.

        With `renews` a confirmation began it anew.
        """
        ...

    def last_heard(self, memory: Memory) -> Instant:
        """When its conversation last went on, or the memory was written, confirmed or restored."""
        ...

    def last_turn(self, conversation: str) -> Instant:
        """When the last turn of a conversation was said; '' where none is known."""
        ...


class Conversations(Protocol):
    """Whole conversations, and their session records."""

    def gone_on(self, transcripts: Iterable[str] | None = None) -> list[OpenConversation]:
        """The conversations in which more was said since they were last put on record, by name."""
        ...

    def turns(self, transcript: str) -> list[Turn]:
        """All turns of a conversation that can be read, in order, without what is forgotten."""
        ...

    def on_record(self, transcript: str) -> SessionOnRecord:
        """The session record of a conversation."""
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


class EditedBatch(Protocol):
    """Files that people edited, as they were read."""

    def edits(self) -> tuple[Sequence[Change], Sequence[Event]]:
        """The versions seen, and an event for each memory or page: what was done by hand.

        A memory without an item in its store has store and kind in its event.
        """
        ...

    def at_hand(self) -> AbstractContextManager[None]:
        """While they are recorded: nobody need read them again."""
        ...

    def note(self) -> None:
        """Let the catalog know of files whose bytes or meaning are the same: these are no edits."""
        ...

    def take_up(self, *, owed: bool = False) -> None:
        """Let the catalog know of everything, without a transaction.

        `owed`: the next look is to find it again, for it has to be recorded yet.
        """
        ...


class FoundEdits(Protocol):
    """One look at the vault's files: what is not as the catalog has it."""

    @property
    def complete(self) -> bool:
        """Whether there was time to look at all of them."""
        ...

    def __len__(self) -> int:
        """How many files that are, without those of the batches that were read."""
        ...

    def next_batch(self) -> EditedBatch:
        """Read some of them."""
        ...


class HandEdits(Protocol):
    """What people and their editors do to a vault's files."""

    @property
    def catalog(self) -> object:
        """What the files are compared with; another object after it was made anew."""
        ...

    @property
    def behind(self) -> bool:
        """Whether a crash or another machine left something to take up; needs no lock."""
        ...

    def look(self, until: float = math.inf, folders: frozenset[str] | None = None) -> FoundEdits:
        """Look until that time of the monotonic clock, in these folders alone if they are given."""
        ...


class DerivedState(Protocol):
    """Catalog and views: what is computed from the files, turns and transactions."""

    @property
    def fills(self) -> int:
        """How often the catalog was made anew."""
        ...

    def rebuild(self) -> None:
        """Make the catalog anew."""
        ...

    def mend_views(self, *, due: bool = False) -> list[str]:
        """Write the views that differ from the vault, with `due` those that would come next."""
        ...

    def write_topics(self) -> bool:
        """Count the topics of the vault as it is; whether they had changed."""
        ...


class Index(Protocol):
    """The full-text index as the writers see it."""

    def prepare(self) -> None:
        """Load what `refresh` needs."""
        ...

    def refresh(self, patience: float | None = None) -> bool:
        """Bring it up to the catalog, waiting so many seconds for others; whether it is."""
        ...

    def show(self, links: Sequence[str]) -> None:
        """Make turns findable that only transcripts have."""
        ...

    def rebuild(self) -> None:
        """Make it anew."""
        ...


class ConsolidationHistory(Protocol):
    """What happened since the last consolidation, and what a person took back of them."""

    def last(self) -> int:
        """The number of the last consolidation that came to its end, 0 when there was none."""
        ...

    def unfinished(self) -> tuple[int, int]:
        """How many parts of the next consolidation are committed, and how many steps they have."""
        ...

    def extractions(self) -> int:
        """How many extractions have changed something since."""
        ...

    def changed(self, after: int | None = None) -> frozenset[str]:
        """What events since then, or after a transaction, were about."""
        ...

    def purged(self, after: int) -> bool:
        """Whether words were destroyed after a transaction."""
        ...

    def declined(self) -> frozenset[tuple[str, str, tuple[str, ...]]]:
        """`(task, action, subjects)` of the steps that the person took back."""
        ...


class TierLookup(Protocol):
    """The tiers of memories, computed from the catalog."""

    def of(self, identifiers: Iterable[str], now: Instant) -> Mapping[str, MemoryTier]:
        """The tier of each of these memories that there is."""
        ...


class RunRecords(Protocol):
    """The records of consolidations on this machine."""

    def put(self, run: ConsolidationRun) -> None:
        """Write the record of a run; old ones go. Raises StorageError."""
        ...

    def read(self, number: int) -> ConsolidationRun | None:
        """The record of a transaction; None where there is none."""
        ...

    def last(self, *, whole: bool = False) -> ConsolidationRun | None:
        """The newest record; with `whole` that of a run that left no part for later."""
        ...


class CopyMerger(Protocol):
    """Conflict copies of sync tools and git, looked for once; the writer lock is held."""

    def transcripts(self, *, dry_run: bool = False) -> list[ConflictCopy]:
        """Merge transcripts with their copies; a dry run writes nothing."""
        ...

    def plan(self) -> tuple[Plan, list[ConflictCopy]]:
        """What is to be done about all other copies, and what becomes of each."""
        ...


class Eraser(Protocol):
    """Takes the words of memories and turns out of the pages of others, or out of everything."""

    def unmentioned(self, memories: Sequence[Memory], pages: Iterable[str] = ()) -> list[Change]:
        """The pages of their entities, and plain pages, without these memories.

        Plain pages do not link to these `pages` either, which go or are called otherwise now.
        """
        ...

    def plan(self, scope: Scope) -> tuple[Plan, PurgePreview, Sequence[str]]:
        """What destroys the words of a scope, what that is, and the words seldom said elsewhere.

        Raises StorageError when a file of the journal cannot be searched.
        """
        ...
