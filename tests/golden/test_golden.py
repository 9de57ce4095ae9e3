"""Each transcript of the command line is played again and must come out as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.surfaces.cli.verbs import VERBS
from tests.golden.transcript import HERE, play, transcripts


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_the_command_line_says_what_it_said(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert play(text, tmp_path) == text, f"python -m tests.golden --update {path.stem}"


def test_every_verb_has_a_transcript_that_uses_it() -> None:
    for verb in VERBS:
        text = (HERE / f"{verb}.eng").read_text(encoding="utf-8")
        assert any(line.startswith("$ ") and f" {verb}" in line for line in text.splitlines())
        assert text.startswith("# ")


def test_no_transcript_shows_a_traceback() -> None:
    for path in transcripts():
        text = path.read_text(encoding="utf-8")
        assert "Traceback" not in text and "[exit 70]" not in text, path.stem
