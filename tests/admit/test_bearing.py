"""Bearing: what a statement lacks to stand alone and to last."""

from __future__ import annotations

import pytest

from engram.admit.gate.bearing import bearing
from tests.admit.cases import candidate

REFUSED = {
    "dangling": [
        "It is on MySQL.", "it's on MySQL", "He left the team.", "They’re gone.", "“It works",
        "Their shop closed.", "This is new.", "That approach works.", "- This, too.",
        "The fix is to leave the flag off.", "The screenshot shows the old till.",
        "We go with option 2 for the till.", "Receipts look better as above.",
        "The user is minding her shop until May.", "We told him.",
    ],
    "question": [
        "The till keeps its orders in Postgres, right?", "We ship on Fridays, correct.",
        "The other two jobs are idle, can we stop them since they are through.",
        "Should the till print twice",
    ],
    "request": [
        "Let's do the short one only.", "Do not add the long labels.", "Add a button to the till.",
        "We should move the totals to the left.", "Please use the blue icon.",
    ],
    "passing": [
        "The till is down right now.", "Skip the linter for this commit.",
        "Always print twice, just this once.",
    ],
    "repair": [
        "I meant the comment on the receipt.", "no, I was talking about the other till",
        "sorry, not that one",
    ],
    "cut": ["Lisbon.", "The receipts are printed by the", "The till (in the shop prints twice."],
    "working": [
        "We have three idle printers.", "I just pushed the fix for the till.",
        "The tests pass now.", "All tests are green.", "There are two review comments.",
        "The till is still failing on Linux.", "You forgot the header of the receipt.",
    ],
}  # fmt: skip
KEPT = [
    "This repository uses ruff.", "This project's tests are slow.", "IT runs the shop.",
    "These days the user works at night.", "This Friday (2026-03-13) the shop closes.",
    "Items are kept for a year.", "That-one is a library.", "Never commit to main.",
    "Every receipt must name its till.", "Let's go with server side rendering.",
    "Do not mock the till because the printers differ.", "The user prefers short answers.",
    "We no longer need the old printer.", "We are going to adopt the new receipt format.",
    "We committed to three tills in the contract.", "Use pnpm instead of npm.",
    "Stop adding comments that repeat the code.", "The user is called Ro.",
    "Let's use a paper ledger for the deposits.", "Don't print a flyer, print a calendar.",
    "The fix was to pass the long flag.", "We will have two tills.", "Keep the recipes simple.",
    "Skip the voucher page, we don't need it.", "The user is trying to build a tide clock.",
    "Keep the answers short.", "We should always round up the totals.",
    "A session may belong to another cashier.", "Paper it is.",
    "The user asked Ilka for her recipe.", "The user minds the cat and her kittens.",
    "Let's drop the old printer, one till is enough.", "We can assume refunds are final.",
    "You should know that I'm not the greatest baker.",
    "We need to preserve the ability to print old receipts.",
    "The till never has to print twice;", "It's fine to close the till early.",
    "It doesn't matter whether the courier sees the price.", "Please use British spelling.",
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "text"), [(code, text) for code, texts in REFUSED.items() for text in texts]
)
def test_a_statement_that_does_not_stand_or_last_is_refused(code: str, text: str) -> None:
    assert bearing(candidate(text)) == code


@pytest.mark.parametrize("text", KEPT)
def test_a_lasting_statement_is_kept(text: str) -> None:
    assert bearing(candidate(text)) == ""


def test_the_sentence_around_a_quote_tells_that_it_asks() -> None:
    asked = candidate("The till rounds up.", sentence="So the till rounds up, is that right?")
    assert bearing(asked) == "question"


def test_a_change_of_mind_is_no_mere_request() -> None:
    kept = candidate("Let's keep npm.", sentence="Never mind, let's keep npm.")
    assert bearing(kept) == ""


def test_an_order_that_was_given_in_another_session_too_is_kept() -> None:
    assert bearing(candidate("Do not add the long labels."), said_again=True) == ""


def test_a_text_in_another_language_is_kept() -> None:
    assert bearing(candidate("영수증은 항상 두 번 인쇄합니다.")) == ""
    assert bearing(candidate("Die Kasse druckt jeden Beleg zweimal.")) == ""


def test_what_is_said_of_the_project_is_known_beside_the_memory() -> None:
    for text in ("This will only ever be a demo.", "This is to support an exhibition."):
        assert bearing(candidate(text, project="till")) == ""
        assert bearing(candidate(text, project="")) == "dangling"
