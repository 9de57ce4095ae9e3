"""Table of a measurement: what was measured by who did it, engram first, as Markdown.

A cell is `CPU seconds (wall seconds)`, and behind a peer's the ratio of CPU time, engram to peer.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.benchmarks.processes import Taken, seconds


@dataclass(slots=True)
class Table:
    """Rows by what was measured; `count` is of how many, `wanted` the most CPU seconds of a row."""

    title: str
    count: int
    wanted: Mapping[tuple[str, int], float] = field(default_factory=dict)
    rows: dict[str, dict[str, Taken | str]] = field(default_factory=dict)

    def put(self, what: str, who: str, value: Taken | str) -> None:
        """Fill a cell."""
        self.rows.setdefault(what, {})[who] = value

    def print(self) -> None:
        """To standard output."""
        names = list(dict.fromkeys(name for row in self.rows.values() for name in row))
        print(f"\n{self.title}\n")
        print(f"| | {' | '.join(names)} | wanted |")
        print(f"|---|{'---|' * len(names)}---|")
        for what, row in self.rows.items():
            cells = [_cell(row.get(name), row.get("engram")) for name in names]
            wanted = self.wanted.get((what, self.count))
            print(f"| {what} | {' | '.join(cells)} | {seconds(wanted) if wanted else ''} |")
        sys.stdout.flush()


def _cell(value: Taken | str | None, own: Taken | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, Taken) and isinstance(own, Taken) and value is not own:
        ratio = own.cpu / max(value.cpu, 1e-9)
        return f"{value} {ratio:.{0 if ratio >= 10 else 1 if ratio >= 1 else 2}f}x"
    return str(value)
