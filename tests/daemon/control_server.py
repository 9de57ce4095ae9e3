"""Processes that are nothing but the door of a daemon, forked from one that has imported it all.

`door_in` opens one and keeps it until its block ends. What a test gives it to do in the middle of a
command is its mood: "die before" and "die after" end it like a power cut, "wait" makes it slow.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from unittest import mock

from engram.daemon.rpc.server import CommandAnswer, CommandRequest, ControlServer
from engram.surfaces.remote.handler import RemoteCommands

ROOT = Path(__file__).parents[2]
_PATIENCE = 60.0
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tests.daemon.imported_door"])


@contextmanager
def door_in(environment: Mapping[str, str], mood: str = "") -> Iterator[BaseProcess]:
    """A door of its own process, open, for those who share this environment."""
    ours, theirs = _processes.Pipe()
    worker = _processes.Process(target=_keep, args=(dict(environment), mood, theirs))
    # the process that forks is started by the first door, and imports from where this one does
    with mock.patch.dict(os.environ, PYTHONPATH=str(ROOT)):
        worker.start()
    theirs.close()
    try:
        assert ours.poll(_PATIENCE) and ours.recv().endswith("control.sock")
        yield worker
    finally:
        ours.close()
        worker.join(_PATIENCE)


def _keep(environment: Mapping[str, str], mood: str, caller: Connection) -> None:
    """Keep a door until the caller closes its end."""
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    with ControlServer(_Moody(mood), os.environ) as door, suppress(EOFError):
        caller.send(door.path)
        caller.recv()


class _Moody(RemoteCommands):
    """Carries commands out, and ends before or after, or takes its time."""

    def __init__(self, mood: str) -> None:
        super().__init__()
        self._mood = mood

    def answer(self, request: CommandRequest) -> CommandAnswer | None:
        if self._mood == "die before":
            os.kill(os.getpid(), signal.SIGKILL)
        if self._mood == "wait":
            time.sleep(2)
        answer = super().answer(request)
        if self._mood == "die after":
            os.kill(os.getpid(), signal.SIGKILL)
        return answer
