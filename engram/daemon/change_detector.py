"""The content folders of a vault -> whether anything happened there, as the kernel knows it.

A look at 10,000 files takes longer than all the rest of a search. On Linux the kernel notes a
change in the queue of an inotify descriptor before the call that made it returns; whoever empties
that queue first knows of everything that was done before. (A reader in a thread of its own, as
`watch` has one, knows it a moment later: good for a hint, too late for an answer.) Guarantees: what
cannot be known counts as a change: another system, a file system that tells of no changes, a queue
that overflowed, folders that are others than before. What is written through a memory map after
its file was closed shows in no queue, so that peace lasts ten minutes at most.
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

#: modify, attributes, close after writing, moved from, moved to, create, delete; it itself too
_CHANGES = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
_ONLY_FOLDERS, _NOT_THROUGH_LINKS = 0x01000000, 0x02000000
#: of a folder, queue overflowed, watch is gone
_OTHER_FOLDERS = 0x40000000 | 0x4000 | 0x8000
_HEAD = struct.Struct("iIII")
_BUFFER = 1 << 18
#: seconds without a look at the files themselves
_LONGEST_PEACE = 600.0


class FolderChangeDetector:
    """Watches one vault; close it. `clock` gives seconds that never go back."""

    def __init__(self, root: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._root = root
        self._clock = clock
        self._calls = _calls() if sys.platform == "linux" else None
        self._queue = -1
        self._catalog: object = None
        self._peace_until = 0.0
        self._other_folders = False
        self._known: list[tuple[int, int] | None] = []
        if self._calls is not None and not FolderWatch(Debouncer()).is_deaf(root):
            self._queue = self._calls.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)

    @property
    def able(self) -> bool:
        """Whether it can know anything here."""
        return self._queue >= 0

    def begin(self) -> None:
        """A look at all files begins: what happens from now on is news."""
        self._peace_until = 0.0
        if self._queue < 0:
            return
        folders = self._identities()
        self._drain()
        if self._other_folders or folders != self._known:
            self._known, self._other_folders = folders, False
            if not self._watch():
                self.close()  # the system watches no more folders

    def trust(self, catalog: object) -> None:
        """That look saw everything, and everything is in this catalog."""
        if self._queue >= 0:
            self._catalog = catalog
            self._peace_until = self._clock() + _LONGEST_PEACE

    def quiet(self, catalog: object) -> bool:
        """Whether nothing happened since that look began, and the catalog is still the same."""
        if self._clock() >= self._peace_until or catalog is not self._catalog:
            return False
        if not self._drain() and self._identities() == self._known:
            return True
        self._peace_until = 0.0
        return False

    def close(self) -> None:
        """Watch no more."""
        if self._queue >= 0:
            os.close(self._queue)
        self._queue = -1
        self._peace_until = 0.0

    def _drain(self) -> bool:
        """Empty the queue; returns whether anything was in it."""
        seen = False
        with suppress(BlockingIOError):
            while data := os.read(self._queue, _BUFFER):
                seen = True
                self._other_folders |= any(mask & _OTHER_FOLDERS for mask in _masks(data))
        return seen

    def _watch(self) -> bool:
        """Watch the root and every content folder; False when one cannot be."""
        assert self._calls is not None
        wanted = _CHANGES | _ONLY_FOLDERS | _NOT_THROUGH_LINKS
        tops = [self._root / name for name in layout.CONTENT]
        real = [top for top in tops if top.is_dir() and not top.is_symlink()]
        below = [folder for top in real for folder, _, _ in os.walk(top)]
        add = self._calls.inotify_add_watch
        return all(
            add(self._queue, os.fsencode(folder), wanted) >= 0
            for folder in (str(self._root), *below)
        )

    def _identities(self) -> list[tuple[int, int] | None]:
        """Which folders stand in their places now: others may have been put there."""
        return [_identity(self._root / name) for name in ("", *layout.CONTENT)]


def _masks(data: bytes) -> Iterator[int]:
    """What each event of the queue says."""
    at = 0
    while at < len(data):
        _, mask, _, length = _HEAD.unpack_from(data, at)
        yield mask
        at += _HEAD.size + length


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _calls() -> ctypes.CDLL | None:
    """The C library of this process, where it has the calls."""
    library = ctypes.CDLL(None)
    return library if hasattr(library, "inotify_init1") else None
