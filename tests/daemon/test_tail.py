"""`engram capture --follow`: a real process, real files, real watchdog events."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engram.vault import Vault

#: sees how much time passes, or keeps the machine busy: one of these at a time
pytestmark = pytest.mark.xdist_group("clock")

#: a promise about behaviour, not about speed: far more than it takes
_PATIENCE = 120.0


@contextmanager
def following(
    vault: Vault, folder: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """The command, running until the block ends."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ENGRAM_")}
    command = "from engram.surfaces.cli.app import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "--vault", str(vault.root), "capture", "--follow",
         str(folder), "--source", "jsonl"],
        env=clean | environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert "following" in process.stderr.readline()
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=_PATIENCE)
        assert process.returncode == 0, errors


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"waited in vain for {what}")
        time.sleep(0.05)


def line(text: str, number: int) -> str:
    """One line of a generic transcript."""
    row = {
        "role": "user", "content": text, "session": "live", "project": "shop",
        "timestamp": f"2026-03-06T10:{number:02d}:00Z",
    }  # fmt: skip
    return json.dumps(row) + "\n"


def texts(open_vault: Callable[..., Vault]) -> list[str]:
    """The memories' words, seen by another process."""
    with open_vault() as vault:
        vault.ready_to_read()
        return [memory.text for memory in vault.parts.catalog.memories()]


def test_what_is_written_becomes_a_memory_while_it_is_followed(
    tmp_path: Path, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    (folder / "before.jsonl").write_text(line("I prefer tabs over spaces.", 1), encoding="utf-8")
    with following(open_vault(), folder, environment):
        until(lambda: len(texts(open_vault)) == 1, "the file that was there before")
        late = folder / "deep" / "late.jsonl"
        late.parent.mkdir()
        with late.open("a", encoding="utf-8") as stream:
            stream.write(line("I prefer dark mode in every editor.", 2))
            stream.flush()
            until(lambda: len(texts(open_vault)) == 2, "a file in a new folder")
            torn = line("We never deploy on a Friday.", 3)
            stream.write(torn[:20])
            stream.flush()
            time.sleep(0.5)
            stream.write(torn[20:])
        until(lambda: len(texts(open_vault)) == 3, "a line that was written in two pieces")
        renamed = folder / ".hidden.tmp"
        renamed.write_text(line("I always write tests before the code.", 4), encoding="utf-8")
        renamed.rename(folder / "renamed.jsonl")
        until(lambda: len(texts(open_vault)) == 4, "a file that was renamed into place")
    with open_vault() as vault:
        assert vault.doctor() == []


def test_a_folder_that_is_none_is_refused_in_one_line(
    tmp_path: Path, environment: dict[str, str], vault: Vault
) -> None:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ENGRAM_")}
    command = "from engram.surfaces.cli.app import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", command, "--vault", str(vault.root), "capture", "--follow",
         str(tmp_path / "nothing")],
        env=clean | environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True, text=True, timeout=_PATIENCE,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-2].startswith("error: ")
    assert done.stderr.splitlines()[-1].startswith("hint: ")
