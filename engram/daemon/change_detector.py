"""Change detection on a vault's content folders with inotify: which of them changed since a scan?

A stat of 10,000 files takes longer than all the rest of a search. On Linux the kernel queues an
event on an inotify descriptor before the call that made the change returns, so a process that reads
that queue itself knows of every earlier change. (A reader in a thread of its own, as `watch` has
one, learns of it a moment later: good for a hint, too late for an answer.) Guarantees: what cannot
be known counts as a change: another operating system, a file system without events, a queue that
overflowed, folders that were replaced. What is written through a memory map after its file was
closed makes no event, so an unchanged state is trusted for ten minutes at most.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from engram.daemon.debounce import Debouncer
from engram.daemon.watch import FolderWatch
from engram.store.base import layout

#: modify, attributes, close after writing, moved from, moved to, create, delete; also of the folder
_CHANGES = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
_ONLY_FOLDERS, _NOT_THROUGH_LINKS = 0x01000000, 0x02000000
#: a folder itself, queue overflowed, watch removed
_OTHER_FOLDERS = 0x40000000 | 0x4000 | 0x8000
_HEAD = struct.Struct("iIII")
_BUFFER = 1 << 18
#: seconds for which an unchanged state is trusted without a scan of the files
_LONGEST_TRUST = 600.0


class FolderChangeDetector:
    """Watches one vault; close it. `clock` is monotonic, in seconds."""

    def __init__(self, root: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._root = root
        self._clock = clock
        self._calls = _calls() if sys.platform == "linux" else None
        self._queue = -1
        self._catalog: object = None
        self._trusted_until = 0.0
        self._other_folders = False
        #: the watched folders by their watches, and those in which something happened
        self._watched: dict[int, str] = {}
        self._changed: set[str] = set()
        self._known: list[tuple[int, int] | None] = []
        if self._calls is not None and not FolderWatch(Debouncer()).lacks_events(root):
            self._queue = self._calls.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)

    @property
    def able(self) -> bool:
        """Whether changes can be detected on this system at all."""
        return self._queue >= 0

    def begin(self) -> None:
        """A scan of all files begins: changes from now on are not covered by it."""
        self._trusted_until = 0.0
        if self._queue < 0:
            return
        folders = self._identities()
        self._drain()
        self._changed.clear()
        if self._other_folders or folders != self._known:
            self._known, self._other_folders = folders, False
            if not self._watch():
                self.close()  # the system watches no more folders

    def trust(self, catalog: object) -> None:
        """What was to be looked at was, and its result is in this catalog."""
        if self._queue >= 0:
            self._catalog = catalog
            self._changed.clear()
            self._trusted_until = self._clock() + _LONGEST_TRUST

    def changed(self, catalog: object) -> frozenset[str] | None:
        """The folders in which something happened since the last look, by their vault paths.

        None where that is not known: all files are to be looked at, and this is told (`begin`).
        """
        if self._clock() >= self._trusted_until or catalog is not self._catalog:
            return None
        self._drain()
        if not self._other_folders and self._identities() == self._known:
            return frozenset(self._changed)
        self._trusted_until = 0.0
        return None

    def close(self) -> None:
        """Stop watching."""
        if self._queue >= 0:
            os.close(self._queue)
        self._queue = -1
        self._trusted_until = 0.0

    def _drain(self) -> None:
        """Empty the queue, and note what it tells."""
        with suppress(BlockingIOError):
            while data := os.read(self._queue, _BUFFER):
                for watch, mask in _events(data):
                    folder = self._watched.get(watch)
                    self._other_folders |= folder is None or bool(mask & _OTHER_FOLDERS)
                    self._changed.add(folder or "")

    def _watch(self) -> bool:
        """Watch the root and every content folder; False when one cannot be."""
        assert self._calls is not None
        wanted = _CHANGES | _ONLY_FOLDERS | _NOT_THROUGH_LINKS
        tops = [self._root / name for name in layout.CONTENT]
        real = [top for top in tops if top.is_dir() and not top.is_symlink()]
        below = [folder for top in real for folder, _, _ in os.walk(top)]
        for folder in (str(self._root), *below):
            watch = self._calls.inotify_add_watch(self._queue, os.fsencode(folder), wanted)
            if watch < 0:
                return False
            self._watched[watch] = Path(os.path.relpath(folder, self._root)).as_posix()
        return True

    def _identities(self) -> list[tuple[int, int] | None]:
        """Device and inode of each folder, to notice one that was replaced."""
        return [_identity(self._root / name) for name in ("", *layout.CONTENT)]


def _events(data: bytes) -> Iterator[tuple[int, int]]:
    """Watch and mask of each event in the queue."""
    at = 0
    while at < len(data):
        watch, mask, _, length = _HEAD.unpack_from(data, at)
        yield watch, mask
        at += _HEAD.size + length


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _calls() -> ctypes.CDLL | None:
    """The C library of this process, or None where it has no inotify."""
    library = ctypes.CDLL(None)
    return library if hasattr(library, "inotify_init1") else None
