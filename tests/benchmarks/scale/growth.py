"""Figures of several sizes: CPU seconds by what was measured, and how they grow with the size.

The exponent between two sizes is the slope of a line through both on log-log paper: 1 grows as the
size does, 0 not at all. `starts` is what a process takes that has nothing to do, which is taken off
before; what is then left of both sizes has to be more than `_LEAST`, or the slope is one of noise.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tests.benchmarks.processes import Taken, seconds
from tests.benchmarks.table import Table

#: the most that anything may grow: exponent
MOST = 1.1
#: CPU seconds of a whole process, and of a part of one, below which no slope is told
_LEAST, _LEAST_WITHIN = 0.03, 1e-4

#: what is measured, of how many, who: CPU seconds
_Rows = dict[str, dict[str, dict[int, float]]]


@dataclass(slots=True)
class Figures:
    """CPU seconds: `kinds[kind][what][who][count]`, kind being "memories" or "turns"."""

    kinds: dict[str, _Rows] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)
    #: `(what, count)`: the most CPU seconds
    wanted: dict[tuple[str, int], float] = field(default_factory=dict)

    def add(self, kind: str, table: Table, kept: Path | None = None) -> None:
        """The figures of one size, whose table is printed; with a file, see `join`."""
        table.print()
        self.wanted |= table.wanted
        rows = self.kinds.setdefault(kind, {})
        for what, row in table.rows.items():
            for who, value in row.items():
                if isinstance(value, Taken):
                    rows.setdefault(what, {}).setdefault(who, {})[table.count] = value.cpu
        if kept:
            self.join(kept)

    def exponents(self, what: str, taken: dict[int, float]) -> list[float | None]:
        """Between each size of one row and the next; None where there is nothing to tell."""
        start = self.starts.get(what)
        least = _LEAST_WITHIN if start is None else _LEAST
        found: list[float | None] = []
        for few, many in pairwise(sorted(taken)):
            less, more = (taken[size] - (start or 0.0) for size in (few, many))
            told = min(less, more) >= least
            found.append(math.log(more / less) / math.log(many / few) if told else None)
        return found

    def print(self) -> None:
        """One table for each kind: engram's CPU seconds of each size, and the exponents."""
        for kind, rows in self.kinds.items():
            sizes = sorted({size for row in rows.values() for size in row.get("engram", ())})
            print(f"\ngrowth with {kind}, CPU of engram\n")
            counts = " | ".join(f"{size:,}" for size in sizes)
            print(f"| | start | {counts} | exponents (at most {MOST}) |")
            print("|---|" + "---|" * (len(sizes) + 2))
            for what, row in rows.items():
                taken = row.get("engram", {})
                cells = [seconds(taken[size]) if size in taken else "" for size in sizes]
                start = seconds(self.starts[what]) if what in self.starts else ""
                told = ["-" if one is None else f"{one:.2f}" for one in self.exponents(what, taken)]
                print(f"| {what} | {start} | {' | '.join(cells)} | {', '.join(told)} |")

    def join(self, file: Path) -> None:
        """Take in what earlier runs left in a file, where this one has no figure; write it anew."""
        if file.exists():
            kept = json.loads(file.read_text(encoding="utf-8"))
            self.starts = kept["starts"] | self.starts
            for kind, rows in kept["kinds"].items():
                for what, row in rows.items():
                    for who, taken in row.items():
                        mine = self.kinds.setdefault(kind, {}).setdefault(what, {})
                        earlier = {int(size): value for size, value in taken.items()}
                        mine[who] = earlier | mine.get(who, {})
        file.parent.mkdir(parents=True, exist_ok=True)
        told = {"starts": self.starts, "kinds": self.kinds}
        file.write_text(json.dumps(_rounded(told), indent=1) + "\n", encoding="utf-8")


def _rounded(value: object) -> object:
    """Three digits of every figure."""
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return float(f"{value:.3g}") if isinstance(value, float) else value
