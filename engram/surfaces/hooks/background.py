"""Begin and end of a session -> a catch-up in a process of its own, which no host waits for.

The process is in a session of its own and has no stream and no file of the hook's, so that neither
the end of the host nor a pipe that it reads to its end has to do with it. Guarantees: none is
started while a daemon runs, capture is paused, or vault or state cannot be written or have no room;
at a start, none where nothing waits and one ran within the hour; nothing is waited for. What may be
done at all is decided by the process itself (`daemon.catch_up`), what here is asked is cheap.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from engram.daemon.spool import LAST, something_waits
from engram.surfaces.hooks.agents import SESSION_END, SESSION_START

#: a start without news finds hand edits and what is due in a vault so often, seconds
_HOUR = 3600.0
#: below so many free bytes nothing is begun
_ROOM = 32 << 20
#: `-P`: the folder that the agent works in may hold a module of any name
_PROGRAM = ("-P", "-m", "engram.daemon.catch_up")


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
    """Start the catch-up of the vault at `root`; it is not waited for. Raises OSError."""
    if not sys.executable:
        return  # a program that holds Python: it cannot be started by another name
    words = [sys.executable, *_PROGRAM, str(root)]
    if sys.platform == "win32":  # pragma: no cover
        import subprocess

        flags = (
            subprocess.DETACHED_PROCESS
            | subprocess.CREATE_NEW_PROCESS_GROUP
            | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        )
        null = subprocess.DEVNULL
        subprocess.Popen(
            words, env=dict(environment), stdin=null, stdout=null, stderr=null, close_fds=True,
            creationflags=flags,
        )  # fmt: skip
        return
    # not by `subprocess`, which takes longer to import than the rest of this
    actions: list[tuple[object, ...]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
        *((os.POSIX_SPAWN_CLOSE, one) for one in _inherited()),
    ]
    spawn = partial(os.posix_spawn, words[0], words, environment, file_actions=actions)
    try:
        spawn(setsid=True)
    except NotImplementedError:  # an old system: the host may end it with its group
        spawn(setpgroup=0)


def _inherited() -> list[int]:
    """Open files that a process started from here would have, beside the three streams."""
    found = []
    with suppress(OSError):
        for name in os.listdir("/dev/fd"):
            with suppress(OSError, ValueError):  # the one that the folder was read by is closed
                if int(name) > 2 and os.get_inheritable(int(name)):
                    found.append(int(name))
    return found
