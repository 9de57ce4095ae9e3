"""What a new phase leaves out of what agents are given, and what it never does."""

from __future__ import annotations

from collections.abc import Callable

from engram.model.given import Reader
from engram.model.item import Store
from engram.vault import Vault

Open = Callable[..., Vault]
SHOP = Store("project", "shop")
AGENT = Reader("codex", "codex-0123456789ab")
CURRENT_ONLY = '[phase]\nmode = "current_only"\n'


def given(vault: Vault) -> list[str]:
    """What an agent of the shop is given of labels, tills and hours."""
    shown = vault.recall("labels scissors till opens nine", projects=["shop"], reader=AGENT).shown
    return sorted(vault.memory(name).text.split(" ", 1)[1] for name in shown)


def test_a_new_phase_leaves_out_statements_and_no_slot(open_vault: Open) -> None:
    vault = open_vault(now="2026-03-01T09:00:00Z")
    vault.remember("Labels are cut with scissors.", project="shop")
    vault.remember("Till drawers are counted at night.", project="shop")
    slot = vault.remember("Shops open at nine.", project="shop").memory
    path = vault.root / slot.path
    text = path.read_text("utf-8").replace("\nproject:", "\nkey: shop::hours\nproject:")
    path.write_text(text, "utf-8")
    vault.take_up_edits()
    open_vault(now="2026-03-02T09:00:00Z").start_phase(SHOP, "beta")
    vault = open_vault(now="2026-03-03T09:00:00Z")
    everything = given(vault)
    assert len(everything) == 3  # by default nothing is hidden
    (vault.root / "policy.toml").write_text(CURRENT_ONLY, "utf-8")
    assert given(open_vault(now="2026-03-03T09:00:00Z")) == ["open at nine."]
    # what is said again is what holds now, and no second memory
    again = open_vault(now="2026-03-04T09:00:00Z")
    count = len(again.list())
    again.remember("Labels are cut with scissors.", project="shop")
    assert len(again.list()) == count
    assert given(again) == ["are cut with scissors.", "open at nine."]
    told = again.recall("till drawers", projects=["shop"], reader=AGENT).text
    assert "- 2026-03-01 turn, user: Till drawers" not in told
    # the person who asks by hand is told all of it, and the page is the person's
    assert len(again.recall("labels scissors till opens nine", reader=Reader()).shown) == 3
    (again.root / "phases.md").unlink()
    assert given(again) == everything
