"""Boxes that are sealed because the program ends: soon, and nothing is lost by the hurry."""

from __future__ import annotations

from collections.abc import Callable

from engram.vault import Vault
from tests.kit import takes_every_turn, turns


def test_sealing_at_the_end_leaves_hand_edits_and_the_index_for_the_next_opening(
    open_vault: Callable[..., Vault],
) -> None:
    vault = open_vault(now="2026-03-06T10:10:00Z")
    takes_every_turn(vault).capture(turns(5))
    vault.flush()
    memory = next(iter(vault.parts.catalog.memories()))
    path = vault.root / memory.path
    path.write_text(path.read_text("utf-8").replace(" bar.", " zebra."), "utf-8")
    assert vault.seal_boxes() == 0
    assert vault.seal_boxes("shutdown") == 1
    known = vault.parts.catalog.memory(memory.id)
    assert known is not None and "zebra" not in known.text
    assert vault.seal_boxes("shutdown") == 0
    assert [hit.id for hit in vault.search("zebra").memories] == [memory.id]
    assert "zebra" in path.read_text("utf-8")
    assert vault.doctor() == []
