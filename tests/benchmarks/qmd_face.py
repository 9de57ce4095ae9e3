"""The qmd face beside the real qmd: `python -m tests.benchmarks.qmd_face [--notes 10000]`.

A folder of invented notes; each program indexes it from empty, brings it up to date with nothing
changed and with one note changed, and answers searches, every time as a process of its own. The
real qmd is left out where it is not on this machine. A cell is `CPU seconds (wall seconds)`, and
behind the peer's the ratio of CPU time, engram to peer.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks import processes
from tests.benchmarks.invented import Invented
from tests.benchmarks.processes import Taken, middle, of_process
from tests.benchmarks.table import Table

#: as the installed command does it
_ENGRAM = (sys.executable, "-c", "from engram.surfaces.qmd.app import main; main()")


def write_notes(folder: Path, count: int) -> list[str]:
    """So many notes of three memories each, in folders of a hundred; returns their texts."""
    invented, texts = Invented(), []
    for number in range(count):
        said = [invented.memory(3 * number + part).text for part in range(3)]
        text = f"# {said[0][:40]}\n\n" + "\n\n".join(said) + "\n"
        file = folder / f"{number // 100:04d}" / f"note-{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        texts.append(text)
    return texts


def measure(
    table: Table, who: str, command: Sequence[str], folder: Path, asked: Sequence[str]
) -> None:
    """What one program takes for each row, with a configuration and cache of its own."""
    notes, home = folder / "notes", folder / who
    home.mkdir()
    environment = {
        **os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"), "ENGRAM_HOME": str(home / "engram"),
        "PYTHONPATH": os.pathsep.join(sys.path), "PWD": str(home),
    }  # fmt: skip

    def run(*words: str) -> Taken:
        return of_process([*command, *words], environment, home)[0]

    table.put("index from empty", who, run("collection", "add", str(notes)))
    table.put("update, nothing changed", who, run("update"))
    changed = notes / "0000" / "note-0.md"
    changed.write_text(f"{changed.read_text('utf-8')}\nChanged for {who}.\n", encoding="utf-8")
    table.put("update, one note changed", who, run("update"))
    searches = [run("search", words, "--json") for words in asked]
    table.put("cold search --json, median", who, middle(searches))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--searches", type=int, default=20)
    options = parser.parse_args()
    table = Table(f"{options.notes:,} notes", options.notes)
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as place:
        folder = Path(place)
        texts = write_notes(folder / "notes", options.notes)
        invented = Invented()
        asked = [invented.question(number, 2, texts) for number in range(options.searches)]
        measure(table, "engram", _ENGRAM, folder, asked)
        if (real := processes.peers().get("qmd")) is not None:
            measure(table, "qmd", [real], folder, asked)
    table.print()


if __name__ == "__main__":
    main()
