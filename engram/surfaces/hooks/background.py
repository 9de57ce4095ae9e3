"""Begin and end of a session -> a catch-up in a process of its own, which no host waits for.

The process is in a session of its own and has no stream and no file of the hook's, so that neither
the end of the host nor a pipe that it reads to its end has to do with it. Guarantees: none is
started while a daemon runs, capture is paused, or vault or state cannot be written or have no room;
at a start, none where nothing waits and one ran within the hour; nothing is waited for. What may be
done at all is decided by the process itself (`daemon.catch_up`), what here is asked is cheap.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from engram.daemon.spool import LAST, something_waits
from engram.surfaces.hooks.agents import SESSION_END, SESSION_START

#: a start without news finds hand edits and what is due in a vault so often, seconds
_HOUR = 3600.0
#: below so many free bytes nothing is begun
_ROOM = 32 << 20
_PROGRAM = "engram.daemon.catch_up"


def is_wanted(event: str, root: Path, state: Path) -> bool:
    """Whether a catch-up is to be started after a hook of the vault at `root`."""
    if event not in (SESSION_START, SESSION_END):
        return False
    news = something_waits(state) or (event == SESSION_START and _is_long_ago(state))
    return news and _can_write(root, state) and not _is_held(state)


def _is_long_ago(state: Path) -> bool:
    """Whether the last catch-up was not within the hour; by the clock of files."""
    try:
        return abs(time.time() - os.stat(state / LAST).st_mtime) > _HOUR
    except OSError:
        return True


def _can_write(root: Path, state: Path) -> bool:
    """Whether neither disk is read-only, somebody else's, or full."""
    for folder in (root / "state", state):
        if not os.access(folder, os.W_OK):
            return False
        if hasattr(os, "statvfs"):
            disk = os.statvfs(folder)
            if disk.f_bavail * disk.f_frsize < _ROOM:
                return False
    return True


def _is_held(state: Path) -> bool:
    """Whether a daemon does it, or nothing is to be done."""
    # imported here: most people have neither file
    folder = state / "daemon"
    if os.path.exists(folder / "paused.json"):
        from engram.daemon.state.pause import read

        if read(state).everything:
            return True
    if not os.path.exists(folder / "lock"):
        return False
    from engram.daemon.state.instance_lock import InstanceLock

    return bool(InstanceLock(state).holder())


def start(root: Path, environment: Mapping[str, str]) -> None:
    """Start the catch-up of the vault at `root`. Raises StorageError."""
    from engram.daemon.service.detached import begin

    begin(_PROGRAM, str(root), environment)
