"""Eight processes write to one vault at once: nothing is lost, nothing doubles."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.vault import Vault
from tests.effort import EFFORT
from tests.kit import takes_every_turn

#: sees how much time passes, or keeps the machine busy: one of these at a time
pytestmark = pytest.mark.xdist_group("clock")

#: how long the writers go on, seconds
_SECONDS = 6.0 * EFFORT - 4.0

_WRITER = """
import sys, time
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.kit import takes_every_turn, turns
path, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
end, first = time.monotonic() + seconds, 0
while time.monotonic() < end or first < 6:
    with takes_every_turn(Vault.open(path, clock=FixedClock("2026-03-06T12:00:00Z"))) as vault:
        vault.capture(turns(2, session=name, first=first))
    first += 2
print(first)
"""


def test_eight_processes_lose_nothing(
    environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()
    root = Path(__file__).parents[2]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ENGRAM_")}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(vault.root), f"w{number}", str(_SECONDS)],
            env=clean | environment | {"PYTHONPATH": str(root)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    written = 0
    for writer in writers:
        out, errors = writer.communicate(timeout=300)
        assert writer.returncode == 0, errors
        written += int(out)
    with takes_every_turn(open_vault()) as after:
        after.flush()
        texts = [memory.text for memory in after.parts.catalog.memories()]
        assert len(texts) == len(set(texts)) == written > 16
        assert after.doctor() == []
