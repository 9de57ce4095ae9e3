"""`make torture`: a writer killed at many moments, one after the other, on the same vault.

Not part of `make test`: it takes minutes. Every turn that any of the writers reported as captured
must be pending or have its memory in the end, once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from engram.vault import Vault
from tests.effort import EFFORT
from tests.kit import takes_every_turn

_KILLS = 6 * EFFORT

_WRITER = """
import sys
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.kit import takes_every_turn, turns
session = sys.argv[2]
with takes_every_turn(Vault.open(sys.argv[1], clock=FixedClock("2026-03-06T12:00:00Z"))) as vault:
    for first in range(0, 10_000, 3):
        vault.capture(turns(3, session=session, first=first))
        print(first, flush=True)
"""


def test_a_vault_survives_being_killed_again_and_again(
    environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    root = open_vault().root
    repository = Path(__file__).parents[2]
    promised = 0
    for kill in range(_KILLS):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(root), f"k{kill}"],
            env=os.environ | environment | {"PYTHONPATH": str(repository)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        # moments spread evenly over the first half second of writing, the same in every run
        time.sleep(0.5 * (kill * 0.618034 % 1))
        writer.send_signal(signal.SIGKILL)
        promised += 3 * (1 + len(writer.stdout.read().splitlines()))
        writer.wait()
        writer.stdout.close()
    with takes_every_turn(open_vault()) as vault:
        assert vault.doctor() == []
        vault.flush()
        texts = [memory.text for memory in vault.parts.catalog.memories()]
        journalled = [entry.turn.text for entry in vault.parts.turn_log.entries()]
        assert sorted(texts) == sorted(journalled)
        assert len(journalled) == len(set(journalled)) >= promised
        assert vault.doctor() == []
        print(f"{_KILLS} kills, {len(texts)} turns accounted for")
