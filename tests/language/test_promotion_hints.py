"""Words that ask for a space, and statements for which it is asked."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.promotion_hints import asked_statements, promotion_hint
from tests.kit import failing

_TURNS = tomllib.loads(Path(__file__).with_name("asked_spaces.toml").read_text("utf-8"))


def test_the_first_phrase_in_the_seeds_order_names_the_space() -> None:
    assert promotion_hint("remember this for everyone, and remember this for me") == (
        "user", "hint:remember_for_me",
    )  # fmt: skip
    assert promotion_hint("put it into Project Memory") == ("project", "hint:project_memory")
    assert promotion_hint("remember this") is None


@pytest.mark.parametrize("half", ["seen", "held"])
def test_a_wish_is_a_statement_and_its_space(half: str) -> None:
    def check(row: dict[str, object]) -> None:
        turn = str(row["turn"])
        found = [[one.wish.space, turn[one.start : one.end]] for one in asked_statements(turn)]
        assert found == row["wishes"], found

    assert not (wrong := failing(_TURNS[half], check)), wrong


@given(st.text(max_size=80), st.sampled_from(["remember this for me", "add to project memory"]))
def test_ranges_of_any_turn_are_of_its_words(words: str, phrase: str) -> None:
    for turn in (f"{phrase}: {words}", f"{words} {phrase}", f"{words}. {phrase}, {words}"):
        for one in asked_statements(turn):
            first, last = one.whole
            assert 0 <= first <= one.start < one.end <= last <= len(turn)
