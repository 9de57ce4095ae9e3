"""How long a vault takes to put itself in order: `python -m tests.benchmarks.consolidate`.

    --sizes 1000,10000,100000   how many memories
    --compared 1000             up to how many all pairs are compared, as the peer

The merge pass on invented memories, of which every fiftieth says again what another says, in other
words: a full run, a full run that also looks for what a model would be asked about, and an
incremental one with fifteen changed memories on a real catalog. Beside it the peer: comparing all
pairs. CPU seconds; the exponent says how time grows from one size to the next (1: as the size).
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from engram.consolidate import duplicates
from engram.consolidate.near import LEAST, alike, joined
from engram.consolidate.phrasing import phrasing
from engram.consolidate.scene import Scene
from engram.model.memory import Memory
from engram.ports import Contents
from engram.store.contents import VaultContents
from tests.benchmarks.imports import scratch
from tests.benchmarks.invented import Invented
from tests.consolidate.cases import scene
from tests.consolidate.contents import Remembered

_NOW = "2026-03-06T12:00:00Z"
#: one memory in so many is another one said again
_AGAIN = 50
_CHANGED = 15
#: a catalog of more takes minutes to fill
_MOST_IN_CATALOG = 10_000
#: what is measured, at how many -> the most CPU seconds it may take
TARGETS = {("merge, full", 100_000): 30.0, ("merge, 15 changed", 10_000): 0.3}


def memories(count: int) -> Iterator[Memory]:
    """So many, of one project, each fiftieth the one before it in other words."""
    invented, before = Invented(), ""
    for number, memory in enumerate(invented.memories(count)):
        text = memory.text
        if number % _AGAIN == _AGAIN - 1:
            text = f"Currently {before}"
        before = memory.text
        yield replace(memory, text=text, category="fact", project="shop", id=f"fact-{number}")


def _taken(work: Callable[[], object]) -> float:
    # forms are kept between calls; every measurement makes its own
    phrasing.cache_clear()
    start = time.process_time()
    work()
    return time.process_time() - start


def _scene(contents: Contents, changed: frozenset[str] | None = None) -> Scene:
    return scene(contents, changed, now=_NOW)


def _in_memory(told: Sequence[Memory], compared: int) -> dict[str, float]:
    """The full runs on one size, and all pairs compared where they are not too many."""
    contents = Remembered({memory.id: memory for memory in told})
    contents.live()
    said = [phrasing(memory.text) for memory in told]
    found = {
        "merge, full": _taken(lambda: duplicates.plan(_scene(contents))),
        "doubtful pairs, full": _taken(lambda: sum(1 for _ in joined(said))),
    }
    if len(told) <= compared:
        found["... all pairs compared"] = _taken(
            lambda: sum(alike(*pair) >= LEAST for pair in combinations(said, 2))
        )
    return found


def _in_catalog(told: Sequence[Memory]) -> dict[str, float]:
    """The incremental run, on the catalog of a vault."""
    changed = frozenset(memory.id for memory in told[_AGAIN - 1 :: _AGAIN][:_CHANGED])
    with scratch() as (_, make), make() as vault:
        catalog = vault.followers.catalog
        with catalog.transaction():
            for memory in told:
                catalog.put_memory(memory)
        contents = VaultContents(vault.disk, vault.followers)
        return {
            f"merge, {_CHANGED} changed": _taken(lambda: duplicates.plan(_scene(contents, changed)))
        }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="how long a consolidation takes")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--compared", type=int, default=1_000)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    told = list(memories(max(sizes)))
    rows: dict[str, dict[int, float]] = {}
    for size in sizes:
        found = _in_memory(told[:size], options.compared)
        if size <= _MOST_IN_CATALOG:
            found |= _in_catalog(told[:size])
        for name, taken in found.items():
            rows.setdefault(name, {})[size] = taken
    print(f"| CPU seconds | {' | '.join(f'{size:,}' for size in sizes)} | exponent | wanted |")
    print("|---|" + "---|" * (len(sizes) + 2))
    for name, taken in rows.items():
        cells = [f"{taken[size]:.3g}" if size in taken else "" for size in sizes]
        wanted = [f"{most:g} at {size:,}" for (what, size), most in TARGETS.items() if what == name]
        print(f"| {name} | {' | '.join(cells)} | {_growth(taken)} | {', '.join(wanted)} |")


def _growth(taken: dict[int, float]) -> str:
    """The exponent from the smallest to the largest size."""
    few, many = min(taken), max(taken)
    if few == many or not taken[few]:
        return ""
    return f"{math.log(taken[many] / taken[few]) / math.log(many / few):.2f}"


if __name__ == "__main__":
    main()
