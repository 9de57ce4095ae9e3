"""A statement that names nothing takes the title of its conversation with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.extract.title_context import with_title
from engram.model.turn import turn_of
from tests.extract.test_rules import rules

CHAT = turn_of("user", "x", "2026-03-04T10:00:00Z", title="Apartment Hamburg")


def test_a_plain_subject_takes_the_title() -> None:
    told = with_title("Our budget is 2500 euros.", CHAT)
    assert told == "Apartment Hamburg: our budget is 2500 euros."
    for text in (
        "The user has been there for four years.", "The user's aunt Ilse lives there.",
        "The deadline is end of November, then Katja decides.",
        "The user would rather have two balconies.",
        "The rent is 900 euros warm, for at least four rooms, and it must be near a school.",
    ):  # fmt: skip
        assert with_title(text, CHAT).startswith("Apartment Hamburg: the "), text


@pytest.mark.parametrize(
    "text",
    [
        "Katja lives in Bremen.", "The rent of Katja is 900 euros.", "The user's name is Lena.",
        "The apartment in Hamburg is too small.", "The user prefers short answers.",
        "The user is allergic to cats.", "The deadline of Katja is May.",
        "Never send the landlord a photograph.", "Our budget for `kiosk` is 30 euros.",
    ],
)  # fmt: skip
def test_a_statement_that_names_its_subject_stays(text: str) -> None:
    assert with_title(text, CHAT) == text


@pytest.mark.parametrize("title", ["", "New chat", "Untitled", "Chat 12", "word " * 20])
def test_a_title_that_says_nothing_is_not_used(title: str) -> None:
    text = "Our budget is 2500 euros."
    assert with_title(text, replace(CHAT, title=title)) == text


def test_in_a_project_no_title_is_needed() -> None:
    text = "The deadline is 2026-05-01."
    assert with_title(text, replace(CHAT, project="shop")) == text


def test_the_rules_tell_what_a_chat_was_about() -> None:
    said = "so our budget is 2500 euros"
    (found,) = rules().extract([replace(CHAT, text=said)])
    assert found.text == "Apartment Hamburg: our budget is 2500 euros."
    assert found.receipt.quote in said
