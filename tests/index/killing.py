"""Readers that search all the while writers are killed, and what they counted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engram.vault import Vault
from tests.kit import takes_every_turn, turns

_ROOT = Path(__file__).parents[2]
_CLOCK = "2026-03-06T12:00:00Z"
#: what every search looks for: a memory and a turn that are there from the beginning
_BASE, _WORD = 40, "tokenbase0007"

_READER = """
import json, sys, time
from pathlib import Path
from engram.index.whoosh_finder import WhooshFinder
from engram.store.base.clock import FixedClock
from engram.vault import Vault
path, clock, word, stop, level = sys.argv[1:]
vault = Vault.open(path, clock=FixedClock(clock))
finder = WhooshFinder(vault.parts.cache / "index")

def search():
    if level == "index":
        return [finder.find(word, name, 5) for name in ("memories", "turns")]
    found = vault.search(word)
    return [found.memories, found.turns]

searches, empty, failures = 0, 0, []
print("ready", flush=True)
while not Path(stop).exists():
    searches += 1
    try:
        empty += not all(search())
    except Exception as error:
        failures.append(f"{type(error).__name__}: {error}")
    time.sleep(0.002)
print(json.dumps([searches, empty, failures[:9], len(failures)]))
"""

_COMMITS = """
for first in range(0, 10_000, 3):
    vault.capture(turns(3, session=name, first=first))
    print(first, flush=True)
"""

_REBUILDS = """
while True:
    vault.rebuild()
    print("rebuilt", flush=True)
"""

_WRITER = """
import sys
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.kit import takes_every_turn, turns
path, clock, name = sys.argv[1:]
vault = takes_every_turn(Vault.open(path, clock=FixedClock(clock)))
print("ready", flush=True)
"""


@dataclass(slots=True)
class Counted:
    """What readers saw while `kills` writers were killed."""

    kills: int = 0
    searches: int = 0
    empty: int = 0
    exceptions: int = 0
    reasons: list[str] = field(default_factory=list)


def kill_while_reading(
    vault: Vault, environment: Mapping[str, str], kills: int, *, rebuilding: bool
) -> dict[str, Counted]:
    """Kill so many writers of a vault at moments spread over their work; what two readers counted,
    one of the index and one of the vault.
    """
    takes_every_turn(vault).capture(turns(_BASE, "base"))
    vault.close()
    variables = dict(os.environ) | dict(environment) | {"PYTHONPATH": str(_ROOT)}
    stop = vault.root.parent / "stop"
    stop.unlink(missing_ok=True)
    readers = {
        level: _started(_READER, variables, str(vault.root), _CLOCK, _WORD, str(stop), level)
        for level in ("index", "vault")
    }
    work = _WRITER + (_REBUILDS if rebuilding else _COMMITS)
    try:
        for kill in range(kills):
            writer = _started(work, variables, str(vault.root), _CLOCK, f"k{rebuilding:d}{kill}")
            # spread evenly over the first moments of writing, the same in every run
            time.sleep(0.4 * (kill * 0.618034 % 1))
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
    finally:
        stop.touch()
        said = {level: reader.communicate(timeout=60) for level, reader in readers.items()}
    counted = {}
    for level, (out, errors) in said.items():
        assert out, errors
        searches, empty, reasons, exceptions = json.loads(out)
        counted[level] = Counted(kills, searches, empty, exceptions, reasons)
    return counted


def _started(code: str, variables: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    """A Python process that has said its first word."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline(), process.communicate()[1]
    return process
