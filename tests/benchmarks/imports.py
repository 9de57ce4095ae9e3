"""How fast is capture: `python -m tests.benchmarks.imports [--path FILE] [--mb N]`.

Imports Claude Code transcripts (made here, or real ones that `--path` names) and short generic
turns into a fresh vault without extraction, and compares with bare `json.loads` of the same lines
in the same run. The index is brought up apart, because a search does that when it is first needed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engram.store.clock import FixedClock
from engram.vault import Vault

_NOW = "2026-03-06T12:00:00Z"
_TEXT = (
    "the order service keeps its own ledger and we moved the retry loop out of the "
    "handler because two writers met on one row last week please keep the old column "
    "until friday and tell mara"
)
_WORDS = _TEXT.split()


def prose(seed: int, words: int) -> str:
    """Some sentence-like text, the same for the same seed."""
    return " ".join(
        _WORDS[(seed * 7 + place * (seed % 5 + 1)) % len(_WORDS)] for place in range(words)
    )


def claude_code_lines(megabytes: float) -> Iterator[bytes]:
    """Lines in the shares that real transcripts have: mostly tool output, progress and thinking."""
    size, number = 0, 0
    while size < megabytes * 1_000_000:
        number += 1
        base = {
            "parentUuid": f"{number - 1:08x}-p", "isSidechain": False, "userType": "external",
            "cwd": "/home/kim/shop", "sessionId": f"session-{number // 400}", "version": "2.1.0",
            "gitBranch": "main", "uuid": f"{number:08x}-u", "timestamp": _NOW,
        }  # fmt: skip
        kind = number % 20
        output = "\n".join(
            f"{n}\t{prose(number + n, 12)} return {{'a': [1, 2]}}" for n in range(60)
        )
        if kind == 0:
            row = base | {"type": "user", "message": {"role": "user", "content": prose(number, 40)}}
        elif kind in (1, 2):
            text = [{"type": "text", "text": prose(number, 90)}]
            row = base | {
                "type": "assistant",
                "message": {"id": f"m{number}", "role": "assistant", "content": text},
            }
        elif kind < 9:
            use = [
                {
                    "type": "tool_use",
                    "id": f"t{number}",
                    "name": "Bash",
                    "input": {"command": prose(number, 9)},
                }
            ]
            row = base | {
                "type": "assistant",
                "message": {"id": f"m{number}", "role": "assistant", "content": use},
            }
        elif kind < 16:
            result = [{"type": "tool_result", "tool_use_id": f"t{number}", "content": output}]
            row = base | {
                "type": "user",
                "message": {"role": "user", "content": result},
                "toolUseResult": {"stdout": output},
            }
        else:
            row = base | {
                "type": "progress",
                "data": {"type": "bash_progress", "output": output[:800]},
            }
        line = json.dumps(row).encode() + b"\n"
        size += len(line)
        yield line


def generic_lines(count: int) -> Iterator[bytes]:
    """Short turns of the generic JSON lines source."""
    for number in range(count):
        clock = f"{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}"
        row = {
            "role": "user" if number % 2 == 0 else "assistant", "content": prose(number, 14),
            "timestamp": f"2026-03-{number // 50_000 + 1:02d}T{clock}Z",
            "session": f"s{number // 500}", "project": "shop", "id": str(number),
        }  # fmt: skip
        yield json.dumps(row).encode() + b"\n"


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


def bare(paths: list[Path]) -> float:
    """Seconds that it takes to read the files line by line and `json.loads` each line."""
    start = time.perf_counter()
    for path in paths:
        with path.open("rb") as stream:
            for line in stream:
                try:
                    json.loads(line)
                except ValueError:
                    continue
    return time.perf_counter() - start


def timed_import(make: Callable[[], Vault], source: str, path: Path) -> tuple[float, float, int]:
    """`(seconds to capture, seconds to index, new turns)`."""
    with make() as vault:
        # the pattern tables are compiled once a process, like its modules: no part of the rate
        assert vault.house.redactor.clean("")
        start = time.perf_counter()
        turns = vault.import_files(source, path, extract=False, index=False)[0].new_turns
        captured = time.perf_counter() - start
        vault.shelf.refresh()
        return captured, time.perf_counter() - start - captured, turns


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--path", type=Path, help="a real transcript, or a folder of them")
    parser.add_argument("--mb", type=float, default=40)
    parser.add_argument("--turns", type=int, default=20_000)
    options = parser.parse_args()
    with scratch() as (folder, make):
        path = options.path or folder / "session.jsonl"
        if not options.path:
            path.write_bytes(b"".join(claude_code_lines(options.mb)))
        paths = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        size = sum(one.stat().st_size for one in paths) / 1e6
        alone = bare(paths)
        captured, indexed, turns = timed_import(make, "claude-code", path)
        print(
            f"claude-code {size:.0f} MB, {turns} turns: {size / captured:.0f} MB/s,"
            f" {alone / captured:.0%} of bare json.loads ({size / alone:.0f} MB/s);"
            f" index {indexed:.1f} s"
        )
    with scratch() as (folder, make):
        path = folder / "turns.jsonl"
        path.write_bytes(b"".join(generic_lines(options.turns)))
        captured, indexed, turns = timed_import(make, "jsonl", path)
        print(
            f"generic {turns} short turns: {turns / captured:,.0f} turns/s; index {indexed:.1f} s"
        )


if __name__ == "__main__":
    main()
