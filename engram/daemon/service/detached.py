"""A daemon without a service manager: this program again, away from the terminal.

Starts one process in a session of its own and leaves it alone: no pipe and no folder of the caller
holds it, and it holds none. Raises StorageError when it cannot be started.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from engram.daemon.service.program import itself
from engram.model.errors import StorageError
from engram.settings.paths import UserPaths


def detach(arguments: Sequence[str], places: UserPaths, environment: Mapping[str, str]) -> None:
    """Start `engram ARGUMENTS`; nobody waits for it."""
    absolute = dict(environment)
    if "ENGRAM_HOME" in environment:
        absolute["ENGRAM_HOME"] = str(places.state_dir)
    nothing = subprocess.DEVNULL
    try:
        os.makedirs(places.state_dir, mode=0o700, exist_ok=True)
        # it outlives this one, which is not to complain of that at its end
        process = subprocess.Popen(
            [*itself(), *arguments], env=absolute, cwd=places.state_dir,
            stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True,
        )  # fmt: skip
        process.returncode = 0
    except OSError as error:
        raise StorageError(
            f"the daemon cannot be started: {error.strerror or error}", "`engram daemon run`"
        ) from error
