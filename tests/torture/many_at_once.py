"""`make torture`: many commands that write, at the same moment, on a machine that is busy.

All of them land, with and without a daemon, although the time-out of the lock is shorter than the
line: it counts only while nothing moves.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from engram.vault import Vault
from tests.background import Background

_COMMANDS, _BUSY = 24, 2
#: seconds: less than all of them take, more than one of them
_TIMEOUT = 5


@pytest.mark.parametrize("with_daemon", [False, True])
def test_many_commands_at_once_all_land(
    tmp_path: Path, environment: dict[str, str], with_daemon: bool
) -> None:
    print(remembered_at_once(tmp_path, environment, _COMMANDS, _BUSY, with_daemon=with_daemon))


def remembered_at_once(
    home: Path, environment: Mapping[str, str], commands: int, busy: int, *, with_daemon: bool
) -> str:  # fmt: skip
    """Remember so many things at once beside so many busy processes; how long they took."""
    root = home / "vault"
    Vault.create(root, environment=environment).close()
    environment = {**environment, "ENGRAM_STORE_LOCK_TIMEOUT_SECONDS": str(_TIMEOUT)}
    said = [f"The pump number {number} holds {number * 7} litres." for number in range(commands)]
    with ExitStack() as stack:
        daemon = stack.enter_context(Background(home, root, environment))
        if with_daemon:
            daemon.start()
            daemon.wait_until_it_runs()
        for _ in range(busy):
            burner = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while 1: pass"]))
            stack.callback(burner.kill)
        began, seconds = time.monotonic(), list[float]()
        running = [
            subprocess.Popen(
                [sys.executable, "-m", "engram", "remember", text], env=daemon.environment,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )
            for text in said
        ]  # fmt: skip
        for one in running:
            output, _ = one.communicate()
            assert one.returncode == 0, output
            seconds.append(time.monotonic() - began)
    with Vault.open(root, environment=environment) as after:
        assert sorted(memory.text for memory in after.list(limit=1000)) == sorted(said)
        assert after.doctor() == []
    beside = f"{busy} busy processes{' and a daemon' if with_daemon else ''}"
    return f"{commands} commands at once beside {beside}: all done after {max(seconds):.0f} s"
