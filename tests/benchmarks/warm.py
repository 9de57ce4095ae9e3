"""What a running daemon spares: `python -m tests.benchmarks.warm [--memories N] [--runs N]`.

`engram search --json` on a vault of invented memories as whole processes, another question each
time: answered by the door of a daemon; answered by itself; and Python alone, which a process cannot
be quicker than. Of the warm ones the daemon's share as well: its CPU, and the time from the first
word to it to its last. Then what changes: a search right after a hand edit, a search when the
daemon has had time to take that up, and `remember`. Milliseconds: CPU of the process (wall time).
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from engram.daemon.rpc import messages
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.benchmarks.invented import Invented, write_memories
from tests.benchmarks.processes import (
    ENGRAM,
    NOW,
    ROOT,
    Taken,
    compiled,
    edit,
    megabytes,
    of_process,
    share,
    used_by,
)  # fmt: skip
from tests.daemon.control_server import door_in

#: what is measured -> the most milliseconds it may take, of wall time
TARGETS = {"warm search": 100, "... the daemon's share": 20}


class Bench:
    """A vault of memories, an environment to use it in, and questions."""

    def __init__(self, folder: Path, memories: int) -> None:
        folder.mkdir()
        home = {"ENGRAM_HOME": str(folder / "home"), "HOME": str(folder)}
        clock = FixedClock(NOW)
        with Vault.create(folder / "vault", environment=home, clock=clock) as vault:
            write_memories(vault.root, Invented().memories(memories))
            vault.rebuild()
        self.folder = folder
        self.files = sorted((folder / "vault" / "facts").rglob("*.md"))
        self._texts = [file.read_text("utf-8").partition("\n---\n")[2] for file in self.files]
        self._words = Invented()
        inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.environment = inherited | home | {
            "ENGRAM_CLOCK": NOW, "ENGRAM_VAULT": str(folder / "vault"),
            "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": compiled(folder),
        }  # fmt: skip

    def question(self, number: int) -> list[str]:
        """A search for three words."""
        words = self._words.question(number, 3, self._texts)
        return ["search", "--json", *words.split()]

    def run(self, *command: str, **more: str) -> Taken:
        """A process from start to end."""
        return of_process(command, self.environment | more, self.folder)[0]

    def search(self, number: int, **more: str) -> Taken:
        """A process that searches."""
        return self.run(*ENGRAM, *self.question(number), **more)

    def ask(self, number: int) -> float:
        """Seconds from the first word to a daemon to its last."""
        seen = [
            f"{name}={value}"
            for name, value in self.environment.items()
            if name.startswith("ENGRAM_") or name in messages.VARIABLES
        ]
        words = self.question(number)
        fields = [
            str(self.folder), messages.identity(str(self.folder)), "0", "0", "0", str(len(words)),
            *words, *seen,
        ]  # fmt: skip
        start = time.perf_counter()
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.connect(messages.place(self.environment))
            messages.receive(daemon, 60)
            daemon.sendall(messages.framed(map(os.fsencode, fields)))
            answer = messages.receive(daemon, 60) or []
        assert answer[:2] == [messages.DONE, b"0"]
        return time.perf_counter() - start


def tell(what: str, times: Iterable[Taken]) -> None:
    """One row: medians and the 95th percentile."""
    taken = [(one.cpu * 1e3, one.wall * 1e3) for one in times]
    (cpu, wall), most = (median(part) for part in zip(*taken, strict=True)), share(taken, 95)
    wanted = f", wanted {TARGETS[what]} ms" if what in TARGETS else ""
    print(f"{what:<34}{cpu:6.1f} ({wall:.1f}), p95 {most.cpu:.1f} ({most.wall:.1f}){wanted}")


def measure(bench: Bench, runs: int, noticed: float) -> None:
    """Print the figures; after `noticed` seconds a daemon has looked at what changed."""
    few = range(max(runs // 5, 1))
    with door_in(bench.environment) as daemon:
        for number in few:
            bench.search(number)
        tell("python -c pass", (bench.run(sys.executable, "-c", "pass") for _ in range(runs)))
        tell("warm search", (bench.search(number) for number in range(runs)))
        before = used_by(daemon.pid or 0)[0]
        asked = [bench.ask(number) for number in range(runs)]
        each = (used_by(daemon.pid or 0)[0] - before) / runs
        tell("... the daemon's share", [Taken(each, wall) for wall in asked])
        tell("cold search", (bench.search(number, ENGRAM_NO_DAEMON="1") for number in few))
        edited, later = [], []
        for number in few[:10]:
            edit(bench.files[number], f"zyq{number}")
            edited.append(bench.search(number))
            edit(bench.files[-1 - number], f"zyq{number}")
            time.sleep(noticed)
            later.append(bench.search(number))
        tell("warm search after a hand edit", edited)
        tell(f"... {noticed:g} s after it", later)
        said = ("remember", "The gauge shows", "bar.")
        tell("warm remember", (bench.run(*ENGRAM, *said, str(n)) for n in few))
        cold = (bench.run(*ENGRAM, *said, f"c{n}", ENGRAM_NO_DAEMON="1") for n in few)
        tell("cold remember", cold)
        print(f"{'memory of the daemon':<34}{megabytes(used_by(daemon.pid or 0)[1])}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--noticed", type=float, default=4.0, help="seconds after a hand edit")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warm-") as folder:
        measure(Bench(Path(folder) / "v", options.memories), options.runs, options.noticed)


if __name__ == "__main__":
    main()
