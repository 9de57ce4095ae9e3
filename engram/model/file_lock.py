"""Advisory lock of an open file or folder, one process at a time, gone with its process.

On Windows, where only a byte of a file can be locked, folders cannot be.
"""

from __future__ import annotations

import os
import time

_POLL_SECONDS = 0.002
_POLL_MOST = 0.05


def take_lock(handle: int, patience: float = 0.0) -> bool:
    """Lock an open file until it is closed; False when another holds it `patience` seconds on.

    Raises OSError where the file system has no locks.
    """
    give_up = time.monotonic() + patience
    wait = _POLL_SECONDS
    while not _try_lock(handle):
        if time.monotonic() >= give_up:
            return False
        time.sleep(wait)
        wait = min(wait * 1.5, _POLL_MOST)
    return True


if os.name == "nt":  # pragma: no cover
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
