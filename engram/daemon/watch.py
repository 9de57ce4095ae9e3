"""File system events -> marked paths, through watchdog; events decide nothing.

Guarantees: a handler never does more than mark (a slow reader would fill the kernel's queue); when
that queue has overflowed, a full scan is asked for; a rename marks both of its paths; folders on
file systems without events (network, FUSE, Windows drives below Linux) are polled. A folder that
cannot be watched is refused with StorageError; the caller may scan it instead.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch
from watchdog.observers.polling import PollingObserver

from engram.daemon.debounce import Debouncer
from engram.model.errors import StorageError

#: how often folders without events are polled, seconds
_POLL = 5.0
#: file systems whose changes are made elsewhere, so that no event comes
_WITHOUT_EVENTS = frozenset({
    "9p", "afs", "cifs", "drvfs", "fuse", "fuseblk", "ncpfs", "nfs", "nfs4", "smb3", "smbfs",
    "vboxsf", "virtiofs",
})  # fmt: skip
#: the events asked for: no "opened", which every scan would cause
_NEWS: list[type[FileSystemEvent]] = [
    FileCreatedEvent, FileModifiedEvent, FileClosedEvent, FileDeletedEvent, FileMovedEvent,
    DirCreatedEvent, DirDeletedEvent, DirMovedEvent,
]  # fmt: skip
#: watchdog's logger, which reports among others that its queue was full
_LOG = "watchdog.observers.inotify_c"


class FolderWatch:
    """The watched folders of one process. Use as a context."""

    def __init__(
        self, debouncer: Debouncer, mounts: Callable[[], Iterable[str]] | None = None
    ) -> None:
        """`mounts` gives the lines of the system's table of mounts."""
        self._debouncer = debouncer
        self._mounts = mounts or _mounts
        self._observers: list[BaseObserver] = []
        self._folders: dict[Path, _Watched] = {}
        self._overflow = _Overflow(debouncer)

    def __enter__(self) -> FolderWatch:
        logging.getLogger(_LOG).addHandler(self._overflow)
        return self

    def __exit__(self, *_: object) -> None:
        for observer in self._observers:
            observer.stop()
        for observer in self._observers:
            observer.join()
        logging.getLogger(_LOG).removeHandler(self._overflow)

    @property
    def folders(self) -> list[Path]:
        """The watched folders, sorted."""
        return sorted(self._folders)

    @property
    def polled(self) -> list[Path]:
        """Those of them that are polled, sorted."""
        return sorted(
            folder
            for folder, watched in self._folders.items()
            if isinstance(watched.observer, PollingObserver)
        )

    def add(
        self, folder: Path, *, recursive: bool = True,
        concerns: Callable[[Path], bool] = lambda _: True,
    ) -> None:  # fmt: skip
        """Watch a folder from now on; scan it after this, not before. Raises StorageError.

        Events on paths that `concerns` refuses mark nothing.
        """
        known = self._folders.get(folder)
        if known is not None and (known.watch.is_recursive or not recursive):
            return
        self.remove(folder)
        observer = self._observer(polling=self.lacks_events(folder))
        try:
            node = _node(folder)
            watch = observer.schedule(
                _Marker(self._debouncer, concerns),
                str(folder),
                recursive=recursive,
                event_filter=_NEWS,
            )
        except OSError as error:
            raise StorageError(
                f"{folder} cannot be watched: {error.strerror or error}",
                "it is looked through from time to time instead",
            ) from error
        self._folders[folder] = _Watched(observer, watch, node)

    def remove(self, folder: Path) -> None:
        """Stop watching a folder."""
        watched = self._folders.pop(folder, None)
        if watched is not None:
            with suppress(KeyError):  # the observer ended by itself when its folder was removed
                watched.observer.unschedule(watched.watch)

    def holds(self, folder: Path) -> bool:
        """Whether it watches that very folder, and not a former one at the same path."""
        watched = self._folders.get(folder)
        try:
            return watched is not None and watched.node == _node(folder)
        except OSError:
            return False

    def lacks_events(self, folder: Path) -> bool:
        """Whether changes in a folder may come without events, by the type of its file system."""
        real = os.path.realpath(folder)
        found = ""
        polled = False
        for line in self._mounts():
            parts = line.split()
            if len(parts) < 3:
                continue
            point = parts[1].encode("ascii", "replace").decode("unicode_escape")
            inside = real == point or real.startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(found):
                found, polled = point, parts[2].partition(".")[0] in _WITHOUT_EVENTS
        return polled

    def _observer(self, *, polling: bool) -> BaseObserver:
        for observer in self._observers:
            if isinstance(observer, PollingObserver) == polling:
                return observer
        made = PollingObserver(timeout=_POLL) if polling else Observer()
        made.start()
        self._observers.append(made)
        return made


@dataclass(frozen=True, slots=True)
class _Watched:
    """A watched folder: its observer, and its device and inode."""

    observer: BaseObserver
    watch: ObservedWatch
    node: tuple[int, int]


class _Marker(FileSystemEventHandler):
    """Marks the paths that events name."""

    def __init__(self, debouncer: Debouncer, concerns: Callable[[Path], bool]) -> None:
        self._debouncer = debouncer
        self._concerns = concerns

    def on_any_event(self, event: FileSystemEvent) -> None:
        """A file that was created, changed or removed; for a new or removed folder, the folder."""
        for name in (event.src_path, event.dest_path):
            if name and self._concerns(path := Path(os.fsdecode(name))):
                self._debouncer.mark(path)


class _Overflow(logging.Handler):
    """Watchdog reports an overflow of the kernel's queue only in its log."""

    def __init__(self, debouncer: Debouncer) -> None:
        super().__init__(logging.WARNING)
        self._debouncer = debouncer

    def emit(self, record: logging.LogRecord) -> None:
        """Any warning of it means that events were lost, or watches with them."""
        self._debouncer.lose()


def _node(folder: Path) -> tuple[int, int]:
    status = os.stat(folder)
    return status.st_dev, status.st_ino


def _mounts() -> list[str]:
    try:
        with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as table:
            return table.readlines()
    except OSError:
        return []  # not Linux: its own observers also report network drives as well as they can
