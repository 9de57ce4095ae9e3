"""Start the daemon as a detached process, without a service manager.

Starts one process in a session of its own: no pipe and no folder is shared with the caller. Raises
StorageError when it cannot be started.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from engram.daemon.service.program import program_command
from engram.model.errors import StorageError
from engram.settings.paths import UserPaths


def detach(arguments: Sequence[str], places: UserPaths, environment: Mapping[str, str]) -> None:
    """Start `engram ARGUMENTS` and do not wait for it."""
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
