"""A transcript of 200 MB is read in bounded memory: what matters of it is little."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_MEGABYTE = 1_000_000
_MOST = 150 * _MEGABYTE

_READER = """
import resource, sys
from pathlib import Path
from engram.store.base.clock import FixedClock
from engram.vault import Vault
clock = FixedClock("2026-03-06T12:00:00Z")
with Vault.create(sys.argv[1], clock=clock) as vault:
    report, outcome = vault.import_files("claude-code", Path(sys.argv[2]))
    print(report.new_turns, outcome.memories, report.tally.lines)
status = Path("/proc/self/status")
if status.exists():
    # of this program alone: ru_maxrss on Linux counts the process that started it as well
    lines = status.read_text(encoding="ascii").splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak)
"""


def _write(path: Path, size: int) -> int:
    """Prompts, answers and, for nearly all of the size, results of tools; returns the lines."""

    def line(number: int, kind: str, content: object) -> bytes:
        row = {
            "type": kind, "uuid": f"u{number}", "sessionId": "s", "cwd": "/srv/shop",
            "timestamp": "2026-03-06T10:10:00Z",
            "message": {"id": f"a{number}", "role": kind, "content": content},
        }  # fmt: skip
        return json.dumps(row).encode() + b"\n"

    result = [{"type": "tool_result", "tool_use_id": "t", "content": "x" * 60_000}]
    large = [{"type": "tool_result", "tool_use_id": "t", "content": "y" * 8 * _MEGABYTE}]
    block = line(0, "user", result) * 100
    lines = 0
    with path.open("wb") as stream:
        stream.write(line(1, "user", "We decided to use Postgres for the shop."))
        stream.write(line(2, "user", large))
        stream.write(line(3, "assistant", [{"type": "text", "text": "Postgres it is."}]))
        lines += 3
        while stream.tell() < size:
            stream.write(block)
            lines += 100
        stream.write(line(4, "user", "We decided to ship the shop on Fridays."))
    return lines + 1


@pytest.mark.skipif(os.name == "nt", reason="peak memory is asked of POSIX")
def test_200_mb_of_tool_results_take_less_than_150_mb_of_memory(
    tmp_path: Path, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "huge.jsonl"
    lines = _write(path, 200 * _MEGABYTE)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ENGRAM_")}
    done = subprocess.run(
        [sys.executable, "-c", _READER, str(tmp_path / "vault"), str(path)],
        env=clean | environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    path.unlink()
    assert done.returncode == 0, done.stderr
    counts, peak = done.stdout.split("\n")[:2]
    with capsys.disabled():
        print(f"\n  200 MB of transcript: peak memory {int(peak) / _MEGABYTE:.0f} MB")
    assert counts == f"3 2 {lines}"
    assert int(peak) < _MOST
