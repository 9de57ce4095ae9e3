"""A process that is nothing but the door of a daemon: `python -m tests.daemon.control_server`.

Says where its door is, and keeps it until its standard input ends. What a test gives it to do in
the middle of a command stands in DOORKEEPER: `die` ends it like a power cut, `wait` makes it slow.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from engram.daemon.rpc.server import CommandAnswer, CommandRequest, ControlServer
from engram.surfaces.remote.handler import RemoteCommands

ROOT = Path(__file__).parents[2]


@contextmanager
def door_in(environment: Mapping[str, str], mood: str = "") -> Iterator[subprocess.Popen[str]]:
    """A door of its own process, open, for those who share this environment."""
    python = {"PYTHONPATH": str(ROOT), "DOORKEEPER": mood}
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.daemon.control_server"], env={**environment, **python},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert worker.stdin is not None and worker.stdout is not None
    try:
        assert worker.stdout.readline().strip().endswith("control.sock")
        yield worker
    finally:
        worker.stdin.close()
        worker.wait(20)
        worker.stdout.close()


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


def main() -> None:
    """Keep the door until nobody holds standard input any more."""
    with ControlServer(_Moody(os.environ["DOORKEEPER"]), os.environ) as door:
        print(door.path, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
