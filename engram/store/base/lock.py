"""One writer at a time: an advisory lock that dies with its process.

Turns a lock file into a context. Guarantees: at most one process (and one thread of it) is inside;
the same thread may enter again; a killed process leaves nothing to clean up. Refuses: waiting for
longer than the time-out (Locked). The time-out is counted only while nothing moves: a process that
had to wait sets the time of the file when it enters, the holder does so when it enters again (for
each thing it writes), and those who wait see it. The file is never deleted, only locked.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engram.model.errors import Locked, StorageError

#: not through a symlink that somebody put there, and not handed on to child processes
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
#: how often at most the holder shows that it is getting on, seconds
_SIGN = 0.5


class WriterLock:
    """The writer lock of one vault."""

    def __init__(self, path: Path, timeout: float, *, within: Path | None = None) -> None:
        """`within` is a folder that is not made anew when it is gone: the vault itself."""
        self._path = path
        self._within = within
        self._timeout = timeout
        self._thread = threading.RLock()
        self._depth = 0
        self._handle = -1
        self._signed = 0.0

    @contextmanager
    def hold(self, timeout: float | None = None) -> Iterator[bool]:
        """Enter the lock; yields True the first time round, False when it was held already.

        With a `timeout` of its own the caller waits for no longer, whatever moves.
        """
        patience = self._timeout if timeout is None else timeout
        if not self._thread.acquire(timeout=max(patience, 0.0)):
            raise Locked("another thread of this process is writing to the vault")
        try:
            first = self._depth == 0
            if first:
                self._handle = self._take(patience, in_line=timeout is None)
            elif time.monotonic() >= self._signed + _SIGN:
                self._sign(self._handle)
            self._depth += 1
            try:
                yield first
            finally:
                self._depth -= 1
                if self._depth == 0:
                    os.close(self._handle)
        finally:
            self._thread.release()

    def _take(self, patience: float, *, in_line: bool) -> int:
        if self._path.parent.is_symlink():
            raise StorageError(
                f"refusing to follow the symlink {self._path.parent}",
                "put the folder itself in its place",
            )
        try:
            if self._within is not None:
                os.stat(self._within)
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | _SAFELY, 0o600)
        except OSError as error:
            raise StorageError(
                f"cannot lock the vault: {error.strerror}",
                "check the owner and mode of the vault's folder",
            ) from error
        from engram.model.file_lock import take_lock

        if take_lock(handle):
            self._signed = time.monotonic()
            return handle
        moved = (lambda: os.fstat(handle).st_mtime_ns) if in_line else None
        if not take_lock(handle, patience, moved):
            os.close(handle)
            raise Locked(f"another process has been writing to the vault for {patience:g} s")
        self._sign(handle)
        return handle

    def _sign(self, handle: int) -> None:
        """Show those who wait that the line moves."""
        self._signed = time.monotonic()
        with suppress(OSError):
            os.utime(handle if os.utime in os.supports_fd else self._path)
