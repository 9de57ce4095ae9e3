"""How long the tiers of a vault take: `python -m tests.benchmarks.tiers [--sizes 1000,10000]`.

Invented memories, put into the catalog of a real vault without files of their own, of which a tenth
were read, and one in fifty is superseded. CPU seconds, the median of `--runs`: all of them counted,
those that fall within a week, and ten of a search. `facts --now DAY` tells what tiers do to what is
found when nobody has read anything for long.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.benchmarks.invented import Invented

_NOW = "2026-03-06T12:00:00Z"
#: one in so many is superseded, was read, and is read with so many others
_SUPERSEDED, _READ, _WITH = 50, 10, 5
#: what is measured, at how many -> the most CPU seconds it may take
TARGETS = {("tiers", 10_000): 0.2}


def furnished(vault: Vault, count: int) -> list[str]:
    """The ids of so many memories in a vault's catalog, with reads in its log."""
    catalog, names = vault.parts.catalog, list[str]()
    with catalog.transaction():
        for number, memory in enumerate(Invented().memories(count)):
            if number % _SUPERSEDED == 1:
                memory = replace(memory, status="superseded", superseded_by=(names[-1],))
            catalog.put_memory(memory)
            names.append(memory.id)
    for start in range(0, count, _READ * _WITH):
        vault.parts.count_access(names[start : start + _WITH])
    return names


def _taken(work: Callable[[], object], runs: int) -> float:
    told = []
    for _ in range(runs):
        start = time.process_time()
        work()
        told.append(time.process_time() - start)
    return median(told)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="how long tiers take")
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print("| CPU seconds | memories | taken | mark |\n|---|---|---|---|")
    for count in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory(prefix="engram-bench-") as name:
            environment = {"ENGRAM_HOME": f"{name}/home", "HOME": name}
            with Vault.create(
                Path(name) / "vault", environment=environment, clock=FixedClock(_NOW)
            ) as vault:
                names, tiers = furnished(vault, count), vault.parts.tiers
                measured = {
                    "tiers": lambda tiers=tiers: tiers.counts(_NOW),
                    "tiers --at-risk": lambda tiers=tiers: tiers.falling(7, _NOW),
                    "of ten hits": lambda tiers=tiers, ten=names[:10]: tiers.of(ten, _NOW),
                }  # fmt: skip
                for what, work in measured.items():
                    mark = TARGETS.get((what, count), "")
                    taken = _taken(work, options.runs)
                    print(f"| {what} | {count:,} | {taken:.4f} | {mark} |")


if __name__ == "__main__":
    main()
