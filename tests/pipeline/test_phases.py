"""Phases of a real vault: begun, taken back, united, purged, and told in the events."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from engram.model.contract_event import ContractEvent
from engram.model.errors import BadInput, StorageError
from engram.model.item import Store
from engram.vault import Vault
from tests.kit import where

Open = Callable[..., Vault]
SHOP = Store("project", "shop")
PAGE = "phases.md"


def told(vault: Vault, name: str) -> list[ContractEvent]:
    return list(vault.events(200, event=name))


def lived(open_vault: Open) -> Vault:
    """Two memories before the phase beta and one after it."""
    vault = open_vault(now="2026-03-01T09:00:00Z")
    vault.remember("The shop uses SQLite for the till.", project="shop")
    vault.remember("Labels are cut with scissors.", project="shop")
    open_vault(now="2026-03-04T10:00:00Z").start_phase(SHOP, "beta", "release")
    later = open_vault(now="2026-03-05T10:00:00Z")
    later.remember("Labels are printed on Mondays.", project="shop")
    return later


def test_a_phase_is_one_tick_and_each_item_is_told_of_its_own(open_vault: Open) -> None:
    lived(open_vault)
    vault = open_vault()
    before = vault.parts.catalog.items.tick
    found = vault.start_phase(SHOP, "gamma")
    assert (found.began, found.phase.id, found.tick) == (True, "phase-3", before + 1)
    assert vault.start_phase(SHOP, "gamma").began is False
    phases = {
        one.fields["phase_id"]: one for one in told(vault, "memory_phase_started")
    }  # fmt: skip
    assert [(name, one.fields["reason"]) for name, one in phases.items()] == [
        ("phase-1", "auto"), ("phase-2", "release"), ("phase-3", "manual"),
    ]  # fmt: skip
    items = [row for one in told(vault, "memory_write") for row in one.fields["written"]]  # type: ignore[attr-defined]
    metas = [row["meta"] for row in items]
    assert [meta["phase_id"] for meta in metas] == ["phase-1", "phase-1", "phase-2"]
    assert metas[2]["phase_name"] == "beta"
    assert metas[2]["phase_started_at"] == phases["phase-2"].tick
    assert metas[0]["phase_started_at"] == phases["phase-1"].tick == items[0]["created_at"]
    every = [(one.number, one.type) for one in vault.events(200)]
    for one in phases.values():
        at = every.index((one.number, "memory_phase_started"))
        assert every[at - 1] == (one.number, "memory_border_check")


def test_what_an_agent_was_given_tells_the_phase(open_vault: Open) -> None:
    vault = lived(open_vault)
    vault.recall("labels", projects=["shop"])
    vault.recall("labels", projects=["shop"], as_of="2026-03-02")
    (block, _) = told(vault, "memory_recall")
    assert block.fields["current_phase"] == {
        "phase_id": "phase-2", "phase_name": "beta", "phase_started_at": 5,
        "phase_reason": "release",
    }  # fmt: skip
    counts = block.fields["phase_counts"]
    assert counts == {
        "session": {},
        "user": {},
        "project": {"phase-1": 1, "phase-2": 1},
        "system": {},
    }


def test_a_difference_is_told_and_noted_and_is_no_read(open_vault: Open) -> None:
    vault = lived(open_vault)
    vault.retire([one.id for one in vault.list(project="shop") if "scissors" in one.text])
    found = vault.phase_diff(SHOP).diff
    assert found.summary_lines == ["Added 1 items", "Deleted 1 items", "Replaced 0 items"]
    (event,) = told(vault, "memory_phase_diff")
    assert event.fields["top_changes"] == found.top_changes
    assert event.fields["summary_lines"] == found.summary_lines
    assert vault.events(1)[0].type == "memory_phase_diff"  # it comes last
    vault.consolidate()
    assert vault.parts.catalog.accesses.of() == {}
    assert vault.parts.catalog.accesses.skipped == 0


def test_an_undo_takes_one_phase_back_and_leaves_the_others(open_vault: Open) -> None:
    vault = lived(open_vault)
    (number,) = [one.number for one in vault.log() if one.kind == "phase"]
    vault.start_phase(SHOP, "gamma")
    page = vault.root / PAGE
    page.write_text("mine\n" + page.read_text("utf-8"), "utf-8")
    vault.undo(str(number))
    assert [one.phase.name for one in vault.phases(SHOP)] == ["", "gamma"]
    assert page.read_text("utf-8").startswith("mine\n")
    vault.undo(str(vault.log()[0].number))
    assert [one.phase.name for one in vault.phases(SHOP)] == ["", "beta", "gamma"]


def test_a_page_of_another_machine_is_united_and_its_phases_have_no_tick(open_vault: Open) -> None:
    vault = lived(open_vault)
    copy = vault.root / "phases.sync-conflict-20260306-101010-ABCDEFG.md"
    copy.write_text('- 2026-03-02T10:00:00Z project/shop "alpha": over there\n', "utf-8")
    vault.reunite()
    assert not copy.exists()
    found = vault.phases(SHOP)
    assert [(one.phase.id, one.phase.name, one.tick) for one in found] == [
        ("phase-1", "", 2), ("phase-2", "alpha", 0), ("phase-3", "beta", 5),
    ]  # fmt: skip


def test_both_sides_of_a_git_conflict_are_kept(open_vault: Open) -> None:
    vault = lived(open_vault)
    (vault.root / ".git").mkdir()
    page = vault.root / PAGE
    ours = page.read_text("utf-8")
    theirs = '- 2026-03-04T11:00:00Z project/shop "beta 2": theirs'
    head, line = ours.rstrip().rsplit("\n", 1)
    marked = f"{head}\n<<<<<<< HEAD\n{line}\n=======\n{theirs}\n>>>>>>> their\n"
    page.write_text(marked, "utf-8")
    assert [one.phase.name for one in vault.phases(SHOP)] == ["", "beta", "beta 2"]  # meanwhile too
    vault.reunite()
    assert page.read_text("utf-8") == f"{ours}{theirs}\n"


def test_no_page_is_followed_out_of_the_vault_or_read_without_end(open_vault: Open) -> None:
    vault = lived(open_vault)
    page = vault.root / PAGE
    page.rename(vault.root / "elsewhere.md")
    page.symlink_to(vault.root / "elsewhere.md")
    _refuses(vault, "symlink")
    page.unlink()
    page.write_bytes(b"- 2026-03-04T10:00:00Z user: x\n" * 40_000)
    _refuses(vault, "larger than")
    page.unlink()
    os.mkfifo(page)
    _refuses(vault, "not a regular file")


def _refuses(vault: Vault, why: str) -> None:
    assert [one.phase.id for one in vault.phases(SHOP)] == ["phase-1"]
    with pytest.raises((BadInput, StorageError), match=why):
        vault.start_phase(SHOP, "gamma")
    (finding,) = [one for one in vault.doctor() if one.code == "phases"]
    assert why in finding.message


def test_a_clock_that_goes_back_begins_a_phase_where_it_stands(open_vault: Open) -> None:
    lived(open_vault)
    vault = open_vault(now="2026-03-03T10:00:00Z")
    assert vault.start_phase(SHOP, "alpha").phase.id == "phase-2"
    assert [one.phase.id for one in vault.phases(SHOP) if one.current] == ["phase-2"]
    later = open_vault(now="2026-03-05T10:00:00Z")
    assert [one.phase.name for one in later.phases(SHOP)] == ["", "alpha", "beta"]
    assert later.phases(SHOP)[-1].current


def test_a_phase_of_a_store_without_memories(open_vault: Open) -> None:
    vault = open_vault()
    assert vault.phases() == []
    vault.start_phase(Store("project", "till"), "alpha")
    vault.remember("The till beeps.", project="till")
    assert [(one.phase.id, one.memories) for one in vault.phases()] == [
        ("phase-1", 0), ("phase-2", 1),
    ]  # fmt: skip
    assert [one.fields["phase_id"] for one in told(vault, "memory_phase_started")] == ["phase-2"]


def test_a_purge_takes_its_words_out_of_phases(open_vault: Open) -> None:
    vault = lived(open_vault)
    memory = vault.remember("The zanzibar drawer sticks.", project="shop").memory
    vault.start_phase(SHOP, "gone", "The zanzibar drawer sticks.")
    vault.phase_diff(SHOP)
    vault.purge(memory.id)
    assert where(vault.root, "zanzibar drawer") == []
    assert [one.phase.name for one in vault.phases(SHOP)] == ["", "beta"]


def test_a_secret_in_a_name_is_redacted(vault: Vault) -> None:
    vault.start_phase(SHOP, "beta", "token: ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    assert where(vault.root, "ghp_abcdefghijklmnop") == []
