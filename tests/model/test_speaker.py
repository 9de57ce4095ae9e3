"""Names of speakers: what is shown of them, and when two are the same."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.ids import speaker_number
from engram.model.speaker import is_about, is_of_owner, shown_name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Caroline Smith", "CAROLINE  smith\n"), ("caro-83", "Caro 83"), ("Élodie", "élodie"),
        ("ｋｉｍ", "Kim"), ("O'Brien", "o’brien"),
    ],
)  # fmt: skip
def test_case_blanks_and_signs_make_no_other_name(one: str, other: str) -> None:
    assert speaker_number(one) == speaker_number(other) != 0


def test_other_letters_are_another_name_and_blanks_are_none() -> None:
    # the second one has a Cyrillic letter
    names = ["Caroline", "C\u0430roline", "Carolin", "Caro\u200bline", "🦊", "🐻", "李", "李明"]
    assert len({speaker_number(name) for name in names}) == len(names)
    assert speaker_number("") == speaker_number(" \n") == 0


@given(st.text(max_size=200))
def test_what_is_shown_of_a_name_is_a_short_line_of_letters(name: str) -> None:
    shown = shown_name(name)
    assert len(shown) <= 40 and shown == shown.strip()
    assert all(sign in " .'’&-" or unicodedata.category(sign)[0] in "LMN" for sign in shown)


def test_a_statement_is_about_the_name_that_it_begins_with() -> None:
    assert is_about("Melanie's kids love dinosaurs.", "Melanie Cole")
    assert is_about("melanie prefers tea.", "MELANIE")
    assert not is_about("Melanies prefer tea.", "Melanie")
    assert not is_about("The team knows Melanie.", "Melanie")


def test_nobody_is_called_the_user_but_the_owner() -> None:
    assert is_of_owner("The user's father died.") and is_of_owner("User likes tea.")
    assert not is_of_owner("Users like tea.")
    assert not is_about("The user likes tea.", "The User")
