"""`make torture`: thousands of transcripts in one import, and then a search."""

from __future__ import annotations

from pathlib import Path

from engram.vault import Vault
from tests.effort import EFFORT
from tests.index.test_in_step import import_many
from tests.kit import takes_every_turn


def test_thousands_of_files_in_one_import_can_be_searched(vault: Vault, tmp_path: Path) -> None:
    import_many(takes_every_turn(vault), tmp_path / "in", 1000 * EFFORT)
    assert vault.doctor() == []
