"""Copies of what the inbox took: what a purge takes out of them, and what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engram.model.turn import turn_of
from engram.store.base.disk import VaultDisk
from engram.store.files.taken_copies import TakenCopies

NOW = "2026-03-06T10:00:00Z"
TURNS = [
    turn_of("user", "We open at nine.\n\n---\n\nNot on Sundays.", NOW),
    turn_of("assistant", "Noted.", NOW),
    turn_of("user", "yes", NOW),
    turn_of("user", "yesterday we sold tea", NOW),
]


@pytest.fixture
def copies(tmp_path: Path) -> TakenCopies:
    return TakenCopies(VaultDisk(tmp_path))


@pytest.mark.parametrize("name", ["talk.md", "talk.txt", "talk.jsonl"])
def test_a_purged_turn_goes_and_the_others_stay(
    copies: TakenCopies, tmp_path: Path, name: str
) -> None:
    copies.write(name, TURNS)
    copies.write(name, TURNS)
    path = tmp_path / "inbox" / "taken" / name
    assert [one.name for one in path.parent.iterdir()] == [name]
    assert copies.purge([TURNS[2].message], [TURNS[2].text, TURNS[0].text]) == [
        f"inbox/taken/{name}"
    ]
    left = path.read_text(encoding="utf-8")
    assert "nine" not in left and "Sundays" not in left
    assert "Noted." in left and "yesterday we sold tea" in left
    if name.endswith(".jsonl"):
        rows = [json.loads(line) for line in left.splitlines()]
        assert [row["turn"] for row in rows] == [TURNS[1].message, TURNS[3].message]
    else:
        assert left.count("yes") == 1
    copies.purge([turn.message for turn in TURNS], [turn.text for turn in TURNS])
    assert not path.exists()


def test_a_file_of_an_earlier_version_loses_the_words_too(
    copies: TakenCopies, tmp_path: Path
) -> None:
    path = tmp_path / "inbox" / "taken" / "old.txt"
    path.parent.mkdir(parents=True)
    path.write_text("Before. We sold the old shop. After.\n", encoding="utf-8")
    (path.parent / "link.txt").symlink_to(path)
    assert copies.purge([], ["We sold the old shop."]) == ["inbox/taken/old.txt"]
    assert path.read_text(encoding="utf-8") == "Before.  After.\n"
