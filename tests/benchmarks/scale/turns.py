"""Rows of vaults of conversations: import, index, searches and recall of invented turns.

FTS5 has the same texts, and gives a turn nothing for what its neighbours say; what an import has to
do at least is told by parsing each line with `json.loads`.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.benchmarks.processes import Place, Taken, megabytes, scratch_place, share
from tests.benchmarks.scale.measured import Measured, of_part
from tests.benchmarks.scale.memories import TERMS
from tests.benchmarks.table import Table

IMPORT, INDEX = "import of turns", "index of turns"
WANTED = {
    ("3 words in turns, finder: p50", 100_000): 0.035,
    ("when in turns, finder: p50", 100_000): 0.080,
}


def measure(measured: Measured, chosen: frozenset[str]) -> Table:
    """The chosen groups; the turns are imported and indexed in any case."""
    table = Table(f"{measured.count:,} turns", measured.count, WANTED)
    with scratch_place() as here:
        of_part(here, "talk", measured.count)
        for name, group in GROUPS.items():
            if name in chosen or name == "turns":
                group(here, measured, table)
    return table


def taken_in(here: Place, measured: Measured, table: Table) -> None:
    """The import of one file, without extraction, and the index that the first search makes."""
    told = of_part(here, "take_in", measured.count)
    table.put(IMPORT, "engram", Taken(*told["import"]))
    table.put(IMPORT, "json.loads", Taken(*of_part(here, "read_only", 0)["import"]))
    table.put(INDEX, "engram", Taken(*told["index"]))
    table.put("... on disk", "engram", megabytes(told["size"]))
    table.put("... peak memory of both", "engram", megabytes(told["peak"]))


def asked(here: Place, measured: Measured, table: Table) -> None:
    """Searches and recall by a process that stays open."""
    told = {"engram": of_part(here, "ask_turns", measured.count, measured.questions)}
    if measured.with_fts5:
        told["FTS5"] = of_part(here, "turns_fts5", measured.count, measured.questions)
        table.put(INDEX, "FTS5", Taken(*told["FTS5"]["index"]))
        table.put("... on disk", "FTS5", megabytes(told["FTS5"]["size"]))
    for place, terms in enumerate(TERMS):
        for who, found in told.items():
            for percent in (50, 95):
                row = f"{terms} word{'s' if terms > 1 else ''} in turns, finder: p{percent}"
                table.put(row, who, share(found["finder"][place], percent))
    own = told["engram"]
    rows = {f"{name} in turns, finder": times for name, times in own["of_time"].items()}
    rows |= {"3 words, the whole search": own["whole"], "recall, open": own["recall"]}
    for what, times in rows.items():
        for percent in (50, 95):
            table.put(f"{what}: p{percent}", "engram", share(times, percent))
    table.put("open process, peak memory", "engram", megabytes(own["peak"]))


#: in the order in which they are run
GROUPS: dict[str, Callable[[Place, Measured, Table], None]] = {
    "turns": taken_in, "turn-search": asked,
}  # fmt: skip
