"""The manual page names every listed verb with its options, and roff reads it without a warning."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from engram.surfaces.cli.verbs import GROUPS, HIDDEN
from tests.golden.console import run


def test_the_manual_page_tells_of_every_listed_verb(tmp_path: Path) -> None:
    page = run(["man"], tmp_path).out
    for group in GROUPS.values():
        for verb in group:
            assert f'\n.SS "engram {verb}"\n' in page
    assert not any(f'.SS "engram {verb}"' in page for verb in HIDDEN)
    assert "\n.B \\-\\-since DAY\n" in page
    assert "\nengram daemon pause claude\\-code\n" in page


def test_no_line_of_a_help_is_taken_for_a_request(tmp_path: Path) -> None:
    known = {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".RS", ".RE", ".nf", ".fi"}
    page = run(["man"], tmp_path).out
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests == known


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff on this machine")
def test_groff_reads_the_manual_page_without_a_warning(tmp_path: Path) -> None:
    page = run(["man"], tmp_path).out
    read = subprocess.run(
        ["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z"],
        input=page, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (read.returncode, read.stderr) == (0, "")
