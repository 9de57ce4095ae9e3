"""Items of the memory contract: what is checked, and the views of memories and candidates."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.errors import BadInput
from engram.model.item import check_item, item_id, normal_owner
from engram.model.item_view import (
    dedup_key,
    importance_of,
    item_row,
    memory_item,
)
from engram.model.memory import Memory
from engram.model.traced_text import traced_text

_ROW: dict[str, object] = {
    "id": "project:shop:semantic:1", "kind": "semantic", "text": "", "source": "user",
    "created_at": 0, "importance": 0.5, "scope": "session", "meta": None,
}  # fmt: skip
_MEMORY = Memory(
    "correction-20261122-091950-cb83399a", "correction", "The user must always use Emacs.",
    importance=0.75, authority="user_asserted", space="user", key="user::editor",
    sources=("claude-code-3f2a1c9d04be#^m5380bbce97",),
    extra=(("promoted_from", "session:x:profile:1"),),
)  # fmt: skip


def test_the_view_of_a_memory_has_its_fields_in_the_order_of_the_contract() -> None:
    item = memory_item(_MEMORY, "user:me:profile:3", 415, {"policy_tags": ("allowed_by:privacy",)})
    assert list(item_row(item)) == list(_ROW)
    assert item_row(item) == {
        "id": "user:me:profile:3", "kind": "profile", "text": "The user must always use Emacs.",
        "source": "user", "created_at": 415, "importance": 0.75, "scope": "session",
        "meta": {
            "file": "correction-20261122-091950-cb83399a", "event_type": "correction",
            "importance_reason": ["event:correction", "source:user", "emphasis", "corrective"],
            "authority": "user_asserted", "authority_reason": "source:user",
            "space": "user", "owner": "me", "key": "user::editor",
            "dedup_key": "fact:user::editor",
            "source_turn_ids": ["claude-code-3f2a1c9d04be#^m5380bbce97"],
            "promoted_from": "session:x:profile:1", "policy_tags": ["allowed_by:privacy"],
        },
    }  # fmt: skip
    assert check_item(item_row(item)) == replace(item, meta=item_row(item)["meta"])


@given(
    st.sampled_from(["fact", "principle", "moment", "session", ""]), st.text(max_size=90),
    st.sampled_from(["session", "user", "project", "system"]), st.text(max_size=9), st.booleans(),
)  # fmt: skip
def test_every_view_passes_the_check(
    category: str, text: str, space: str, project: str, slotted: bool
) -> None:
    slot = "user::editor" if slotted else ""
    row = item_row(
        memory_item(Memory("a-1", category, text, space=space, project=project, key=slot))
    )
    assert item_row(check_item(row)) == row


@pytest.mark.parametrize(
    "changed",
    [
        {"id": " "}, {"id": 3}, {"kind": "episodic"}, {"kind": None}, {"text": None},
        {"source": ""}, {"created_at": True}, {"created_at": 1.0}, {"created_at": -1},
        {"importance": True}, {"importance": float("nan")}, {"importance": "1"},
        {"scope": "user"}, {"meta": []}, {"meta": {3: "x"}},
        {"meta": {"space": "team"}}, {"meta": {"owner": " "}}, {"meta": {"event_type": "rule"}},
        {"meta": {"authority": "root"}}, {"meta": {"policy_tags": "allowed_by:privacy"}},
        {"meta": {"expires_at": -1}}, {"meta": {"score": True}}, {"meta": {"summary_of": [""]}},
    ],
)  # fmt: skip
def test_an_item_that_breaks_the_contract_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        check_item(_ROW | changed)


def test_an_item_lacks_no_field_and_its_kind_may_be_shouted() -> None:
    for name in _ROW:
        with pytest.raises(BadInput, match=name):
            check_item({key: value for key, value in _ROW.items() if key != name})
    found = check_item(_ROW | {"kind": " Short_Term ", "meta": {"new": 1}})
    assert (found.kind, found.meta) == ("short_term", {"new": 1})


def test_importance_counts_whole_words() -> None:
    assert importance_of("fact", "user", "mustard is out")[:] == (5, ("event:fact", "source:user"))
    assert importance_of("correction", "user", "never that").score == 7
    assert importance_of("nonsense", "ai", "") == (0, ("event:unknown",))


def test_dedup_keys_keep_the_letters_of_every_script_apart() -> None:
    said = ["Кот спит", "Пёс спит", "猫", "犬", "कि", "की", "🍎", "🍐", "Café crème"]
    keys = {dedup_key("context", text) for text in said}
    assert len(keys) == len(said)
    assert dedup_key("context", " CAFÉ—crème!") == "context:café crème"


def test_a_dedup_key_of_a_long_text_and_of_a_log_is_a_digest() -> None:
    assert dedup_key("fact", "a" * 64) == f"fact:{'a' * 64}"
    assert dedup_key("fact", "a" * 65).startswith("fact:sha256-")
    assert "oak" not in dedup_key("fact", "oak", logged=True)
    assert dedup_key("fact", "x" * 90, "user::editor", logged=True) == "fact:user::editor"


def test_owners_have_neither_colons_nor_blanks() -> None:
    assert [normal_owner(one) for one in (None, "", " ", 7, " a  b:c ")] == [
        "anonymous", "anonymous", "anonymous", "7", "a_b_c",
    ]  # fmt: skip


def test_a_text_that_may_hold_a_secret_is_hidden_in_a_trace() -> None:
    hidden = ["my password is 123", "API_KEY=x", "the Authorization: header", "two keys"]
    assert [traced_text(text) for text in hidden] == ["(redacted)"] * len(hidden)
    shown = ["the monkey types", "a keyboard", "tokenization", "keystone"]
    assert [traced_text(text) for text in shown] == shown
    assert traced_text("a \n b") == "a b"
    assert traced_text("x" * 201) == "x" * 200 + "... (truncated)"


def test_a_number_that_fits_nowhere_is_no_items() -> None:
    assert item_id("project:shop:semantic:999999999999") is not None
    assert item_id("project:shop:semantic:" + "9" * 20) is None
