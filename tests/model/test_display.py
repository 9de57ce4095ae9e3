"""Text of others on a terminal and in a spreadsheet."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.display import csv_cell, plain, plain_line

any_text = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.characters(categories=["Cc", "Cf", "Cs"]),
        st.sampled_from("=+-@ \t\r\n\x1b\x9b\u202e\u2066\U000e0041\U0001f3f4\U000e007f"),
    )
)


def test_an_escape_sequence_loses_its_escape() -> None:
    assert plain("\x1b[2Jgone\x9b31m\x07") == "[2Jgone31m"


def test_a_carriage_return_cannot_overwrite_the_line() -> None:
    assert plain("rm -rf /\rharmless") == "rm -rf /harmless"
    assert plain("one\r\ntwo\tthree") == "one\ntwo\tthree"


def test_a_reversed_reading_order_is_seen() -> None:
    assert plain("user\u202egpj.exe") == "user\\u202egpj.exe"
    assert plain("a\u2066b\u2069") == "a\\u2066b\\u2069"


def test_a_hidden_sentence_of_tag_characters_is_seen() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "hi")
    assert plain("ok" + hidden) == "ok\\U000e0068\\U000e0069"


@pytest.mark.parametrize(
    "text",
    [
        "naïve café",
        "नमस्ते",
        "می‌خواهم",
        "👩‍👩‍👧",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "猫",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert plain(text) == text


@given(any_text)
def test_nothing_shown_controls_or_hides(text: str) -> None:
    shown = plain(text)
    shown.encode("utf-8")
    assert not any(unicodedata.category(c) == "Cc" and c not in "\t\n" for c in shown)
    assert not any(
        unicodedata.bidirectional(c)
        in {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
        for c in shown
    )
    assert plain(shown) == shown


@given(any_text)
def test_one_line_stays_one_line(text: str) -> None:
    assert len(plain_line(text).splitlines()) <= 1


@pytest.mark.parametrize(
    "text", ["=1+1", "+49", "-5", "@sum", "\t=1", " =1", "＝1", "\x00=1", "\r=1", "\n=1"]
)
def test_a_formula_becomes_text(text: str) -> None:
    assert csv_cell(text).startswith("'")


def test_ordinary_cells_are_left_alone() -> None:
    assert csv_cell("a = b") == "a = b"
    assert csv_cell("") == ""


@given(any_text)
def test_no_cell_begins_like_a_formula(text: str) -> None:
    assert not csv_cell(text).lstrip().startswith(("=", "+", "-", "@"))
