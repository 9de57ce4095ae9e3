"""Short-term memory: the last messages of a session, and a summary of those before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engram.model.item import check_item
from engram.model.item_view import item_row
from engram.model.shown import ShownSession
from engram.model.turn import Role, turn_of
from engram.recall.short_term import SessionTurn, short_term, summary_text
from engram.vault import Vault


def _spoken(*texts: str) -> list[SessionTurn]:
    roles: tuple[Role, ...] = ("user", "assistant")
    return [
        SessionTurn(
            turn_of(roles[at % 2], text, f"2026-03-06T10:{at:02}:00Z", session="s"), at + 1, at + 9
        )
        for at, text in enumerate(texts)
    ]


@given(st.lists(st.text(max_size=120), max_size=30), st.integers(-1, 12))
def test_the_last_messages_stand_as_they_were_said(texts: list[str], most: int) -> None:
    items = short_term(_spoken(*texts), most)
    kept = texts[-most:] if most > 0 else []
    messages = [item for item in items if item.meta["authority_reason"] != "summary"]
    assert [item.text for item in messages] == kept
    summaries = items[: len(items) - len(messages)]
    assert len(summaries) == (most > 0 and len(texts) > most)
    for item in items:
        assert item_row(check_item(item_row(item))) == item_row(item)
    for summary in summaries:
        assert len(summary.text) <= 243
        assert summary.meta["summary_of"] == tuple(
            f"session:{_spoken('x')[0].turn.transcript}:short_term:{place}"
            for place in range(1, len(texts) - most + 1)
        )


def test_the_summary_has_a_word_of_what_left_before_its_six_lines() -> None:
    texts = [f"m{at}" for at in range(1, 12)]
    summary, *messages = short_term(_spoken(*texts), 2)
    assert summary.text == (
        "Earlier: user: m1 | ai: m2 | user: m3 | ai: m4 | user: m5 | ai: m6 | user: m7 | ai: m8"
        " | user: m9"
    )
    assert [(item.source, item.text, item.created_at) for item in messages] == [
        ("ai", "m10", 18), ("user", "m11", 19),
    ]  # fmt: skip
    assert (summary.id.rpartition(":")[2], summary.created_at, summary.source) == (
        "0",
        17,
        "system",
    )


def test_lines_and_summaries_are_cut() -> None:
    assert summary_text([("user", "x" * 81)]) == f"user: {'x' * 80}..."
    assert len(summary_text([("ai", "y" * 90)] * 9, "z" * 90)) == 243
    assert summary_text([]) == ""


def test_an_agent_that_used_tools_acts_and_another_person_asserts_nothing_for_the_owner() -> None:
    ours, theirs = _spoken("I prefer oak", "done")
    theirs = theirs._replace(turn=replace(theirs.turn, tools=("Edit shop.py",)))
    other = ours._replace(turn=replace(ours.turn, role="participant"))
    said = [
        (item.source, item.meta["event_type"], item.meta["authority"])
        for item in short_term([ours, theirs, other], 6)
    ]
    assert said == [
        ("user", "preference", "user_asserted"), ("ai", "execution", "ai_inferred"),
        ("user", "preference", "ai_inferred"),
    ]  # fmt: skip


def test_a_conversation_is_shown_by_its_name_and_by_its_file(
    open_vault: Callable[..., Vault],
) -> None:
    vault = open_vault()
    said = [one.turn for one in _spoken(*(f"the oak is {at} feet" for at in range(9)))]
    vault.capture(said)
    vault.extract_transcripts([said[0].transcript])
    shown = vault.show(said[0].transcript)
    assert isinstance(shown, ShownSession)
    assert len(shown.items) == 7
    assert shown.items[-1].id == f"session:{shown.name}:short_term:9"
    assert vault.show(shown.file) == shown


def test_a_forgotten_turn_is_not_shown_and_moves_no_number(
    open_vault: Callable[..., Vault],
) -> None:
    vault = open_vault()
    said = [one.turn for one in _spoken("we stock oak", "noted", "and pine")]
    vault.capture(said)
    vault.forget(f"{said[1].transcript}#^{said[1].block}")
    shown = vault.show(f"transcripts/2026-03-06/{said[0].transcript}.md")
    assert isinstance(shown, ShownSession)
    assert [(item.text, item.id.rpartition(":")[2], item.created_at) for item in shown.items] == [
        ("we stock oak", "1", 1), ("and pine", "3", 3),
    ]  # fmt: skip
