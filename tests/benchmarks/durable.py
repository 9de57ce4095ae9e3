"""What durability costs: `python -m tests.benchmarks.durable [--runs N]`.

One transaction of five new facts through the ledger (transaction file, five files, followers),
beside one file written as carefully as a single file can be: temporary file, fsync, rename, fsync
of the folder. Both in the same run, in turn, on the same disk; medians and their ratio. Told
apart: when the transaction is durable (its file is renamed and the folder synced: from there on
no crash loses a fact), and when the command returns (files in place, journal, followers).
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Iterable
from pathlib import Path

from engram.model.change import Plan
from engram.model.memory import Memory
from engram.vault import Vault
from tests.benchmarks.imports import prose, scratch


def one_file(path: Path, body: bytes) -> None:
    """One durable file, the careful way."""
    staged = path.with_suffix(".tmp")
    handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(handle, body)
    os.fsync(handle)
    os.close(handle)
    os.rename(staged, path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def five_facts(vault: Vault, number: int) -> None:
    """One transaction of five memories."""
    born = [
        Memory(
            id=f"fact-20260306-100000-{number:05d}-{place}",
            category="fact",
            text=prose(number * 5 + place, 18),
            created="2026-03-06T10:00:00Z",
            confidence=0.8,
            quote=prose(number * 5 + place, 12),
        )
        for place in range(5)
    ]
    vault.parts.committer.commit(Plan("remember", tuple(vault.parts.writer.changes(born, []))))


def measure(runs: int) -> tuple[float, float, float]:
    """Medians in seconds: `(one fsynced file, five facts durable, five facts returned)`."""
    single, durable, facts = [], [], []
    with scratch() as (folder, make), make() as vault:
        synced: list[float] = []
        sync = vault.parts.disk.sync

        def watched(folders: Iterable[str]) -> None:
            sync(folders)
            synced.append(time.perf_counter())

        vault.parts.disk.sync = watched  # type: ignore[method-assign]
        for number in range(runs + 5):
            start = time.perf_counter()
            one_file(folder / f"{number}.md", b"x" * 700)
            middle = time.perf_counter()
            synced.clear()
            five_facts(vault, number)
            end = time.perf_counter()
            if number >= 5:
                single.append(middle - start)
                durable.append(synced[0] - middle)
                facts.append(end - middle)
    return statistics.median(single), statistics.median(durable), statistics.median(facts)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    single, durable, facts = measure(parser.parse_args().runs)
    print(
        f"one fsynced file {single * 1e3:.2f} ms; five facts durable after {durable * 1e3:.2f} ms"
        f" ({durable / single:.1f}x), all done after {facts * 1e3:.2f} ms ({facts / single:.1f}x)"
    )


if __name__ == "__main__":
    main()
