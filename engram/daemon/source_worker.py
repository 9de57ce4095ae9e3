"""Worker of one source: new content in the folders of an agent -> turns in the vault.

Events and scans only say which files to look at; the stat decides whether one is read, and the
cursor (by content) from where. Guarantees: an unread file stays on the list until the vault has it;
a file that cannot be parsed does not hold up the others; folders that come later or go away are
noticed. What was written before a source was first watched is history: it is imported, and no model
reads it unasked (design promise 5).
"""

from __future__ import annotations

import heapq
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from engram.capture.follow import belongs, walk
from engram.daemon.state.last_runs import LastRuns
from engram.daemon.watch import FolderWatch
from engram.model.errors import BadInput, EngramError, StorageError
from engram.model.instant import Instant, instant_of
from engram.model.ports import Clock, Source
from engram.vault import Vault

#: files, and bytes of them, that are read under one lock
_FILES, _BYTES = 200, 32_000_000
#: a file that failed so often is skipped until it changes, or until a full scan
_ATTEMPTS = 3
#: suffix of the file that SQLite writes first, beside its database
_WAL = "-wal"
_TABLE = "sources"


class FileStamp(NamedTuple):
    """Size and time of a file, and of the log beside a database."""

    size: int
    written: int
    logged: int
    logged_at: int


@dataclass(frozen=True, slots=True)
class SourceResult:
    """Counts of one `take`; `more` when there are more files on the list."""

    files: int = 0
    turns: int = 0
    memories: int = 0
    problems: int = 0
    more: bool = False


class SourceWorker:
    """One source of a user, captured into one vault."""

    def __init__(
        self, source: Source, places: Sequence[Path], notes: LastRuns, clock: Clock
    ) -> None:
        self.name = source.name
        self._source = source
        self._places = places
        self._notes = notes
        self._clock = clock
        self._began = clock.now()
        self._here: dict[Path, Path] = {}
        self._unread: dict[Path, Instant] = {}
        self._read: dict[Path, FileStamp] = {}
        self._failures: dict[Path, int] = {}
        self._at_once = _FILES
        self._whole = True

    # -- the list of files ---------------------------------------------------------------------

    def look(self, watch: FolderWatch) -> tuple[bool, list[StorageError]]:
        """Watch the folders that exist, stop watching those that do not.

        Returns whether any appeared, and the errors of folders that cannot be watched: they are
        scanned all the same.
        """
        came, unwatched = False, list[StorageError]()
        for place in self._places:
            real = Path(os.path.realpath(place))
            folder = real if real.is_dir() else real.parent if real.is_file() else None
            known = self._here.get(place)
            if known is not None and (known != folder or not watch.holds(known)):
                watch.remove(known)
                del self._here[place]
            if folder is not None and place not in self._here:
                self._here[place] = folder
                came = self._whole = True
                try:
                    watch.add(folder, recursive=folder == real)
                except StorageError as error:
                    unwatched.append(error)
        return came, unwatched

    def unwatch(self, watch: FolderWatch) -> None:
        """Stop watching all folders."""
        for folder in self._here.values():
            watch.remove(folder)
        self._here = {}

    def note(self, path: Path) -> bool:
        """A path may have changed; returns whether it belongs to this source."""
        path = path.with_name(path.name.removesuffix(_WAL))
        for place in self._here:
            real = Path(os.path.realpath(place))
            if path == real and not real.is_dir():
                self._unread.setdefault(path, self._clock.now())
                return True
            if path.is_relative_to(real) and not _is_hidden(path.relative_to(real)):
                if path.is_dir():
                    self._whole = True
                    return True
                if belongs(path.name, self._source):
                    self._unread.setdefault(path, self._clock.now())
                    return True
        return False

    def rescan(self) -> None:
        """Put every file on the list at the next `take`."""
        self._whole = True
        self._failures = {}

    @property
    def unread_since(self) -> Instant:
        """Since when the oldest unread change waits; empty for none."""
        return min(self._unread.values(), default="")

    def __len__(self) -> int:
        return len(self._unread)

    # -- reading -------------------------------------------------------------------------------

    def take(self, vault: Vault) -> SourceResult:
        """Read the next files of the list. Raises what the vault raises; they stay on the list."""
        if self._whole:
            self._list()
        stamps = self._next()
        if stamps:
            fed = self._feed(vault, stamps)
        else:
            fed = SourceResult()
        if not self._unread and not self._notes.get(_TABLE, self.name):
            # from now on new content is live, no history
            self._notes.put(_TABLE, self.name, {"watched_since": self._began})
        return fed

    def _feed(self, vault: Vault, stamps: dict[Path, FileStamp]) -> SourceResult:
        live = self._is_live(next(iter(stamps.values())))
        try:
            report, outcome = vault.import_files(
                self.name, *stamps, live=live, again=False, index=False
            )
        except (EngramError, OSError):
            raise  # an error of the vault or its disk, not of the file
        except Exception:
            self._find_failing(list(stamps))
            raise
        self._at_once = _FILES
        for path, stamp in stamps.items():
            self._read[path] = stamp
            self._failures.pop(path, None)
            self._unread.pop(path, None)
        problems = len(report.problems)
        more = bool(self._unread)
        return SourceResult(report.files, report.new_turns, outcome.memories, problems, more)

    def _find_failing(self, paths: list[Path]) -> None:
        """Find the failing file by reading them one by one; skip it after some attempts."""
        if len(paths) > 1:
            self._at_once = 1
            return
        path = paths[0]
        self._failures[path] = self._failures.get(path, 0) + 1
        waits = self._unread.pop(path, self._clock.now())
        if self._failures[path] < _ATTEMPTS:
            self._unread[path] = waits  # to the end of the list

    def _list(self) -> None:
        """Put every file whose stat differs from its last read on the list."""
        self._whole = False
        for place in self._here:
            with suppress(BadInput):  # removed since it was listed
                for path in walk(Path(os.path.realpath(place)), self._source):
                    stamp = _stamp(path)
                    if stamp is not None and stamp != self._read.get(path):
                        self._unread.setdefault(path, self._clock.now())

    def _next(self) -> dict[Path, FileStamp]:
        """The next files, longest waiting first, either all of them history or none."""
        found: dict[Path, FileStamp] = {}
        size = 0
        for path in self._oldest():
            stamp = _stamp(path)
            if stamp is None or stamp == self._read.get(path):
                self._unread.pop(path)
                continue
            if found and self._is_live(stamp) != self._is_live(next(iter(found.values()))):
                continue
            before = self._read.get(path)
            size += max(0, stamp.size - (before.size if before is not None else 0))
            if found and size > _BYTES:
                break
            found[path] = stamp
            if len(found) == self._at_once:
                break
        return found

    def _oldest(self) -> Iterable[Path]:
        if self._at_once == 1:
            return list(self._unread)
        oldest = heapq.nsmallest(
            4 * _FILES, self._unread.items(), key=lambda item: (item[1], item[0])
        )
        return [path for path, _ in oldest]

    def _is_live(self, stamp: FileStamp) -> bool:
        """Whether a file was written to since the source was first watched."""
        since = self._notes.get(_TABLE, self.name).get("watched_since", "")
        written = max(stamp.written, stamp.logged_at) // 1_000_000_000
        return bool(since) and _instant(written) >= since


def _stamp(path: Path) -> FileStamp | None:
    """The stamp of a regular file; None for anything else, which is not read."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    logged = logged_at = 0
    with suppress(OSError):
        log = os.stat(f"{path}{_WAL}")
        logged, logged_at = log.st_size, log.st_mtime_ns
    return FileStamp(status.st_size, status.st_mtime_ns, logged, logged_at)


def _instant(seconds: int) -> Instant:
    try:
        return instant_of(seconds)
    except (ValueError, OverflowError):
        return ""


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts[:-1])
