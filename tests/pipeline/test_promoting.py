"""Memories that leave their space: asked for in words, by hand, by an agent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engram.model.contract_event import ContractEvent
from engram.model.errors import BadInput, ConfigError
from engram.model.given import Reader
from engram.model.memory import Memory
from engram.model.turn import Turn, turn_of
from engram.vault import Adapters, Vault
from tests.kit import LIGHT, where

SESSION = "session:test-6f08c8f3a1b2"


@pytest.fixture
def adapters() -> Adapters:
    return LIGHT


@pytest.fixture
def contract(tmp_path: Path, open_vault: Callable[..., Vault]) -> Vault:
    """A vault in which what is learnt belongs to its session, and only what is asked for lasts."""
    policy = tmp_path / "home" / "policy.toml"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text('preset = "contract"\n', encoding="utf-8")
    return open_vault()


def said(vault: Vault, *texts: str, session: str = "s", role: str = "user") -> None:
    """One conversation in the project shop, and what is made of it."""
    turns: list[Turn] = []
    for number, text in enumerate(texts):
        at = f"2026-03-06T11:{number:02d}:00Z"
        turns.append(turn_of(role, text, at, source="test", session=session, project="shop"))
    vault.capture(turns)
    vault.flush()


def memory(vault: Vault, words: str) -> Memory:
    """The one memory, whatever its status, that says these words."""
    (found,) = (one for one in vault.parts.catalog.memories() if words in one.text)
    return found


def told(vault: Vault, *types: str) -> Iterator[ContractEvent]:
    return (one for one in vault.events(200) if one.type in types)


def named(events: Iterator[ContractEvent]) -> list[tuple[object, ...]]:
    """Type and what is told of each event, without the phases that began."""
    names = ("action", "reason", "from_id", "to_id", "memory_id", "replaced_by", "allowed")
    return [
        (one.type, *(one.fields[name] for name in names if name in one.fields))
        for one in events
        if one.fields.get("action") != "phase_start"
    ]


def note(vault: Vault, name: str, text: str, **header: str) -> None:
    """A memory's file by hand."""
    lines = "".join(f"{key}: {value}\n" for key, value in header.items())
    path = vault.root / "facts" / "2026-03-01" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = f"---\nid: {name}\ncategory: fact\nstatus: active\ncreated: 2026-03-01T09:00:00Z\n"
    path.write_text(f"{head}confidence: 0.9\n{lines}---\n{text}\n", encoding="utf-8")


# -- in words -------------------------------------------------------------------------------------


def test_a_wish_is_kept_in_its_space_without_the_words_that_ask(vault: Vault) -> None:
    said(
        vault, "Remember this for me: the till prints in A5.",
        "I like dark roofs on bridges. Remember this for the project.",
    )  # fmt: skip
    mine, ours = memory(vault, "A5"), memory(vault, "dark roofs")
    assert (mine.space, mine.text) == ("user", "The till prints in A5.")
    assert mine.quote == "Remember this for me: the till prints in A5."
    assert (ours.space, ours.project) == ("project", "shop")
    assert ours.extras["promotion_reason"] == "hint:remember_for_project"
    told = " ".join(one.text for one in vault.origin(ours.id).life)
    assert "you asked for it to hold in the project shop" in told


def test_a_doubt_or_a_time_does_not_undo_a_wish(vault: Vault) -> None:
    said(
        vault, "Remember this for the project: the till probably fails because of the cable.",
        "Remember this for me: I might be in Lisbon the first week of May.",
        "Remember this for the project: port 8080 is taken by the proxy for now.",
    )  # fmt: skip
    assert len(vault.list(statuses=("active",))) == 3


def test_the_project_of_a_wish_by_hand_is_that_of_the_folder(vault: Vault, tmp_path: Path) -> None:
    folder = tmp_path / "work" / "mill"
    (folder / ".git").mkdir(parents=True)
    kept = [
        vault.remember(text, folder=folder).memory
        for text in ("Remember this for the project: we ship weekly.", "We rest on Sundays.")
    ]
    assert [(one.space, one.project) for one in kept] == [("project", "mill"), ("user", "")]


def test_under_the_contract_a_wish_leaves_its_session_at_once(contract: Vault) -> None:
    said(contract, "Remember this for me: I prefer concise updates.", "We use pnpm for the till.")
    kept = memory(contract, "concise")
    session = f"session:{kept.conversation}"
    was, now = f"{session}:semantic:1", "user:me:semantic:1"
    assert (kept.space, memory(contract, "pnpm").space) == ("user", "session")
    assert kept.extras == {"promoted_from": was, "promotion_reason": "hint:remember_for_me"}
    assert {contract.memory(one).id for one in (was, now)} == {kept.id}
    found = told(contract, "memory_border_check", "memory_promoted", "memory_deleted")
    assert named(found)[:4] == [
        ("memory_border_check", "write", "allowed", True),
        ("memory_border_check", "promote", "allowed", True),
        ("memory_promoted", "hint:remember_for_me", was, now),
        ("memory_deleted", "promoted", was, now),
    ]
    assert any("You asked for it to hold in every project" in one.text
               for one in contract.origin(kept.id).life)  # fmt: skip


def test_what_the_rules_deny_waits_for_a_yes(contract: Vault) -> None:
    said(contract, "Remember this for the project: the till listens on port 8080.")
    waiting = memory(contract, "8080")
    assert (waiting.space, waiting.extras["promotion_target"]) == ("session", "project")
    (item,) = (one for one in contract.to_review() if one.reason == "promotion")
    (denied,) = told(contract, "memory_promotion_denied")
    assert denied.fields["reason"] == "promotion_authority"
    (done,) = contract.promote([item.memories[0].id], item.item)
    assert (done.code, done.after.space, done.after.project) == ("allowed", "project", "shop")
    assert "promotion_target" not in memory(contract, "8080").extras
    assert contract.still_asked(item) is None
    assert memory(contract, "8080").authority == "user_asserted"


def test_a_wish_that_is_declined_is_not_asked_again(contract: Vault) -> None:
    said(contract, "Remember this for the project: the till listens on port 8080.")
    contract.decline_promotion(memory(contract, "8080").id)
    assert memory(contract, "8080").space == "session"
    assert not [one for one in contract.to_review() if one.reason == "promotion"]


def test_a_pair_without_a_rule_is_refused_to_everybody(vault: Vault) -> None:
    said(vault, "Remember this for everyone: the bakery opens at seven.")
    kept = memory(vault, "bakery")
    assert (kept.space, kept.status) == ("project", "active")
    (denied,) = told(vault, "memory_promotion_denied")
    assert (denied.fields["reason"], denied.fields["to_space"]) == (
        "promotion_disallowed", "system",
    )  # fmt: skip
    assert not [one for one in vault.to_review() if one.reason == "promotion"]
    with pytest.raises(BadInput, match="no rule of the policy"):
        vault.promote([kept.id], "system")


def test_what_stands_in_the_target_keeps_its_place(contract: Vault) -> None:
    note(contract, "vim", "The user's editor is Vim.", space="user", key="user::editor",
         authority="tool_verified")  # fmt: skip
    said(contract, "Remember this for me: my editor is Emacs.")
    emacs = memory(contract, "Emacs")
    assert (emacs.space, contract.memory("vim").status) == ("session", "active")
    kinds = [one.type for one in told(contract, "memory_conflict", "memory_promotion_denied")]
    (denied,) = told(contract, "memory_promotion_denied")
    assert kinds == ["memory_conflict", "memory_promotion_denied"]
    assert denied.fields["reason"] == "promotion_conflict"
    contract.promote([emacs.id], "user")
    assert (memory(contract, "Emacs").space, contract.memory("vim").status) == (
        "user",
        "superseded",
    )


def test_what_the_target_says_already_stands_for_both(contract: Vault) -> None:
    note(contract, "tabs", "The user prefers tabs.", space="user", authority="user_asserted")
    said(contract, "Remember this for me: I prefer tabs.")
    (mine,) = (one for one in contract.parts.catalog.memories() if one.id != "tabs")
    assert (mine.status, mine.superseded_by) == ("superseded", ("tabs",))
    assert len(contract.memory("tabs").sources) == 1
    (promoted,) = told(contract, "memory_promoted")
    assert promoted.fields["to_id"] == "user:me:semantic:1"


def test_only_words_that_the_person_typed_ask(contract: Vault) -> None:
    said(
        contract,
        'The page says "Remember this for me: I prefer ultramarine." What does it mean?',
        "```\nremember this for me: I prefer ochre paint\n```",
        "remember this for me: I prefer magenta. " + "And so on, as it was pasted here. " * 150,
    )
    said(contract, "Remember this for me: I prefer vermilion.", session="a", role="assistant")
    assert not [one for one in contract.parts.catalog.memories() if one.space != "session"]
    assert not list(told(contract, "memory_promoted"))


def test_a_secret_is_refused_with_no_words_whatever_is_asked(contract: Vault) -> None:
    said(contract, "Remember this for me: my password is rhubarb-4711-crumble.")
    (denied,) = told(contract, "memory_denied")
    assert str(denied.fields["reason"]).startswith("privacy_deny")
    assert not list(told(contract, "memory_promoted", "memory_promotion_denied"))
    held = where(contract.root, "rhubarb")
    assert not [name for name in held if name.startswith(("facts", "state/journal", "state/trace"))]


def test_one_turn_asks_for_two_spaces(vault: Vault) -> None:
    said(
        vault,
        "Remember this for me: I prefer tabs. Remember this for the project: we chose Postgres.",
    )
    assert (memory(vault, "tabs").space, memory(vault, "Postgres").space) == ("user", "project")


# -- by hand --------------------------------------------------------------------------------------


def test_one_file_is_promoted_and_taken_back(vault: Vault) -> None:
    note(vault, "tabs", "Kim prefers tabs.", space="user", project="shop")
    path = vault.root / "facts" / "2026-03-01" / "tabs.md"
    vault.memory("tabs")
    before = path.read_bytes()
    vault.promote(["tabs"], "project", here=("till",))
    held = vault.memory("tabs")
    assert (held.space, held.project) == ("project", "till")
    assert held.extras == {"promoted_from": "user:me:semantic:1", "promotion_reason": "by_hand"}
    assert vault.memory("user:me:semantic:1").id == vault.memory("project:till:semantic:1").id
    vault.undo()
    assert path.read_bytes() == before


def test_who_promotes_twice_is_told_so(vault: Vault) -> None:
    note(vault, "tabs", "Kim prefers tabs.", space="user", project="shop")
    assert [one.code for one in vault.promote(["tabs", "tabs"], "project")] == ["allowed"]
    last = vault.parts.committer.last
    assert [one.code for one in vault.promote(["tabs"], "project")] == ["already"]
    assert vault.parts.committer.last == last


def test_of_several_all_are_promoted_or_none(vault: Vault) -> None:
    note(vault, "tabs", "Kim prefers tabs.", space="session")
    note(vault, "port", "The till listens on port 8080.", project="shop")
    with pytest.raises(BadInput, match="none was promoted"):
        vault.promote(["tabs", "port"], "user")
    assert vault.memory("tabs").space == "session"
    (denied,) = told(vault, "memory_promotion_denied")
    assert denied.fields["memory_id"] == "project:shop:semantic:1"


@pytest.mark.parametrize("status", ["retired", "superseded", "expired"])
def test_what_is_out_of_use_is_not_promoted(vault: Vault, status: str) -> None:
    note(vault, "tabs", "Kim prefers tabs.", space="session")
    path = vault.root / "facts" / "2026-03-01" / "tabs.md"
    path.write_text(path.read_text("utf-8").replace("active", status), "utf-8")
    with pytest.raises(BadInput, match="cannot be promoted"):
        vault.promote(["tabs"], "user")


def test_what_an_agent_asks_for_waits(vault: Vault) -> None:
    note(vault, "tabs", "Kim prefers tabs.", space="session", authority="user_asserted")
    reader = Reader("claude-code", "claude-code-3f2a1c9d04be")
    (asked,) = vault.promote(["tabs"], "user", reader=reader)
    assert (asked.code, vault.memory("tabs").space) == ("promotion_authority", "session")
    (denied,) = told(vault, "memory_promotion_denied")
    assert (denied.ai_profile, denied.session) == reader
    (item,) = (one for one in vault.to_review() if one.reason == "promotion")
    assert item.why.startswith("An agent asked")


def test_a_dry_run_writes_nothing(vault: Vault) -> None:
    note(vault, "tabs", "Kim prefers tabs.", space="session")
    vault.memory("tabs")
    last = vault.parts.committer.last
    assert vault.promote(["tabs"], "user", dry_run=True)[0].after.space == "user"
    assert (vault.memory("tabs").space, vault.parts.committer.last) == ("session", last)


def test_a_broken_policy_promotes_nothing(
    tmp_path: Path, vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    note(vault, "tabs", "Kim prefers tabs.", space="session")
    (vault.root / "policy.toml").write_text("write_policy = 3\n", "utf-8")
    with pytest.raises(ConfigError):
        open_vault().promote(["tabs"], "user")
    assert "space: session" in (vault.root / "facts/2026-03-01/tabs.md").read_text("utf-8")


def test_denied_types_stay_denied_in_the_target(
    tmp_path: Path, open_vault: Callable[..., Vault]
) -> None:
    policy = tmp_path / "home" / "policy.toml"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text('[space.user]\ndeny_event_types = ["fact"]\n', encoding="utf-8")
    vault = open_vault()
    note(vault, "port", "The till listens on port 8080.", space="session")
    with pytest.raises(BadInput, match="policy_deny_event_type"):
        vault.promote(["port"], "user")
    rows = [json.dumps(one.row) for one in told(vault, "memory_promotion_denied")]
    assert len(rows) == 1 and "8080" not in rows[0]


def test_remember_by_hand_hears_the_space_too(contract: Vault) -> None:
    done = contract.remember("Remember this for me: the office is closed in May.", project="shop")
    assert (done.memory.space, done.memory.text) == ("user", "the office is closed in May.")
