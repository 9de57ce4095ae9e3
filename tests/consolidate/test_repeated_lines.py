"""What counts as the same statement on a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.consolidate.repeated_lines import alike, substance, unsaid
from engram.model.text import normalise


def test_one_batch_says_a_thing_once() -> None:
    assert unsaid((), ["Likes tea", "likes tea.", "Likes coffee"]) == [0, 2]


def test_what_is_known_is_no_news() -> None:
    assert unsaid(["Likes tea."], ["likes TEA", "Likes rum"]) == [1]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("the user prefers early returns", "the user prefers early returns in go", True),
        ("the user prefers early returns", "the user prefers early returns in go and in the shop",
         False),
        ("likes tea", "likes tea a lot", False),
        ("the user leads the team 12", "the user leads the team 123", False),
        ("a twenty letter word", "a twenty letter words", False),
    ],
)  # fmt: skip
def test_a_statement_within_another_must_be_most_of_it(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is alike(other, one) is same


def test_just_over_twenty_characters_and_sixty_percent() -> None:
    short = "abcdefghij klmnopqrst"
    assert alike(short, f"{short} 123456789012")
    assert not alike(short, f"{short} 1234567890123")
    assert not alike(short[1:], f"{short[1:]} 12")


def test_substance_counts_each_statement_once() -> None:
    assert substance(["Likes tea", "likes tea.", "..."]) == len("likes tea")


@given(st.lists(st.text(max_size=40), max_size=8))
def test_news_is_news_once_and_nothing_is_news_twice(said: list[str]) -> None:
    fresh = [said[place] for place in unsaid((), said)]
    assert unsaid((), fresh) == list(range(len(fresh)))
    assert unsaid(fresh, said) == []
    assert all(normalise(text) for text in fresh)


WORDS = st.sampled_from(["the", "user", "prefers", "early", "returns", "in", "go", "12", "123"])


@given(*[st.lists(st.lists(WORDS, max_size=7).map(" ".join), max_size=7) for _ in range(2)])
def test_it_is_as_if_each_were_compared_with_each(known: list[str], said: list[str]) -> None:
    heard, found = list(known), []
    for place, text in enumerate(said):
        if text and not any(alike(text, one) for one in heard):
            heard.append(text)
            found.append(place)
    assert unsaid(known, said) == found
