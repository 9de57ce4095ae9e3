"""Difference of two phases: `python -m tests.benchmarks.phases [--memories N]`.

A vault with so many memories of one project, half of them made in each of two phases, every fourth
of the older half out of use since the second began. CPU time of what changed between the two, and
of what is live in each phase; beside `list` of all memories in the same run.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from engram.model.item import Store
from engram.model.memory import Memory
from engram.store.base.clock import FixedClock
from engram.store.files.memory_file import render_memory
from engram.vault import Vault
from tests.benchmarks.events import seconds

_NOW, _BEGAN, _ENDED = "2026-03-06T12:00:00Z", "2026-03-04T10:00:00Z", "2026-03-05T08:00:00Z"
_SHOP = Store("project", "shop")


def memory(number: int, count: int) -> Memory:
    """One of so many memories."""
    day = "2026-03-01" if number < count // 2 else "2026-03-05"
    name = f"fact-{day.replace('-', '')}-090000-{number:08x}"
    gone = day == "2026-03-01" and number % 4 == 0
    return Memory(
        name, "fact", f"Shelf {number} of the shop holds {number % 97} jars.",
        f"facts/{day}/{name}.md", status="retired" if gone else "active",
        created=f"{day}T09:00:00Z", status_since=_ENDED if gone else "", project="shop",
    )  # fmt: skip


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    count = parser.parse_args().memories
    with tempfile.TemporaryDirectory() as folder:
        home = {"ENGRAM_HOME": f"{folder}/home", "HOME": folder}
        with Vault.create(Path(folder) / "v", environment=home, clock=FixedClock(_NOW)) as vault:
            for number in range(count):
                one = memory(number, count)
                path = vault.root / one.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(render_memory(one))
            page = f'- {_BEGAN} project/shop "beta": release\n'
            (vault.root / "phases.md").write_text(page, encoding="utf-8")
            vault.take_up_edits()
            found = vault.phase_diff(_SHOP).diff
            print(f"{count:,} memories: {', '.join(found.summary_lines)}")
            every = tuple({"active", "retired"})
            peer = seconds(lambda: vault.list(statuses=every, limit=count))
            print(f"list of them {peer:.3f} s")
            asked: dict[str, Callable[[], object]] = {
                "phases diff": lambda: vault.phase_diff(_SHOP),
                "phases list": lambda: vault.phases(_SHOP),
            }
            for name, do in asked.items():
                took = seconds(do)
                print(f"{name}: {took:.3f} s, {took / peer:.2f} of that")


if __name__ == "__main__":
    main()
