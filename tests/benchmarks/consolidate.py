"""How long a vault takes to put itself in order: `python -m tests.benchmarks.consolidate`.

    --sizes 1000,10000          how many memories (100,000 take half an hour to make and to measure)
    --compared 1000             up to how many all pairs are compared, as the merge pass's peer
    --model-seconds 1           instead: whole nights with a model that takes so long for an answer

First the merge pass alone, on invented memories of which every fiftieth says again what another
says: a full run, one that also looks for what a model would be asked about, and, as its peer, all
pairs compared. Then whole consolidations of real vaults (`lived_in`), by pass: the first night, in
which nearly half of the memories come to their end and every box and entity gets its file; a second
full one that finds nothing to do; and one after fifteen new memories. Their peer, in the same run,
reads all of the vault's files with python-frontmatter, once.

With `--model-seconds` a vault of each size spends its first night with a local server that answers
every question after so long with what it is to write down: seconds by the clock, questions, how
many of them at a time, and the passes that took longest. The same vault then finds nothing to do.

CPU seconds of this process; the exponent says how time grows from one size to the next (1: as the
size). Beside a night stand its wall seconds, steps and transactions, the largest of these, the peak
memory of the process so far, and how many times the peer's CPU it took.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import frontmatter

from engram.consolidate.context import Pass, PassContext
from engram.consolidate.passes import duplicates, order
from engram.language.near_duplicates import LEAST, alike, joined
from engram.language.paraphrase.phrasing import phrasing
from engram.llm.usage_log import LEDGER
from engram.model.memory import Memory
from engram.model.step import Step
from engram.model.view import VaultView
from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.benchmarks.imports import scratch
from tests.benchmarks.invented import Invented
from tests.benchmarks.lived_in import LivedIn, live_in
from tests.consolidate.cases import context
from tests.consolidate.view import Remembered
from tests.fakes.model_server import Asked, Handler, ModelServer, answers

_NOW = "2026-03-06T12:00:00Z"
#: one memory in so many is another one said again
_AGAIN = 50
_CHANGED = 15
_IDLE, _FEW = "night: full, nothing to do", f"night: {_CHANGED} changed"
_PEER = "... all files read with python-frontmatter"
#: a pass that takes a smaller share of its night is not shown
_SHOWN = 0.02
#: what is measured, at how many -> the most CPU seconds it may take
TARGETS = {
    ("merge, full", 100_000): 30.0,
    (_IDLE, 1_000): 1.0,
    (_IDLE, 10_000): 5.0,
    (_IDLE, 100_000): 60.0,
    (_FEW, 10_000): 0.3,
}


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


def _context(view: VaultView, changed: frozenset[str] | None = None) -> PassContext:
    return context(view, changed, now=_NOW)


def _in_memory(told: Sequence[Memory], compared: int) -> dict[str, float]:
    """The full runs on one size, and all pairs compared where they are not too many."""
    view = Remembered({memory.id: memory for memory in told})
    view.live()
    said = [phrasing(memory.text) for memory in told]
    found = {
        "merge, full": _taken(lambda: duplicates.plan(_context(view))),
        "doubtful pairs, full": _taken(lambda: sum(1 for _ in joined(said))),
    }
    if len(told) <= compared:
        found["... all pairs compared"] = _taken(
            lambda: sum(alike(*pair) >= LEAST for pair in combinations(said, 2))
        )
    return found


# -- whole vaults ----------------------------------------------------------------------------------


def _in_vault(count: int) -> dict[str, float]:
    """Three nights of a vault of so many memories, and what only reading its files takes."""
    lived = LivedIn(count)
    found: dict[str, float] = {}
    nights = (("night: first", True), (_IDLE, True), (_FEW, False))
    with scratch() as (folder, make):
        with make() as vault:
            live_in(vault, lived, 0, count)
            vault.parts.index.refresh()
        for name, full in nights:
            # each in a process's first look, as a command is
            with _opened(folder) as vault:
                if not full:
                    live_in(vault, lived, count, count + _CHANGED)
                    vault.parts.index.refresh()
                found |= _night(vault, name, full=full)
        paths = [path for top in layout.CONTENT for path in (folder / "vault" / top).rglob("*.md")]
        found[_PEER] = _taken(lambda: [frontmatter.load(str(path)) for path in paths])
    for name, _ in nights:
        print(f"{name}: {found[name] / found[_PEER]:.2f} times the peer", flush=True)
    return found


class _Timed(FixedClock):
    """A day that stands still, in which things take their time."""

    def seconds(self) -> float:
        return time.perf_counter()


def _opened(folder: Path, model: str = "") -> Vault:
    """The vault, with the model at an address, which may cost anything."""
    environment = {"ENGRAM_HOME": str(folder / "home")}
    if model:
        most = {"RUN_USD": "1000", "DAILY_USD": "1000", "RUN_TOKENS": "100000000"}
        asked = {"MODEL": "slow", "BASE_URL": model, "DAILY_TOKENS": "100000000", **most}
        environment |= {f"ENGRAM_LLM_{name}": value for name, value in asked.items()}
    return Vault.open(folder / "vault", environment=environment, clock=_Timed(_NOW))


def _night(vault: Vault, name: str, *, full: bool) -> dict[str, float]:
    """One consolidation, whole and by pass."""
    found: dict[str, float] = {}

    def timed(one: Pass) -> Pass:
        part = one.__module__.rpartition(".")[2]

        def plan(context: PassContext) -> list[Step]:
            start = time.process_time()
            steps = one(context)
            row = f"{name}; {part}"  # a pass may be repeated
            found[row] = found.get(row, 0.0) + time.process_time() - start
            return steps

        plan.__module__ = one.__module__
        return plan

    phrasing.cache_clear()
    before = vault.parts.committer.last
    cpu, wall = time.process_time(), time.perf_counter()
    with (
        patch.object(order, "DECIDING", tuple(map(timed, order.DECIDING))),
        patch.object(order, "SHOWING", tuple(map(timed, order.SHOWING))),
    ):
        done = vault.consolidate(full=full, tier="rules")
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    sizes = [
        (vault.root / layout.journal_path(number, vault.clock.now())).stat().st_size
        for number in range(before + 1, done.transaction + 1)
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name}: {wall:.2f} s, {len(done.steps):,} steps in {len(sizes)} transactions, the largest"
        f" {max(sizes, default=0) / 1e6:.1f} MB, peak memory {peak:.0f} MB",
        flush=True,
    )
    return {name: cpu} | {part: taken for part, taken in found.items() if taken >= _SHOWN * cpu}


# -- with a model ----------------------------------------------------------------------------------


class SlowModel:
    """Answers each question after some seconds, with an object that says nothing."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._counting = threading.Lock()
        self._here, self.most = 0, 0

    def __call__(self, asked: Asked, handler: Handler) -> None:
        with self._counting:
            self._here += 1
            self.most = max(self.most, self._here)
        time.sleep(self._seconds)
        with self._counting:
            self._here -= 1
        answers(json.dumps({"synthesis": "", "pairs": [], "lines": []}))(asked, handler)


def _with_model(count: int, seconds: float) -> None:
    """Two nights of a vault of so many memories, with a model that takes its time."""
    model = SlowModel(seconds)
    with scratch() as (folder, make), ModelServer([model]) as server:
        with make() as vault:
            live_in(vault, LivedIn(count), 0, count)
            vault.parts.index.refresh()
        for name in ("first night", "second night"):
            start, before = time.perf_counter(), len(server.requests)
            with _opened(folder, server.base_url) as vault:
                run = vault.consolidate().run
            wall, asked = time.perf_counter() - start, len(server.requests) - before
            kinds = dict(Counter(_prompts(folder)[before:]))
            longest = sorted(run.passes, key=lambda one: -one[1])[:5]
            print(
                f"{count:,} memories, {name}: {wall:.1f} s, {asked} questions of {seconds:g} s,"
                f" {model.most} at a time: {kinds}\n  steps {dict(run.steps)}\n  longest {longest}",
                flush=True,
            )


def _prompts(folder: Path) -> list[str]:
    """What each request was for."""
    path = folder / "vault" / LEDGER
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [json.loads(line)["prompt"] for line in lines]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="how long a consolidation takes")
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--compared", type=int, default=1_000)
    parser.add_argument("--model-seconds", type=float, metavar="S")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    if options.model_seconds is not None:
        for size in sizes:
            _with_model(size, options.model_seconds)
        return
    told = list(memories(max(sizes)))
    rows: dict[str, dict[int, float]] = {}
    for size in sizes:
        print(f"\n{size:,} memories", flush=True)
        found = _in_memory(told[:size], options.compared) | _in_vault(size)
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
