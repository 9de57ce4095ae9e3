"""A real SIGKILL in the middle of capturing and extracting: everything is accounted for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.vault import Vault
from tests.kit import takes_every_turn

_WRITER = """
import sys
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.kit import takes_every_turn, turns
vault = takes_every_turn(Vault.open(sys.argv[1], clock=FixedClock("2026-03-06T12:00:00Z")))
for first in range(0, 10_000, 3):
    vault.capture(turns(3, first=first))
    print(first, flush=True)
"""


@pytest.mark.parametrize("delay", [0.02, 0.15, 0.4])
def test_a_killed_writer_loses_nothing(
    delay: float, tmp_path: Path, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()
    root = Path(__file__).parents[2]
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(vault.root)],
        env=os.environ | environment | {"PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    writer.stdout.readline()
    time.sleep(delay)
    writer.send_signal(signal.SIGKILL)
    done = [int(line) for line in writer.stdout.read().splitlines()]
    writer.wait()
    writer.stdout.close()

    reopened = takes_every_turn(open_vault())
    assert reopened.doctor() == []
    journalled = {entry.turn.text for entry in reopened.parts.turn_log.entries()}
    # what the writer said was captured is in the journal
    assert len(journalled) >= 3 * (len(done) + 1)
    known = {memory.text for memory in reopened.parts.catalog.memories()}
    for waiting in reopened.waiting():
        known |= {turn.text for turn in reopened.parts.turns.pending(waiting.transcript)[1]}
    assert journalled == known
    reopened.flush()
    texts = [memory.text for memory in reopened.parts.catalog.memories()]
    assert sorted(texts) == sorted(journalled)
