"""The protocols that flows and deciders are handed, so that they stay pure.

Time, disk, the vault's knowledge, the index and the extractors come in through these; `vault.py`
is the only place that knows what stands behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Some
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import BinaryIO, Protocol, runtime_checkable

from engram.model.asking import Context, Reply, Request
from engram.model.box import Box
from engram.model.candidate import Candidate
from engram.model.change import Change, Plan, Range, Transaction
from engram.model.entity import Entity, Named
from engram.model.hit import Admit, Collection, Document, Found, Hints
from engram.model.instant import Day, Instant
from engram.model.memory import Memory
from engram.model.step import Access, Opinion, Page
from engram.model.turn import Entry, Turn, Waiting


class Clock(Protocol):
    """The time. Nothing in a write path asks anyone else."""

    def now(self) -> Instant:
        """The present as an Instant, whole seconds, UTC."""
        ...


class Sleeper(Protocol):
    """Waiting, which tests do not want to do."""

    def sleep(self, seconds: float) -> None:
        """Return after so long."""
        ...


class Disk(Protocol):
    """The only door through which a vault's files are written; paths are relative, POSIX form.

    Every method is durable or says so; a path that leaves the root or passes through a symlink
    raises BadInput; a full or read-only disk raises StorageError.
    """

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, or None when there is none."""
        ...

    def pieces(self, path: str, places: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes at `(offset, length)` of a file; empty ones when there is none."""
        ...

    def size(self, path: str) -> int | None:
        """The length of a file in bytes, or None when there is none."""
        ...

    def put(self, path: str, data: bytes) -> None:
        """Replace or create: temporary file, fsync, rename. The folder is synced by `sync`."""
        ...

    def create(self, path: str, data: bytes) -> None:
        """Create with fsync; raises FileExistsError instead of overwriting."""
        ...

    def rename(self, path: str, to: str) -> None:
        """Rename within the vault, creating the target's folder; replaces an existing target."""
        ...

    def append(self, path: str, data: bytes, *, sync: bool = True) -> None:
        """Append in one write (creating the file), then fdatasync when `sync`."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file; nothing happens when it is gone already."""
        ...

    def sync(self, folders: Iterable[str]) -> None:
        """fsync each folder once, so that creations, renames and removals in it are durable."""
        ...

    def names(self, folder: str) -> list[str]:
        """The sorted names in a folder of the vault; empty when it does not exist."""
        ...


@dataclass(slots=True)
class Tally:
    """What one parse saw, counted; a source adds to it as it reads."""

    lines: int = 0
    unparsed_lines: int = 0
    #: line or message types that the source does not know, by name
    unknown: dict[str, int] = field(default_factory=dict)


class Database(Protocol):
    """A SQLite file of another program, read where it lies: never written, never locked for long.

    Raises BadInput for a file that is no database, or one that is damaged or busy.
    """

    def tables(self) -> frozenset[str]:
        """The names of its tables."""
        ...

    def rows(
        self, query: str, parameters: Sequence[str | int] = ()
    ) -> Iterator[tuple[object, ...]]:
        """The rows of a SELECT, one by one; values of more bytes than a line may have are NULL."""
        ...


@dataclass(slots=True)
class Reading:
    """One reading of one transcript, from a byte offset to the end of the last complete line.

    Handed to `Source.parse` with where to start; the source moves `offset` (the byte after the
    last line it is done with) and `line` (lines before that byte) on as it yields turns, and may
    keep what it must know to resume in `state` (text by short keys: session, project, time).
    A source whose files are rewritten as a whole (one document, an archive, a database) leaves
    `offset` at 0: it is asked for everything again, and message digests keep copies out.
    `name` is the file's stem, `path` where the file lies (a hint for names, empty for a stream),
    `clock` gives the time for turns that carry none, `database` opens a file that is one.
    """

    name: str
    clock: Clock
    offset: int = 0
    line: int = 0
    state: dict[str, str] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    path: PurePath = field(default_factory=PurePath)
    database: Callable[[], Database] | None = None


class Source(Protocol):
    """One kind of transcript. Tolerant: what it does not understand it counts, never raises."""

    #: as in `engram import NAME`
    name: str
    #: file name endings that `discover` and a folder import take, with the dot
    suffixes: tuple[str, ...]
    #: the day on which it was last compared with real files; empty where no program owns a format
    verified: Day

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The folders or files of this source on a machine, whether they exist or not."""
        ...

    def recognises(self, head: bytes) -> bool:
        """Whether the first bytes (up to 64 KiB) of a file look like this source."""
        ...

    def parse(self, stream: BinaryIO, reading: Reading) -> Iterator[Turn]:
        """Turns from `reading.offset` on, in file order; `seq` is 0. Bounded memory."""
        ...


class Extractor(Protocol):
    """Turns of one session -> candidates. Raises EngramError when it could not do its work."""

    #: whether its work costs money or minutes: then each portion is committed by itself
    costly: bool

    def portion(self, turns: Sequence[Turn], attempts: int) -> int:
        """How many of the first turns it takes at once (at least one), after failed attempts."""
        ...

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        """Candidates with receipts that point into these turns."""
        ...


@runtime_checkable
class Asker(Protocol):
    """An Extractor that asks a model, and can say what it would ask."""

    def request(self, turns: Sequence[Turn]) -> Request:
        """The question about these turns; nothing is asked."""
        ...


class Model(Protocol):
    """A model, whoever it is. Every call is budgeted, redacted and written to the ledger."""

    def ask(self, request: Request) -> Reply:
        """The JSON answer. Raises ModelError or BudgetExceeded; nothing else."""
        ...


class Surroundings(Protocol):
    """What the vault knows around some turns."""

    def near(self, turns: Sequence[Turn]) -> Context:
        """The nearest memories, known names, and what was said just before."""
        ...


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


class Judge(Protocol):
    """Who says how two memories of one scope stand to each other (admit's engine, design 3)."""

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        """The opinion about two live memories; never raises for want of a model."""
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

    def opening(self, session: str) -> str:
        """What the user said first in a conversation; empty where that is not known."""
        ...


class Weaver(Protocol):
    """Who makes boxes of memories, and threads of boxes (weave's engine, design 3)."""

    def line(self, memory: Memory) -> str:
        """How a box shows a memory."""
        ...

    def seal(
        self,
        contents: Contents,
        now: Instant,
        reason: str = "",
        *,
        born: Sequence[Memory] | None = None,
        waiting: Some[str] = (),
    ) -> list[Box]:
        """New boxes of all that no box holds and that has ended, or the rest too for a reason.

        With `born`, memories that the vault is about to have, only their conversations are looked
        at; silence does not end those in `waiting`, of which more is to be extracted.
        """
        ...

    def thread(self, boxes: Iterable[Box]) -> list[tuple[Box, Box]]:
        """`(before, after)` of the boxes that do not say who stands beside them in their trace."""
        ...


class Biographer(Protocol):
    """Who says which entities are one, and what their pages say (weave's engine, design 3)."""

    def page(
        self, identifier: str, memories: Iterable[Memory], former: Entity | None,
        aliases: Sequence[str], lead: Callable[[str], str], said: str = "",
    ) -> Entity:  # fmt: skip
        """The page of an entity as its memories make it.

        `aliases` lead here from now on, `lead` says where an id leads, `said` is a synthesis by a
        model.
        """
        ...

    def fragments(self, entities: Sequence[Named], said: Iterable[str]) -> list[tuple[str, ...]]:
        """Groups of ids that are one entity by their names, or by what is said; who stays first."""
        ...

    def likely(self, ids: Iterable[str], wanted: Iterable[str], said: Iterable[str]) -> set[str]:
        """Of many ids those that could be one with a wanted one, and the wanted ones."""
        ...


class PageWriter(Protocol):
    """Boxes and entities -> file changes, in the vault's own format."""

    def pages(self, pairs: Sequence[tuple[Page | None, Page | None]]) -> list[Change]:
        """Files of boxes and entities, as `(before, after)`: to create, patch or remove."""
        ...


class Writer(Protocol):
    """Memories -> file changes, in the vault's own format."""

    def changes(
        self, born: Sequence[Memory], amended: Sequence[tuple[Memory, Memory]]
    ) -> list[Change]:
        """Files to create for new memories, headers to patch for `(before, after)` pairs."""
        ...


class Ledger(Protocol):
    """The store as the flows see it: one lock, one commit."""

    def lock(self) -> AbstractContextManager[None]:
        """Hold the writer lock (re-entrant in one process), recovering first what was left over."""
        ...

    def commit(self, plan: Plan) -> Transaction:
        """Make a plan durable and apply it; raises Conflict when a `before` no longer holds."""
        ...


class Journal(Protocol):
    """The durable buffer of turns."""

    def append(self, turns: Sequence[tuple[Turn, str]], batch: str = "") -> list[Entry]:
        """Number and append `(turn, signal level)` pairs with one group fsync."""
        ...

    def end(self) -> tuple[str, int, int]:
        """The last segment, its size in bytes and the last number."""
        ...

    def entries(self, after: int = 0) -> Iterator[Entry]:
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


class TurnBook(Protocol):
    """What the vault knows of captured turns."""

    def seen(self, turns: Sequence[Turn]) -> set[str]:
        """Digests of those turns that were captured before and not taken back."""
        ...

    def add(self, entries: list[Entry]) -> None:
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

    def still_pending(self, ranges: Sequence[Range]) -> bool:
        """Whether nothing of these ranges was settled meanwhile."""
        ...


class Finder(Protocol):
    """The full-text index. Disposable: anything wrong with it is mended by `rebuild`."""

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


class Cursors(Protocol):
    """How far each transcript was read, as plain data by key."""

    def load(self) -> dict[str, dict[str, object]]:
        """Every cursor."""
        ...

    def save(self, cursors: Mapping[str, dict[str, object]]) -> None:
        """Replace them all, durably."""
        ...
