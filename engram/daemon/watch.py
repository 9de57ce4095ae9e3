"""Folders -> dirt, through watchdog: events only mark paths, they decide nothing.

Guarantees: a handler never does more than mark (a slow reader would fill the kernel's queue); when
that queue has overflowed, everything is dirty; a rename is news about both of its ends; folders on
file systems that tell of no changes (network, FUSE, Windows drives below Linux) are polled. A
folder that cannot be watched is refused with StorageError, and whoever asked may scan it instead.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from engram.daemon.dirt import Dirt
from engram.model.errors import StorageError

#: how often folders are looked through that tell of no changes, seconds
_POLL = 5.0
#: file systems whose changes are made elsewhere, so that no event comes
_DEAF = frozenset({
    "9p", "afs", "cifs", "drvfs", "fuse", "fuseblk", "ncpfs", "nfs", "nfs4", "smb3", "smbfs",
    "vboxsf", "virtiofs",
})  # fmt: skip
#: events that say nothing of a change
_IDLE = frozenset({"opened", "closed_no_write"})
#: what watchdog writes its own words about, among them that its queue was full
_LOG = "watchdog.observers.inotify_c"


class Watch:
    """The watched folders of one process. Use as a context."""

    def __init__(self, dirt: Dirt, mounts: Callable[[], Iterable[str]] | None = None) -> None:
        """`mounts` gives the lines of the system's table of mounts."""
        self._dirt = dirt
        self._mounts = mounts or _mounts
        self._observers: list[BaseObserver] = []
        self._folders: dict[Path, BaseObserver] = {}
        self._overflow = _Overflow(dirt)

    def __enter__(self) -> Watch:
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
        """What is watched, sorted."""
        return sorted(self._folders)

    def add(self, folder: Path, *, recursive: bool = True) -> None:
        """Watch a folder from now on; scan it after this, not before. Raises StorageError."""
        if folder in self._folders:
            return
        observer = self._observer(polling=self.is_deaf(folder))
        try:
            observer.schedule(_Marker(self._dirt), str(folder), recursive=recursive)
        except OSError as error:
            raise StorageError(
                f"{folder} cannot be watched: {error.strerror or error}",
                "it is looked through from time to time instead",
            ) from error
        self._folders[folder] = observer

    def is_deaf(self, folder: Path) -> bool:
        """Whether changes in a folder may come without events, by the kind of its file system."""
        real = os.path.realpath(folder)
        found = ""
        deaf = False
        for line in self._mounts():
            parts = line.split()
            if len(parts) < 3:
                continue
            point = parts[1].encode("ascii", "replace").decode("unicode_escape")
            inside = real == point or real.startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(found):
                found, deaf = point, parts[2].partition(".")[0] in _DEAF
        return deaf

    def _observer(self, *, polling: bool) -> BaseObserver:
        for observer in self._observers:
            if isinstance(observer, PollingObserver) == polling:
                return observer
        made = PollingObserver(timeout=_POLL) if polling else Observer()
        made.start()
        self._observers.append(made)
        return made


class _Marker(FileSystemEventHandler):
    """Marks what events name."""

    def __init__(self, dirt: Dirt) -> None:
        self._dirt = dirt

    def on_any_event(self, event: FileSystemEvent) -> None:
        """A file that came, changed or went; of a folder that came or went, the folder."""
        if event.event_type in _IDLE or (event.is_directory and event.event_type == "modified"):
            return
        for name in (event.src_path, event.dest_path):
            if name:
                self._dirt.mark(Path(os.fsdecode(name)))


class _Overflow(logging.Handler):
    """Watchdog tells nobody but its log that the kernel's queue was full."""

    def __init__(self, dirt: Dirt) -> None:
        super().__init__(logging.WARNING)
        self._dirt = dirt

    def emit(self, record: logging.LogRecord) -> None:
        """Any warning of it means that events were lost, or watches with them."""
        self._dirt.lose()


def _mounts() -> list[str]:
    try:
        with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as table:
            return table.readlines()
    except OSError:
        return []  # not Linux: its own observers hear network drives as well as they can
