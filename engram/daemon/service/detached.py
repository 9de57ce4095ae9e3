"""Detached processes: the daemon without a service manager, and a catch-up that a hook starts.

Each is one process in a session of its own: no pipe, no other open file and no folder is shared
with the caller, and nothing waits for it. Guarantees: on POSIX `begin` imports nothing, because a
host waits for its hook. Raises StorageError where a process cannot be started.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from engram.model.errors import StorageError

if TYPE_CHECKING:
    from engram.settings.paths import UserPaths


def detach(arguments: Sequence[str], places: UserPaths, environment: Mapping[str, str]) -> None:
    """Start `engram ARGUMENTS` in the folder of the user's state."""
    import subprocess

    from engram.daemon.service.program import program_command

    absolute = dict(environment)
    if "ENGRAM_HOME" in environment:
        absolute["ENGRAM_HOME"] = str(places.state_dir)
    nothing = subprocess.DEVNULL
    try:
        os.makedirs(places.state_dir, mode=0o700, exist_ok=True)
        # it outlives this process, which is not to warn about that when it ends
        process = subprocess.Popen(
            [*program_command(), *arguments], env=absolute, cwd=places.state_dir,
            stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True,
        )  # fmt: skip
        process.returncode = 0
    except OSError as error:
        raise StorageError(
            f"the daemon cannot be started: {error.strerror or error}", "`engram daemon run`"
        ) from error


def begin(module: str, argument: str, environment: Mapping[str, str]) -> None:
    """Run a module of this program by this interpreter, at low priority where that is a flag.

    `-P`: the folder that it is started in may hold a module of any name.
    """
    words = [sys.executable, "-P", "-m", module, argument]
    try:
        if not sys.executable:
            raise OSError("there is no interpreter of that name")
        if sys.platform == "win32":  # pragma: no cover
            _begin_on_windows(words, environment)
        else:
            _begin(words, environment)
    except OSError as error:
        raise StorageError(f"{module} cannot be started: {error.strerror or error}") from error


def _begin(words: list[str], environment: Mapping[str, str]) -> None:
    actions: list[tuple[object, ...]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
        *((os.POSIX_SPAWN_CLOSE, one) for one in _inherited()),
    ]
    spawn = partial(os.posix_spawn, words[0], words, environment, file_actions=actions)
    try:
        spawn(setsid=True)
    except NotImplementedError:  # an old system: who ends the caller's session ends it too
        spawn(setpgroup=0)


def _inherited() -> list[int]:
    """Open files that a new process would have, beside the three streams."""
    found = []
    with suppress(OSError):
        for name in os.listdir("/dev/fd"):
            with suppress(OSError, ValueError):  # the one that the folder was read by is closed
                if int(name) > 2 and os.get_inheritable(int(name)):
                    found.append(int(name))
    return found


def _begin_on_windows(words: list[str], environment: Mapping[str, str]) -> None:  # pragma: no cover
    import subprocess

    flags = ("DETACHED_PROCESS", "CREATE_NEW_PROCESS_GROUP", "BELOW_NORMAL_PRIORITY_CLASS")
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        words, env=dict(environment), stdin=nothing, stdout=nothing, stderr=nothing,
        creationflags=sum(getattr(subprocess, flag) for flag in flags),
    )  # fmt: skip
    process.returncode = 0
