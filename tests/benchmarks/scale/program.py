"""How it goes with size: `python -m tests.benchmarks.scale`.

    --sizes 1000,10000     memories of each vault; 100,000 take many minutes
    --turns 10000,100000   turns of each vault of conversations; so do 1,000,000
    --rows adoption,night  only these groups, see GROUPS in `memories` and in `turns`
    --notes FOLDER         notes of somebody else, the first so many, instead of invented ones
    --plots FOLDER         draw this run and earlier ones, whose figures `figures.json` there keeps

A vault of memories begins as a folder of notes that another program wrote (`notes`), which the
program has never seen. In the same run SQLite's FTS5 does the same with the same texts, and so do
qmd (up to 10,000 notes) and ripgrep where they are on this machine.

A cell is `CPU seconds (wall seconds)`, and behind a peer's the ratio of CPU time, engram to peer.
Each process is timed from outside; what happens within one process is timed there. The last table
has the CPU seconds of all sizes with the exponents between them: 1 grows as the size does. What a
whole process takes in an empty vault, mostly its start, is taken off before.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.benchmarks import fts5, processes
from tests.benchmarks.scale import memories, notes, turns
from tests.benchmarks.scale.growth import Figures
from tests.benchmarks.scale.measured import Measured


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=_numbers, default="1000,10000")
    parser.add_argument("--turns", type=_numbers, default="10000,100000")
    parser.add_argument("--rows", type=lambda text: frozenset(text.split(",")))
    parser.add_argument("--notes", type=Path)
    parser.add_argument("--plots", type=Path)
    parser.add_argument("--runs", type=int, default=10, help="of each process; medians are told")
    parser.add_argument("--questions", type=int, default=60, help="of each number of words")
    options = parser.parse_args()
    known = memories.GROUPS.keys() | turns.GROUPS.keys()
    chosen = options.rows or frozenset(known)
    if unknown := chosen - known:
        parser.error(f"no rows {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    with processes.compiled_before():
        _measure(options, chosen)


def _measure(options: argparse.Namespace, chosen: frozenset[str]) -> None:
    """The tables of all sizes, and the pictures."""
    others, with_fts5 = processes.peers(), fts5.available()
    print("CPU seconds (wall seconds), and CPU of engram by CPU of the peer")
    figures = Figures()
    kept = options.plots / "figures.json" if options.plots else None
    of_memories = options.sizes if chosen & memories.GROUPS.keys() else []
    if len(of_memories) > 1 or (of_memories and kept):
        figures.starts = memories.starts(chosen, options.runs)
    for count in of_memories:
        at_most = notes.count_of(options.notes, count)
        measured = Measured(at_most, options.runs, options.questions, others, with_fts5)
        figures.add("memories", memories.measure(measured, chosen, options.notes), kept)
    for count in options.turns if chosen & turns.GROUPS.keys() else []:
        measured = Measured(count, options.runs, options.questions, others, with_fts5)
        figures.add("turns", turns.measure(measured, chosen), kept)
    figures.print()
    if options.plots:
        from tests.benchmarks.scale.pictures import draw

        draw(figures, options.plots)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]
