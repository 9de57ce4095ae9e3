"""Eight processes write to one vault at once: nothing is lost, nothing doubles."""

from __future__ import annotations

import os
import subprocess
import sys
import time
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


_REMEMBERS = """
import sys, time
from pathlib import Path
from engram.index.whoosh_finder import WhooshFinder
from engram.vault import Adapters, Vault
path, word, go = sys.argv[1], sys.argv[2], Path(sys.argv[3])

class Slow(WhooshFinder):
    def update(self, *found, seen=None):
        until = time.monotonic() + 120
        while not go.exists() and time.monotonic() < until:
            time.sleep(0.02)
        super().update(*found, seen=seen)

flags = {"store.lock_timeout_seconds": 4}
with Vault.open(path, flags=flags, adapters=Adapters(finder=Slow)) as vault:
    vault.remember(f"The {word} service listens on port {7000 + len(word)}.")
"""


def test_twelve_processes_write_while_the_index_cannot_be_brought_up(
    tmp_path: Path, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()
    vault.remember("The first service listens on port 80.")
    before = vault.parts.committer.last
    go, words = tmp_path / "go", [letter * 6 for letter in "abdefghklmnp"]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ENGRAM_")}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _REMEMBERS, str(vault.root), word, str(go)],
            env=clean | environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
            stderr=subprocess.PIPE,
            text=True,
        )
        for word in words
    ]
    while vault.parts.committer.last < before + len(words):
        # whoever holds the writer lock for the index holds up all others, who give up
        failed = [one.communicate()[1] for one in writers if one.poll()]
        assert not failed, failed[0]
        time.sleep(0.05)
    go.touch()
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors
    for word in words:
        assert word in vault.search(f"{word} service").memories[0].snippet
    assert vault.doctor() == []
