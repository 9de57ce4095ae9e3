"""The face as a process of its own: what it says of itself, and what it does not load."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from engram import __version__
from tests.qmd.desk import Desk

ROOT = Path(__file__).parents[2]


def engram(machine: Desk, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *words], cwd=machine.folder, capture_output=True, timeout=60, check=False,
        env=machine.environment | {"PYTHONPATH": str(ROOT), "PWD": str(machine.folder)},
    )  # fmt: skip


def test_it_says_which_qmd_it_is(bare: Desk) -> None:
    ran = engram(bare, "-m", "engram", "qmd", "--version")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode() == f"qmd 2.8.3 (engram {__version__})\n"


def test_help_and_no_command(bare: Desk) -> None:
    assert bare.run("--help").code == 0 and bare.run().code == 1
    assert bare.run("--help").out == bare.run().out


def test_it_answers_in_utf8_whatever_the_locale_says(machine: Desk) -> None:
    machine.environment |= {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    ran = engram(machine, "-m", "engram", "qmd", "search", "varnish", "--json")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "Öl für das Boot." in ran.stdout.decode()


def test_a_reader_that_goes_away_is_no_failure(machine: Desk) -> None:
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [sys.executable, "-m", "engram", "qmd", "ls", "notes"], stdout=write, stderr=-1,
        check=False,
        env=machine.environment | {"PYTHONPATH": str(ROOT)}, cwd=machine.folder, timeout=60,
    )  # fmt: skip
    os.close(write)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_search_loads_only_what_it_needs(machine: Desk) -> None:
    code = (
        "import sys; from engram.surfaces.qmd.app import run; run(['search', 'yawl']);"
        "print(sorted(sys.modules))"
    )
    loaded = engram(machine, "-c", code).stdout.decode()
    heavy = r"'(click|whoosh|frontmatter|openai|httpx2|asyncio|subprocess|engram\.vault)'"
    assert re.findall(heavy, loaded) == []


def test_the_command_line_has_it_too(machine: Desk) -> None:
    ran = engram(machine, "-m", "engram", "--json", "qmd", "search", "yawl")
    assert ran.returncode == 0 and b'"file": "qmd://notes/boats/yawl.md"' in ran.stdout
    assert engram(machine, "-m", "engram", "--vault", "x", "qmd", "nonsense").returncode == 1
