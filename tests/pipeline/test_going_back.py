"""Undo, redo and purge over whole imports; what a stranger's vault gives; days in a time zone."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from engram.model.errors import ConfigError, Conflict, NotFound, Untrusted
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.conftest import NOW
from tests.kit import takes_every_turn, where


def transcript(folder: Path, count: int = 3) -> Path:
    """A generic transcript with a unique word in each turn."""
    path = folder / "said.jsonl"
    rows = [
        {"role": "user", "content": f"The word{number}word valve is open.", "session": "s",
         "project": "shop", "timestamp": f"2026-03-06T10:0{number}:00Z"}
        for number in range(count)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def imported(vault: Vault, path: Path) -> int:
    """Import and return how many turns were new."""
    return vault.import_files("jsonl", path)[0].new_turns


def live(vault: Vault) -> list[str]:
    return sorted(memory.text for memory in vault.parts.catalog.memories() if memory.live)


def test_an_import_can_be_taken_back_and_made_again(vault: Vault, tmp_path: Path) -> None:
    path = transcript(tmp_path)
    assert imported(takes_every_turn(vault), path) == 3
    assert imported(vault, path) == 0
    before = live(vault)
    vault.undo()
    assert live(vault) == []
    assert list((vault.root / "transcripts").rglob("*.md")) == []
    assert imported(vault, path) == 3
    assert live(vault) == before
    assert vault.doctor() == []


def test_a_redo_after_the_same_import_was_made_again_is_refused(
    vault: Vault, tmp_path: Path
) -> None:
    path = transcript(tmp_path)
    imported(takes_every_turn(vault), path)
    undone = vault.undo()
    imported(vault, path)
    with pytest.raises(Conflict):
        vault.undo(str(undone.number))
    assert len(live(vault)) == 3
    assert vault.status().turns == 3
    vault.undo()
    assert vault.status().turns == 0
    assert vault.undo(str(undone.number)).plan.readmit
    assert vault.status().turns == 3
    assert vault.doctor() == []


def test_what_an_undo_left_behind_can_still_be_purged(vault: Vault, tmp_path: Path) -> None:
    imported(takes_every_turn(vault), transcript(tmp_path))
    name = next(m.id for m in vault.parts.catalog.memories() if "word1word" in m.text)
    vault.undo()
    assert where(vault.root, "word1word") != []
    vault.purge(name)
    vault.close()
    assert where(vault.root, "word1word") == []
    assert where(vault.parts.cache, "word1word") == []
    assert where(vault.root, "word2word") != []


def test_a_memory_that_never_was_cannot_be_purged(vault: Vault) -> None:
    with pytest.raises(NotFound):
        vault.purge("fact-20260306-100000-00000000")


def test_a_refused_undo_shows_where_the_versions_differ(vault: Vault) -> None:
    done = vault.remember("The till runs on a Raspberry Pi 4.", category="fact")
    path = vault.root / done.memory.path
    path.write_text(path.read_text(encoding="utf-8").replace("Pi 4", "Pi 5"), encoding="utf-8")
    with pytest.raises(Conflict) as refused:
        vault.undo()
    assert "Raspberry Pi 5" in refused.value.hint
    assert "Raspberry Pi 4" in refused.value.hint
    assert "category" not in refused.value.hint


def test_standard_input_keeps_out_what_is_excluded(
    tmp_path: Path, environment: dict[str, str], vault: Vault
) -> None:
    strict = Vault.open(
        vault.root, environment=environment | {"ENGRAM_CAPTURE_EXCLUDE": "secret"},
        clock=FixedClock(NOW),
    )  # fmt: skip
    with strict:
        assert strict.capture_stream(BytesIO(b"I prefer tabs."), project="secret").new == 0
        assert strict.capture_stream(BytesIO(b"I prefer tabs."), project="shop").new == 1


def test_a_strangers_vault_is_searched_but_not_given_to_agents(
    open_vault: Callable[..., Vault], environment: dict[str, str], tmp_path: Path
) -> None:
    mine = open_vault()
    mine.remember("The till runs on a Raspberry Pi 4.")
    elsewhere = environment | {"ENGRAM_HOME": str(tmp_path / "another-home")}
    with Vault.open(mine.root, environment=elsewhere, clock=FixedClock(NOW)) as strangers:
        assert len(strangers.search("raspberry").memories) == 1
        with pytest.raises(Untrusted):
            strangers.recall("what does the till run on?")


def test_a_day_is_one_of_the_vaults_time_zone(vault: Vault, environment: dict[str, str]) -> None:
    late = FixedClock("2026-03-06T23:30:00Z")
    with Vault.open(vault.root, environment=environment, clock=late) as here:
        here.remember("The till runs on a Raspberry Pi 4.")
        assert [len(here.learnt_on(day)[1]) for day in ("2026-03-06", "2026-03-07")] == [1, 0]
    config = vault.root / "engram.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace('"UTC"', '"Europe/Oslo"'), encoding="utf-8")
    with Vault.open(vault.root, environment=environment, clock=late) as oslo:
        assert oslo.learnt_on()[0] == "2026-03-07"
        assert len(oslo.learnt_on("2026-03-07")[1]) == 1
    config.write_text(text.replace('"UTC"', '"Moon/Tranquility"'), encoding="utf-8")
    with pytest.raises(ConfigError, match="timezone"):
        Vault.open(vault.root, environment=environment, clock=late)
