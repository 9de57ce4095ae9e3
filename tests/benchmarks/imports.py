"""How fast is capture: `python -m tests.benchmarks.imports [--mb N] [--sources A,B] [--path FILE]`.

Imports transcripts of every source (made here, see `transcripts`) into a fresh vault each, without
extraction, and compares with bare `json.loads` of the same bytes in the same run: of each line, of
a whole document, of what a zip holds; with reading line by line where the form is Markdown. The
index is brought up apart, because a search does that when it is first needed. Then the peak of
memory while a large export is read, and with `--path` the speed on real Claude Code transcripts.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.benchmarks.transcripts import FORMS, prose, write

__all__ = ["Import", "bare", "measured", "prose", "scratch", "timed_import"]

_NOW = "2026-03-06T12:00:00Z"
_ROOT = Path(__file__).parents[2]
_READER = """
import sys
from pathlib import Path
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.benchmarks.processes import peak
with Vault.create(sys.argv[1], clock=FixedClock("2026-03-06T12:00:00Z")) as vault:
    report, _ = vault.import_files("chatgpt", Path(sys.argv[2]), extract=False, index=False)
print(report.new_turns, peak())
"""


@dataclass(frozen=True, slots=True)
class Import:
    """What an import took in, and CPU and wall seconds of it; index and peer in CPU seconds."""

    size: float
    turns: int
    cpu: float
    wall: float
    index: float
    peer: float


@contextmanager
def scratch() -> Iterator[tuple[Path, Callable[[], Vault]]]:
    """A folder for one measurement, and a maker of its fresh vault."""
    folder = Path(tempfile.mkdtemp(prefix="engram-bench-"))
    try:
        environment = {"ENGRAM_HOME": str(folder / "home")}
        yield (
            folder,
            lambda: Vault.create(folder / "vault", environment=environment, clock=FixedClock(_NOW)),
        )
    finally:
        shutil.rmtree(folder)


def bare(paths: Sequence[Path]) -> float:
    """CPU seconds that the least takes that any reader of these files has to do."""
    start = time.process_time()
    for path in paths:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as whole:
                for name in whole.namelist():
                    json.loads(whole.read(name))
        elif path.suffix == ".json":
            json.loads(path.read_bytes())
        else:
            _lines(path)
    return time.process_time() - start


def _lines(path: Path) -> None:
    with path.open("rb") as stream:
        for line in stream:
            if path.suffix == ".jsonl":
                try:
                    json.loads(line)
                except ValueError:
                    continue
            else:
                line.decode("utf-8", "replace")


def timed_import(make: Callable[[], Vault], source: str, path: Path) -> Import:
    """Import a file or folder, capture and index apart, and do the same bare."""
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    peer = bare(files)
    with make() as vault:
        # the pattern tables are compiled once a process, like its modules: no part of the rate
        assert vault.parts.redactor.clean("")
        cpu, wall = time.process_time(), time.perf_counter()
        turns = vault.import_files(source, path, extract=False, index=False)[0].new_turns
        wall, captured = time.perf_counter() - wall, time.process_time()
        vault.parts.index.refresh()
        index = time.process_time() - captured
    size = sum(_unpacked(file) for file in files)
    return Import(size, turns, captured - cpu, wall, index, peer)


def _unpacked(file: Path) -> int:
    if file.suffix != ".zip":
        return file.stat().st_size
    with zipfile.ZipFile(file) as whole:
        return sum(info.file_size for info in whole.infolist())


def measured(name: str, megabytes: float) -> Import:
    """An import of invented transcripts; `name` is one of `FORMS`."""
    with scratch() as (folder, make):
        write(folder / "made", FORMS[name], int(megabytes * 1e6))
        return timed_import(make, name.partition(" ")[0], folder / "made")


def row(name: str, one: Import) -> str:
    """A line of the table."""
    megabytes = one.size / 1e6
    cells = (
        name,
        f"{megabytes:.0f}" if megabytes >= 10 else f"{megabytes:.1f}",
        f"{one.turns:,}",
        f"{megabytes / one.cpu:.1f}",
        f"{one.turns / one.cpu:,.0f}",
        f"{megabytes / one.peer:,.0f}",
        f"{one.peer / one.cpu:.0%}" if one.peer / one.cpu >= 0.02 else f"{one.peer / one.cpu:.1%}",
        f"{one.wall / one.cpu:.2f}",
        f"{one.index:.1f} s",
    )
    return f"| {' | '.join(cells)} |"


def peak_of_export(megabytes: float, name: str) -> tuple[int, int]:
    """Turns, and the most memory in bytes, of a process that imports a large export."""
    with scratch() as (folder, _):
        write(folder / "made", FORMS[name], int(megabytes * 1e6))
        kept = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
        own = {"ENGRAM_HOME": str(folder / "home"), "HOME": str(folder), "PYTHONPATH": str(_ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", _READER, str(folder / "vault"), str(folder / "made")],
            env=kept | own, capture_output=True, text=True, check=True,
        )  # fmt: skip
    turns, peak = map(int, done.stdout.split())
    return turns, peak


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--path", type=Path, help="a real transcript, or a folder of them")
    parser.add_argument("--mb", type=float, default=20, help="of each source")
    parser.add_argument("--sources", default=",".join(FORMS))
    parser.add_argument("--export-mb", type=float, default=200)
    options = parser.parse_args()
    print(
        "| source | MB | turns | MB/s | turns/s | bare MB/s | of bare | wall/CPU | index |\n"
        "|---|---|---|---|---|---|---|---|---|"
    )
    for name in options.sources.split(","):
        print(row(name, measured(name, options.mb)), flush=True)
    if options.path:
        with scratch() as (_, make):
            print(row("claude-code, real", timed_import(make, "claude-code", options.path)))
    for name in ("chatgpt", "chatgpt (zip)"):
        turns, peak = peak_of_export(options.export_mb, name)
        print(
            f"{name}, {options.export_mb:.0f} MB, {turns:,} turns: peak memory {peak / 1e6:.0f} MB"
        )


if __name__ == "__main__":
    main()
