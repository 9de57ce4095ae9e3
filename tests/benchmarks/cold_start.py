"""How long until a command answers: `python -m tests.benchmarks.cold_start [--runs N]`.

Times whole processes, from start to end: `engram --help`, and `engram search` on a vault with 1,000
memories, beside `python -c pass`, each as the median of runs that take turns; then the hooks
that an agent waits for, on a vault with 10,000. Modules are compiled before, as they are once a
program is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.benchmarks.processes import ENGRAM, NOW, ROOT, compiled
from tests.kit import takes_every_turn, turns

#: what is run -> the most milliseconds it may take on an idle machine
TARGETS = {
    "python -c pass": 0, "engram --help": 150, "engram search": 250,
    "hook session-start": 150, "hook prompt": 150,
}  # fmt: skip
#: what a host says to a hook
_ASKED = json.dumps({"cwd": "/home/kim/shop", "prompt": "what about the tokens0500 valve?"})


def furnish(folder: Path, memories: int) -> dict[str, str]:
    """A vault with that many memories in `folder`; returns the environment to use it in."""
    environment = {"ENGRAM_HOME": str(folder / "home"), "HOME": str(folder)}
    made = Vault.create(folder / "vault", environment=environment, clock=FixedClock(NOW))
    with takes_every_turn(made) as vault:
        vault.capture(turns(memories))
        vault.flush()
    inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return inherited | environment | {
        "ENGRAM_CLOCK": NOW, "ENGRAM_VAULT": str(folder / "vault"), "PYTHONPATH": str(ROOT),
        "PYTHONPYCACHEPREFIX": compiled(folder),
    }  # fmt: skip


def timed(command: tuple[str, ...], environment: dict[str, str], folder: Path) -> float:
    """Milliseconds from the start of a process to its end."""
    start = time.perf_counter()
    subprocess.run(
        command, env=environment, cwd=folder, check=True, capture_output=True, input=_ASKED.encode()
    )
    return (time.perf_counter() - start) * 1000


def measure(
    folder: Path, memories: int, runs: int, commands: dict[str, tuple[str, ...]]
) -> dict[str, list[float]]:
    """Milliseconds of each run on a vault of so many memories, by what was run."""
    folder.mkdir()
    environment = furnish(folder, memories)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            taken = timed(command, environment, folder)
            if turn:  # the first round compiles
                times[name].append(taken)
    return times


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--hook-memories", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    python = {"python -c pass": (sys.executable, "-c", "pass")}
    commands = python | {
        "engram --help": (*ENGRAM, "--help"),
        "engram search": (*ENGRAM, "search", "valve", "tokens0500"),
    }
    hooks = python | {
        "hook session-start": (*ENGRAM, "hook", "session-start"),
        "hook prompt": (*ENGRAM, "hook", "prompt"),
    }
    for memories, chosen in ((options.memories, commands), (options.hook_memories, hooks)):
        # what a hook began may still write
        with tempfile.TemporaryDirectory(
            prefix="engram-bench-", ignore_cleanup_errors=True
        ) as folder:
            times = measure(Path(folder) / "vault", memories, options.runs, chosen)
        for name, taken in times.items():
            target = f", target {TARGETS[name]} ms" if TARGETS[name] else ""
            print(f"{name:<19}{median(taken):6.0f} ms (best {min(taken):.0f}{target})")


if __name__ == "__main__":
    main()
