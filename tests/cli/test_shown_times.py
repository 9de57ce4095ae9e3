"""Days and times are shown in the vault's time zone; one that is only guessed is told as such."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.golden.console import run

HALF_PAST_MIDNIGHT = (
    '{"role": "user", "content": "We decided to use Postgres because two writers need it.",'
    ' "timestamp": "2026-03-05T23:30:00Z", "session": "s", "project": "shop"}\n'
)
UNDATED = """\
{"role": "user", "content": "We decided to use Postgres because two writers need it."}
{"role": "user", "content": "The release was on 5 March 2024. We moved to Lisbon yesterday."}
"""


def vault_of(folder: Path, lines: str, zone: str = "Europe/Berlin") -> None:
    """A vault in the zone, with what the user says in a file of 3 February 2025."""
    assert run(["init"], folder, {"TZ": zone}).code == 0
    path = folder / "chat.jsonl"
    path.write_text(lines, encoding="utf-8")
    os.utime(path, (0, 1_738_576_800))
    assert run(["import", "jsonl", "chat.jsonl"], folder).code == 0


def test_what_was_said_before_midnight_in_utc_was_said_on_the_next_day_in_berlin(
    tmp_path: Path,
) -> None:
    vault_of(tmp_path, HALF_PAST_MIDNIGHT)
    (transcript,) = (tmp_path / "engram" / "transcripts").rglob("*.md")
    block = re.search(r"\^m[0-9a-f]{10}", transcript.read_text(encoding="utf-8"))
    link = f"{transcript.stem}#{block[0]}" if block else ""
    for command in (["list"], ["today"], ["search", "postgres"], ["recall", "which", "postgres"]):
        shown = run(command, tmp_path).out
        assert "2026-03-06 decision" in shown and "2026-03-05 decision" not in shown, command
    assert "2026-03-06 00:30" in run(["boxes"], tmp_path).out
    assert "2026-03-06T00:30:00+01:00" in run(["show", link], tmp_path).out
    assert "2026-03-06T00:30:00+01:00" in run(["why", "decision"], tmp_path).out
    (fact,) = (tmp_path / "engram" / "facts" / "2026-03-05").glob("decision-*.md")
    assert "created: 2026-03-05T23:30:00Z" in fact.read_text(encoding="utf-8")


def test_a_guessed_day_is_told_as_about_one_and_answers_no_when(tmp_path: Path) -> None:
    vault_of(tmp_path, UNDATED, "UTC")
    listed = run(["list"], tmp_path).out
    assert "about 2025-02-03 decision  We decided to use Postgres" in listed
    assert "We moved to Lisbon yesterday" in listed  # nobody knows of which day
    assert "learnt on 2025-02-03" in run(["today", "--day", "2025-02-03"], tmp_path).err
    assert "- about 2025-02-03 decision: " in run(["recall", "use", "postgres"], tmp_path).out
    (fact,) = (tmp_path / "engram" / "facts" / "2025-02-03").glob("decision-*-839ac264.md")
    (transcript,) = (tmp_path / "engram" / "transcripts").rglob("*.md")
    for file in (fact, transcript):
        assert "\ndated: guessed\n" in file.read_text(encoding="utf-8")
    release = run(["recall", "when was the release?"], tmp_path).out
    assert "- answer (confidence 0.90): 5 March 2024" in release
    for question in ("when did we decide to use postgres?", "when did we move to Lisbon?"):
        answered = run(["recall", question], tmp_path).out
        assert "2025-02-0" not in answered.replace("about 2025-02-03", ""), answered
        assert "answer (confidence" not in answered
