"""Incremental reading of transcript files: chunks of clean turns, each with a cursor to resume at.

A cursor says how far a file was read. It holds no path and no inode, so that a vault has the same
bytes on two machines and a moved folder is not read twice. What is written of it are numbers,
times, flags and digests, and never a word of the file: titles, projects and the like, which a
source must know to read on, are found again by reading what stands before the offset. Its key is a
digest of the source, the file's name and its first line; beside the offset stands a digest of the
bytes before it:

| the file | then |
|---|---|
| is unchanged | there is nothing to do |
| has grown | it is read from the offset |
| was truncated or rewritten | it is read from the start: message digests keep copies out |
| was replaced (another first line) | it has another key, and is read from the start |
| is rewritten as a whole (a document, a database) | its source stays at 0 and keeps state only |

Only regular files are read, opened without blocking; anything else is refused with BadInput.
Private parts, turns off the record and turns in excluded folders are left out here
(`engram.capture.clean`), because whether an answer belongs to a question that was left out must be
known from one reading to the next.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from engram.capture.clean import kept, readable
from engram.capture.note_folders import NOTES, NoteSieve
from engram.model.errors import BadInput
from engram.model.instant import Instant, instant_of
from engram.model.intake import Removed
from engram.model.ports import Clock, ForeignRows, Source, SourceReading, Tally
from engram.model.ports.outside import GUESS
from engram.model.turn import Turn

#: turns, and characters of text, after which a chunk is yielded to be made durable
CHUNK_TURNS = 500
CHUNK_CHARACTERS = 4_000_000
_FIRST_LINE = 4096
_HEAD = 65_536
_TAIL = 256
_SQLITE = b"SQLite format 3\0"
#: whether a working folder, or a project, is excluded
Outside = Callable[[str, str], bool]
#: names of copies that sync tools and editors leave beside a file
_COPIES = re.compile(
    r"\.tmp|~\Z|\.sync-conflict-|\(.*conflicted copy.*\)|\.sw[a-p]\Z", re.IGNORECASE
)


#: Entries of a state that may be written: their values are times, numbers, flags and digests. All
#: others are words, and are read again.
_WRITTEN = re.compile(
    r"(?:answer|copy|delegated|exact|form|guess|led|off|own|part|role|since|speakers|start|time|torn"
    r"|untitled)(?: [0-9a-f]{16})?"
)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Position in one file: `line` lines before byte `offset`, and the source's state.

    `key` names the file, `tail` is a digest of the bytes just before the offset (16 hex digits
    each). `state` is text by short names; it is `whole` unless words of it were left behind when
    the cursor was written.
    """

    key: str
    offset: int = 0
    line: int = 0
    tail: str = ""
    state: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True

    def plain(self) -> dict[str, object]:
        """The cursor as a JSON object, without its key; the same cursor gives the same bytes."""
        written = {key: self.state[key] for key in sorted(self.state) if _WRITTEN.fullmatch(key)}
        return {
            "offset": self.offset,
            "line": self.line,
            "tail": self.tail,
            "state": written,
            "whole": self.whole and len(written) == len(self.state),
        }


def cursor_of(key: str, plain: object) -> Cursor | None:
    """The cursor of a JSON object; None for an invalid one, so that its file is read again."""
    if not isinstance(plain, dict):
        return None
    offset, line, tail = plain.get("offset"), plain.get("line"), plain.get("tail")
    state = plain.get("state")
    if not (type(offset) is int and type(line) is int and isinstance(tail, str)):
        return None
    if offset < 0 or line < 0 or not isinstance(state, dict):
        return None
    if not all(isinstance(text, str) for pair in state.items() for text in pair):
        return None
    written = {name: text for name, text in state.items() if _WRITTEN.fullmatch(name)}
    return Cursor(key, offset, line, tail, written, plain.get("whole") is True)


def read_file(
    path: Path,
    source: Source,
    cursors: Mapping[str, Cursor],
    clock: Clock,
    *,
    tally: Tally | None = None,
    removed: Removed | None = None,
    databases: Callable[[Path], ForeignRows] | None = None,
    outside: Outside = lambda folder, project: False,
) -> Iterator[tuple[list[Turn], Cursor]]:
    """The unread turns of a file: chunks of up to 500 turns with the cursor after each.

    A cursor may be saved when the turns that came with it, and before it, are durable. A chunk
    without turns only moves the cursor. `tally` and `removed` are added to as it reads,
    `databases` opens a file that is one, `outside` says whether a working folder and a project are
    excluded. Raises BadInput for anything but a regular file that can be read.
    """
    _opened(path).close()
    reading = _reading(path, clock, Tally() if tally is None else tally, databases)
    chosen = Removed() if removed is None else removed
    return _chunks(path, source, cursors, reading, chosen, outside)


def read_whole(
    path: Path, source: Source, clock: Clock, databases: Callable[[Path], ForeignRows]
) -> tuple[list[Turn], SourceReading]:
    """All turns of a file with nothing left out, and how far it could be read."""
    reading = _reading(path, clock, Tally(), databases)
    with _opened(path) as stream:
        try:
            return list(_marked(source.parse(stream, reading), reading.state)), reading
        except OSError as error:
            raise _refused(path, error) from error


def _reading(
    path: Path, clock: Clock, tally: Tally, databases: Callable[[Path], ForeignRows] | None
) -> SourceReading:
    name = readable(unicodedata.normalize("NFC", path.stem))
    reading = SourceReading(name, clock, tally=tally, path=path, written=_written(path, clock))
    if databases is not None:
        reading.database = partial(databases, path)
    return reading


def _written(path: Path, clock: Clock) -> Instant:
    """When a file was last written; now for what is no time, or one to come."""
    try:
        return min(instant_of(max(1, int(path.stat().st_mtime))), clock.now())
    except (OSError, OverflowError, ValueError):
        return clock.now()


def _marked(turns: Iterable[Turn], state: Mapping[str, str]) -> Iterator[Turn]:
    """The turns, those marked whose time was only guessed."""
    for turn in turns:
        yield replace(turn, guessed=True) if turn.time == state.get(GUESS) else turn


def _chunks(
    path: Path,
    source: Source,
    cursors: Mapping[str, Cursor],
    reading: SourceReading,
    removed: Removed,
    outside: Outside,
) -> Iterator[tuple[list[Turn], Cursor]]:
    with _opened(path) as stream:
        key = _key(source.name, path.name, stream)
        last = _resumed(cursors.get(key), key, stream)
        if last.offset and not last.whole and _end(stream) > last.offset:
            try:
                last = _with_words(last, stream, source, reading, outside)
            except OSError as error:
                raise _refused(path, error) from error
        reading.offset, reading.line, reading.state = last.offset, last.line, dict(last.state)
        found = _marked(source.parse(stream, reading), reading.state)
        turns = kept(found, reading.state, removed, outside)
        while chunk := _chunk(turns, path):
            last = _cursor(key, reading, stream, last)
            yield chunk, last
        end = _cursor(key, reading, stream, last)
        if end != last:
            yield [], end


def _with_words(
    cursor: Cursor, stream: BinaryIO, source: Source, reading: SourceReading, outside: Outside
) -> Cursor:
    """The cursor with the words of its state, from the part of the file that was read already."""
    before = io.BufferedReader(_Beginning(stream, cursor.offset), _HEAD)
    past = replace(reading, offset=0, line=0, state={}, tally=Tally())
    for _ in kept(source.parse(before, past), past.state, Removed(), outside):
        pass
    words = {key: text for key, text in past.state.items() if not _WRITTEN.fullmatch(key)}
    return replace(cursor, state={**words, **cursor.state}, whole=True)


class _Beginning(io.RawIOBase):
    """The first `size` bytes of a stream, as a stream of their own."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._size = size
        stream.seek(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        left = max(0, self._size - self._stream.tell())
        data = self._stream.read(min(len(buffer), left))
        buffer[: len(data)] = data
        return len(data)


def _chunk(turns: Iterator[Turn], path: Path) -> list[Turn]:
    """The next turns of a file, up to the size of a chunk; none at its end."""
    chunk: list[Turn] = []
    size = 0
    try:
        for turn in turns:
            chunk.append(turn)
            size += len(turn.text)
            if len(chunk) == CHUNK_TURNS or size >= CHUNK_CHARACTERS:
                break
    except OSError as error:
        raise _refused(path, error) from error
    return chunk


def walk(path: Path, source: Source) -> list[Path]:
    """The files of a source below a folder, sorted; a path that is no folder is its own list.

    Hidden names, temporary files and conflict copies are passed over, symlinks are not followed.
    A folder that cannot be listed stands in the list itself, so that reading it reports it.
    Of a source that reads any text, what is nobody's notes is left out (`note_folders`). Raises
    BadInput when there is nothing at `path`.
    """
    return walk_noting(path, source)[0]


def walk_noting(path: Path, source: Source) -> tuple[list[Path], NoteSieve | None]:
    """The same, with what was left out; None where all files of the source are read."""
    try:
        if not stat.S_ISDIR(os.stat(path).st_mode):
            return [path], None
    except (OSError, ValueError) as error:
        raise _refused(path, error) from error
    sieve = NoteSieve(path) if source.name in NOTES else None
    closed: list[Path] = []
    found: list[Path] = []

    def note(error: OSError) -> None:
        closed.append(Path(error.filename))

    for folder, folders, names in os.walk(path, onerror=note):
        if sieve is not None:
            sieve.note("hidden", (Path(folder, name) for name in folders if _is_hidden(name)))
        folders[:] = [name for name in folders if not _is_hidden(name)]
        if sieve is not None:
            names = [name for name in names if belongs(name, source)]
            sieve.prune(folder, folders, names)
        found += [
            file
            for name in names
            if belongs(name, source)
            if _is_regular(file := Path(folder, name))
        ]
    return sorted(found + closed, key=lambda file: file.parts), sieve


def head_of(path: Path) -> bytes:
    """The first 64 KiB of a file, to recognise its source. Raises BadInput as reading does."""
    with _opened(path) as stream:
        return stream.read(_HEAD)


def size_of(path: Path) -> int:
    """The bytes of a file; 0 for one that went away."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def belongs(name: str, source: Source) -> bool:
    """Whether a file of that name may be one of the source's.

    Hidden files are none, but where the source itself hides them (`.aider.chat.history.md`).
    """
    low = name.lower()
    return low.endswith(source.suffixes) and (low in source.suffixes or not _is_hidden(name))


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or _COPIES.search(name) is not None


def _is_regular(path: Path) -> bool:
    """Whether it is a regular file itself, and still there."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def _opened(path: Path) -> BinaryIO:
    """The file for reading; a pipe, a device or a folder is refused before anything is read."""
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY", "O_NOINHERIT"):
        flags |= getattr(os, name, 0)
    try:
        handle = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise _refused(path, error) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise BadInput(
            f"not a file: {readable(str(path))}",
            hint="give a transcript file, or a folder of them to import",
        )
    return open(handle, "rb")


def _refused(path: Path, error: OSError | ValueError) -> BadInput:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return BadInput(f"cannot read {readable(str(path))}: {why}")


def _key(source: str, name: str, stream: BinaryIO) -> str:
    """The name of a file among the cursors, from its source, its name and its first line."""
    stream.seek(0)
    first = stream.readline(_FIRST_LINE).rstrip(b"\n")
    if first.startswith(_SQLITE):
        first = _SQLITE  # behind it stand counters that every write changes
    digest = hashlib.sha256()
    for part in (source, unicodedata.normalize("NFC", name)):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\x1f")
    digest.update(hashlib.sha256(first).digest())
    return digest.hexdigest()[:16]


def _resumed(cursor: Cursor | None, key: str, stream: BinaryIO) -> Cursor:
    """The given cursor if the bytes before it are unchanged, else one at the start."""
    start = Cursor(key)
    if cursor is None or cursor.offset > _end(stream):
        return start
    return cursor if _tail(stream, cursor.offset) == cursor.tail else start


def _end(stream: BinaryIO) -> int:
    return stream.seek(0, os.SEEK_END)


def _cursor(key: str, reading: SourceReading, stream: BinaryIO, last: Cursor) -> Cursor:
    """The cursor at a reading's position; the stream's position is unchanged."""
    here = stream.tell()
    tail = _tail(stream, reading.offset)
    stream.seek(here)
    whole = last.whole or not reading.offset
    return Cursor(key, reading.offset, reading.line, tail, dict(reading.state), whole)


def _tail(stream: BinaryIO, offset: int) -> str:
    """A digest of the up to 256 bytes before an offset; empty at the start of a file."""
    if not offset:
        return ""
    size = min(offset, _TAIL)
    stream.seek(offset - size)
    return hashlib.sha256(stream.read(size)).hexdigest()[:16]
