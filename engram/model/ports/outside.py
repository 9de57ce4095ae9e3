"""Ports to the outside: clock, disk, change detection, foreign databases, transcript sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from engram.model.instant import Day, Instant
    from engram.model.turn import Turn


class Clock(Protocol):
    """The time. A write path reads no other clock."""

    def now(self) -> Instant:
        """The present as an Instant, whole seconds, UTC."""
        ...


class Sleeper(Protocol):
    """Waiting, which tests replace."""

    def sleep(self, seconds: float) -> None:
        """Return after so long."""
        ...


class Stopwatch(Protocol):
    """Durations, which tests make none."""

    def seconds(self) -> float:
        """Seconds since some moment, which only go on."""
        ...


class ChangeDetector(Protocol):
    """Tells without a scan of every file whether the content folders changed."""

    def begin(self) -> None:
        """A scan of all files begins."""
        ...

    def trust(self, catalog: object) -> None:
        """What was to be looked at was, and its result is in this catalog."""
        ...

    def changed(self, catalog: object) -> frozenset[str] | None:
        """The folders in which something happened since; None where that is not known."""
        ...

    def close(self) -> None:
        """Stop watching."""
        ...


class Disk(Protocol):
    """The only way to write a vault's files; paths are relative, POSIX form.

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
    """Counts of one parse; a source adds to it as it reads."""

    lines: int = 0
    unparsed_lines: int = 0
    #: line or message types that the source does not know, by name
    unknown: dict[str, int] = field(default_factory=dict)
    #: what was left out of a document, and of which: `(name, what)`
    notes: list[tuple[str, str]] = field(default_factory=list)


class ForeignRows(Protocol):
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


#: the entry of a reading's state with the time that was given to turns that carry none
GUESS = "guess"


@dataclass(slots=True)
class SourceReading:
    """One reading of one transcript, from a byte offset to the end of the last complete line.

    Passed to `Source.parse` with the offset to start at; the source moves `offset` (the byte after
    the last finished line) and `line` (lines before that byte) on as it yields turns, and may keep
    what it needs to resume in `state` (text by short keys: session, project, time). Words in it are
    never written: they are read again from the bytes before `offset`, so what is kept there has to
    follow from these bytes.
    A source whose files are rewritten as a whole (one document, an archive, a database) leaves
    `offset` at 0: it is asked for everything again, and message digests keep copies out.
    `name` is the file's stem, `path` where the file lies (a hint for names, empty for a stream),
    `database` opens a file that is one. Turns that carry no time get the one of `guess`: when the
    file was last `written` as it was first read, or else, of a stream, what `clock` says.
    """

    name: str
    clock: Clock
    offset: int = 0
    line: int = 0
    state: dict[str, str] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    path: PurePath = field(default_factory=PurePath)
    database: Callable[[], ForeignRows] | None = None
    written: Instant = ""

    def guess(self) -> Instant:
        """The time for what carries none; of a file it is kept, and told from times that stand."""
        if self.written and GUESS not in self.state:
            self.state[GUESS] = self.written
        return self.state.get(GUESS) or self.clock.now()


class Source(Protocol):
    """One kind of transcript. Tolerant: unknown content is counted, never raised."""

    #: as in `engram import NAME`
    name: str
    #: file name endings that `discover` and a folder import take, with the dot
    suffixes: tuple[str, ...]
    #: the day on which it was last compared with real files; empty where no program owns a format
    verified: Day
    #: whether a file may hold the messages of a conversation in another order than that of time
    in_any_order: bool

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The folders or files of this source on a machine, whether they exist or not."""
        ...

    def recognises(self, head: bytes) -> bool:
        """Whether the first bytes (up to 64 KiB) of a file look like this source."""
        ...

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """Turns from `reading.offset` on, in file order; `seq` is 0. Bounded memory."""
        ...


class Cursors(Protocol):
    """How far each transcript was read, as plain data by key."""

    def load(self) -> dict[str, dict[str, object]]:
        """Every cursor."""
        ...

    def save(self, cursors: Mapping[str, dict[str, object]]) -> None:
        """Replace them all, durably."""
        ...

    @property
    def recent(self) -> dict[str, object]:
        """What this process remembers of files it has read, by their keys: never written."""
        ...
