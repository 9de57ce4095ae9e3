"""What one vault is measured with: of how many, how often, beside whom; and how a part is run."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.processes import Place, of_process

#: more notes than this take qmd longer than anybody waits
_MOST_OF_QMD = 10_000
#: a vault this large is measured once, where a smaller one is several times
_LARGE = 50_000


@dataclass(frozen=True, slots=True)
class Measured:
    """How a vault of `count` memories or turns is measured."""

    count: int
    runs: int
    questions: int
    others: Mapping[str, str]
    with_fts5: bool

    @property
    def repeats(self) -> int:
        """How often what takes as long as the vault is large."""
        return min(self.runs, 3) if self.count < _LARGE else 1

    @property
    def qmd(self) -> str:
        """Where qmd is, if it is asked at this size; else empty."""
        return self.others.get("qmd", "") if self.count <= _MOST_OF_QMD else ""


def of_part(place: Place, name: str, *words: object) -> dict[str, Any]:
    """What a function of `parts` measured in a process of its own."""
    command = (sys.executable, "-m", "tests.benchmarks.scale.parts", name, str(place.folder))
    told = of_process((*command, *map(str, words)), place.environment, place.folder)[1]
    found: dict[str, Any] = json.loads(told.splitlines()[-1])
    return found
