"""The stretch of a text that shows why it was found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.snippet import Excerpt, excerpt
from engram.model.display import columns

CHATTER = "We talked about lunch and the weather. "


def marked(shown: Excerpt) -> list[str]:
    return [shown.text[start:end] for start, end in shown.spans]


def test_a_short_text_is_shown_whole() -> None:
    assert excerpt("The shop uses Postgres.", "postgres") == Excerpt(
        "The shop uses Postgres.", ((14, 22),), 1
    )


def test_the_stretch_with_most_words_is_shown() -> None:
    text = (
        CHATTER * 20
        + "Postgres came up. "
        + CHATTER * 20
        + "Postgres has two writers. "
        + CHATTER * 9
    )
    shown = excerpt(text, "postgres writers")
    assert marked(shown) == ["Postgres", "writers"]
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")


def test_words_are_not_cut() -> None:
    shown = excerpt(CHATTER * 9 + "Postgres wins. " + CHATTER * 9, "postgres", width=60)
    assert set(shown.text.strip("…").split()) <= set((CHATTER + "Postgres wins.").split())


def test_without_a_match_the_beginning_is_shown() -> None:
    shown = excerpt(CHATTER * 20, "postgres", width=31)
    assert shown.text == "We talked about lunch and the…"
    assert shown.spans == ()


def test_the_index_decides_which_words_are_the_same() -> None:
    assert marked(excerpt("So we decided it then.", "why decide")) == ["decided"]


def test_punctuation_around_a_match_is_not_marked() -> None:
    assert marked(excerpt('("Postgres", it was)', "postgres")) == ["Postgres"]


def test_a_script_without_spaces_is_cut_and_marked() -> None:
    shown = excerpt("昨日は雨でした。" * 30 + "明日は京都です。", "京都", width=24)
    assert marked(shown) == ["京都"]
    assert columns(shown.text) <= 24


def test_the_line_of_the_first_match_is_told() -> None:
    assert excerpt("one\ntwo\nthree postgres\n", "postgres").line == 3
    assert excerpt("one\ntwo", "nothing").line == 1


def test_lines_are_joined_and_controls_are_gone() -> None:
    shown = excerpt("a\x1b[31m\tb\r\nc\u202ed", "b")
    assert shown.text == "a[31m b c\\u202ed"


@pytest.mark.parametrize("text", ["", " \n ", "\x00"])
def test_nothing_to_show_is_empty(text: str) -> None:
    assert excerpt(text, "x") == Excerpt("", (), 1)


def test_a_word_wider_than_the_window_is_cut() -> None:
    shown = excerpt("x" * 500, "y", width=20)
    assert columns(shown.text) <= 20
    assert shown.text.endswith("…")


@given(
    st.text(alphabet=st.one_of(st.characters(), st.sampled_from("ab 京タ\n…")), max_size=120),
    st.text(alphabet="ab京タ ", max_size=8),
    st.integers(0, 60),
)
def test_an_excerpt_is_one_line_no_wider_than_asked(text: str, query: str, width: int) -> None:
    shown = excerpt(text, query, width=width)
    assert columns(shown.text) <= max(width, 12)
    assert "\n" not in shown.text
    last = 0
    for start, end in shown.spans:
        assert last <= start < end <= len(shown.text)
        last = end
    assert 1 <= shown.line <= text.count("\n") + 1


def test_a_stretch_has_the_words_that_stand_for_those_asked_for_after_these() -> None:
    filler = "and so it went on for a long while. " * 8
    text = f"The Vehicles stood there. {filler}Kim has a car, an old one."
    shown = excerpt(text, "car", instead=("vehicl", "lorri"))
    assert "a car, an old one" in shown.text and shown.others == ("vehicles",)
    shown = excerpt(text, "truck", instead=("vehicl",))
    assert [shown.text[first:last] for first, last in shown.spans] == ["Vehicles"]
    assert excerpt(text, "truck").spans == ()
