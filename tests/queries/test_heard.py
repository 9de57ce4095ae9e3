"""What was said before: earlier turns, other conversations, openings that several share."""

from __future__ import annotations

from engram.model.turn import Turn, turn_of
from engram.queries.heard import VaultHeard
from engram.store.base.lock import WriterLock
from engram.vault import Vault

RULE = "Every migration of the ledger must be reversible within one release."
FORM = (
    "You get a ticket of the queue below. Read it, find the module that it is about, and write one"
    " paragraph for the owner of that module. Name the files. Never close a ticket yourself, never"
    " ask back, and keep to the glossary of the team."
)


def said(
    text: str, minute: int, session: str = "s", role: str = "user", project: str = "shop"
) -> Turn:
    time = f"2026-03-06T11:{minute:02d}:00Z"
    made = turn_of("user", text, time, session=session, project=project)
    return made if role == "user" else turn_of("assistant", text, time, session=session)


def captured(vault: Vault, *turns: Turn) -> list[Turn]:
    last = vault.capture(list(turns)).last
    vault.flush()
    return [turn.numbered(last - len(turns) + place) for place, turn in enumerate(turns, 1)]


def test_the_turns_before_one_are_those_of_its_conversation_in_order(vault: Vault) -> None:
    turns = captured(
        vault, said("one", 0), said("elsewhere", 1, "t"), said("two", 2, role="assistant"),
        said("three", 3), said("four", 4),
    )  # fmt: skip
    heard = vault.parts.heard
    assert [turn.text for turn in heard.before(turns[3])] == ["one", "two"]
    assert [turn.text for turn in heard.before(turns[4])] == ["one", "two", "three"]
    assert [turn.text for turn in heard.before(turns[2])] == ["one"]
    assert heard.before(said("new", 9, "u")) == ()


def test_the_same_statement_in_another_conversation_was_said_again(vault: Vault) -> None:
    here, _ = captured(
        vault, said(RULE, 0), said("hm, every migration of the ledger must be reversible, ok?", 1)
    )
    link = f"{here.transcript}#^{here.block}"
    assert not vault.parts.heard.said_again(RULE, link)
    captured(vault, said(f"ok. {RULE.lower()} And now the tests.", 5, "t"))
    assert vault.parts.heard.said_again(RULE, link)
    assert not vault.parts.heard.said_again(RULE.replace("reversible", "signed"), link)


def test_what_an_agent_or_a_template_says_elsewhere_is_no_repeat_by_the_person(
    vault: Vault,
) -> None:
    here = captured(vault, said(RULE, 0))[0]
    captured(vault, said(f"You told me: {RULE}", 1, "agent", "assistant"))
    for number in range(3):
        captured(vault, said(f"{FORM}\n\n{RULE} Ticket {number}", number, f"queue {number}"))
    assert not vault.parts.heard.said_again(RULE, f"{here.transcript}#^{here.block}")


def test_an_opening_that_three_conversations_share_is_a_templates(vault: Vault) -> None:
    for number in range(2):
        turn = captured(vault, said(f"{FORM}\n\nTicket {number}", 0, f"queue {number}"))[0]
        assert not vault.parts.heard.is_template(turn)
    turn = captured(vault, said(f"{FORM}\n\nTicket 2", 0, "queue 2"))[0]
    assert vault.parts.heard.is_template(turn)
    assert not vault.parts.heard.is_template(said(FORM[:150], 0))
    vault.rebuild()
    assert vault.parts.heard.is_template(turn)


def test_without_an_index_nothing_is_heard_elsewhere_and_none_is_built(vault: Vault) -> None:
    captured(vault, said(RULE, 0))
    parts = vault.parts
    finder = parts.adapters.finder(parts.cache / "nothing here")
    unbuilt = type(parts.index)(
        parts.disk,
        parts.projections,
        parts.turn_log,
        parts.transaction_log,
        finder,
        lambda: WriterLock(parts.cache / "indexing", 1.0),
    )
    heard = VaultHeard(parts.projections, parts.turn_log, unbuilt)
    assert heard.elsewhere(RULE, "another") == ()
    assert not finder.state().usable
