"""`make torture`: a daemon under steady load: turns in watched transcripts, searches beside them.

`python -m tests.torture.steady [--seconds 360] [--rate 8] [--search 1.0]` prints, minute by minute,
the memory, open files and processor time of the daemon, and how long the searches took: each is the
real command as a process of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engram.vault import Vault
from tests.background import Background, cpu_seconds, memory_mb, settle_down, speaker
from tests.effort import EFFORT

#: seconds, turns a second, and seconds between two searches
_SECONDS, _RATE, _SEARCH = 36.0 * EFFORT, 8.0, 1.0
_SESSIONS = 12
#: what is searched for, one after the other
_QUERIES = ("valve holds bar", "database port", "deploy on Fridays", "tk0000012", "nothing at all")


@dataclass(slots=True)
class Sample:
    """A moment of the daemon, and the searches since the one before."""

    seconds: float
    memory: float
    processor: float
    files: Counter[str]
    searches: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.seconds:5.0f} s  {self.memory:6.1f} MB  {sum(self.files.values()):3} open files"
            f" ({self.files['(deleted)']} of them deleted)  {self.processor:4.0%} of a processor"
            f"  {len(self.searches)} searches, p50 {percentile(self.searches, 50):.2f} s,"
            f" p95 {percentile(self.searches, 95):.2f} s"
        )


def percentile(values: Sequence[float], share: int) -> float:
    """The value that so many of a hundred do not exceed."""
    return sorted(values)[max(0, -(-len(values) * share // 100) - 1)] if values else 0.0


def test_a_daemon_under_steady_load_stays_as_it_is(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    samples = loaded(tmp_path, environment, _SECONDS, _RATE, _SEARCH, samples=6)
    assert samples[-1].files["(deleted)"] == 0
    warm = samples[len(samples) // 2 :]
    assert max(sum(one.files.values()) for one in warm) <= sum(warm[0].files.values()) + 4


def loaded(
    home: Path, environment: Mapping[str, str], seconds: float, rate: float, search: float,
    samples: int,
) -> list[Sample]:  # fmt: skip
    """Let so many turns be said a second, and search so often; prints each sample."""
    root = home / "vault"
    Vault.create(root, environment=environment).close()
    found: list[Sample] = []
    with Background(home, root, environment) as daemon:
        daemon.start()
        daemon.wait_until_it_runs()
        daemon.wait_for((daemon.state / "daemon" / "notes.json").exists)
        agent = speaker(daemon.projects, 0, int(seconds * rate), _SESSIONS, seconds)
        began, cpu, asked = time.monotonic(), cpu_seconds(daemon.pid), list[float]()
        at, number = began, 0
        while (now := time.monotonic()) < began + seconds:
            asked.append(_search(daemon, _QUERIES[number % len(_QUERIES)]))
            number += 1
            if now - at >= seconds / samples:
                spent = cpu_seconds(daemon.pid)
                found.append(_sample(daemon.pid, now - began, (spent - cpu) / (now - at), asked))
                print(found[-1], flush=True)
                at, cpu, asked = now, spent, []
            time.sleep(max(0.0, search - (time.monotonic() - now)))
        assert agent.wait() == 0
        settle_down(daemon.pid)
        found.append(_sample(daemon.pid, time.monotonic() - began, 0.0, []))
        print("at rest:", found[-1], dict(found[-1].files))
        errors = [row for row in daemon.log() if row["level"] == "error"]
        daemon.stop()
    assert not errors, errors[:3]
    return found


def _search(daemon: Background, query: str) -> float:
    """How long the command takes, seconds."""
    command = [sys.executable, "-m", "engram", "search", "--json", query]
    began = time.monotonic()
    subprocess.run(command, env=daemon.environment, check=True, capture_output=True)
    return time.monotonic() - began


def _sample(pid: int, seconds: float, processor: float, searches: list[float]) -> Sample:
    return Sample(seconds, memory_mb(pid, "VmRSS"), processor, open_files(pid), searches)


def open_files(pid: int) -> Counter[str]:
    """The open files of a process by the last part of their names; deleted ones as such."""
    found: Counter[str] = Counter()
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        try:
            name = os.readlink(handle)
        except FileNotFoundError:
            continue
        found["(deleted)" if name.endswith("(deleted)") else Path(name).name.partition("[")[0]] += 1
    return found


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=360.0)
    options.add_argument("--rate", type=float, default=_RATE)
    options.add_argument("--search", type=float, default=_SEARCH)
    options.add_argument("--samples", type=int, default=12)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        loaded(
            Path(folder), {"ENGRAM_HOME": f"{folder}/home", "HOME": folder},
            chosen.seconds, chosen.rate, chosen.search, chosen.samples,
        )  # fmt: skip
