"""Advisory lock of an open file or folder, one process at a time, gone with its process.

On Windows, where only a byte of a file can be locked, folders cannot be.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

#: how often it is tried: at first, for so long, and then, seconds
_QUICK, _SHORT, _SLOW = 0.004, 0.05, 0.05


def take_lock(
    handle: int, patience: float = 0.0, moved: Callable[[], object] | None = None
) -> bool:
    """Lock an open file until it is closed; False when another holds it `patience` seconds on.

    With `moved`, the patience begins anew whenever its result is another one. Who has waited for
    longer tries more often, so that nobody is passed by for ever. Raises OSError where the file
    system has no locks.
    """
    began = since = time.monotonic()
    last = None if moved is None else moved()
    while not _try_lock(handle):
        now = time.monotonic()
        if moved is not None and (latest := moved()) != last:
            last, since = latest, now
        if now >= since + patience:
            return False
        waited = now - began
        time.sleep(_QUICK if waited < _SHORT else max(_QUICK, _SLOW / (1.0 + waited)))
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
