"""Titles and tags of records as they are written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.ids import is_id
from engram.model.record_words import (
    ALIAS_MOST,
    brief,
    clamped,
    clean_tags,
    clean_title,
    joined_tags,
    record_alias,
)
from engram.model.schemas import TAGS_MOST, TITLE_MOST
from tests.effort import examples

_MARKED = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(
            ["#tags:", "#ta", "gs:", " -> ", "->", " ", "[confidence: high]", "[conf", "idence:x]",
             "\u200b", "\u202e", "\u200d", "\u0301", "e", "ß", "\n", "\x00",
             "🧑", "ا", "[[", "<b", ",", "#"]
        ),
        max_size=12,
    ).map("".join),
    st.text(min_size=110, max_size=140),
)  # fmt: skip


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Use [Redis] for C++, don't", "Use [Redis] for C++, don't"),
        ("  a\nb\x00c  ", "abc"),
        ("foo ->", "foo"),
        ("-> foo -> bar -> ->", "foo - bar"),
        ("a->b", "a->b"),
        ("#ta#tags:gs:evil", "evil"),
        ("x [ CONFIDENCE : low ]", "x"),
        ("e\u0301clair", "éclair"),
        ("e\u200b\u0301clair", "éclair"),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("🧑\u200d🚒 a\u200db", "🧑\u200d🚒 ab"),
        ("Größe 数据库", "Größe 数据库"),
        ("[[x]] <b>", "\\[\\[x]] \\<b>"),
        ("x" * 200, "x" * TITLE_MOST),
        (" \u202e\u2028", ""),
    ],
)
def test_a_title_is_what_somebody_sees(given: str, title: str) -> None:
    assert clean_title(given) == title


def test_tags_are_lower_case_each_once_in_their_order_and_twelve() -> None:
    assert clean_tags(["DB", "db ", "a,b", "#till", "", 1, None, "evil -> path"]) == (
        "db", "a b", "till", "evil path",
    )  # fmt: skip
    assert clean_tags("One tag") == ("one tag",) and clean_tags(None) == clean_tags(7) == ()
    assert clean_tags([f"t{number}" for number in range(20)])[-1] == "t11"


def test_tags_that_are_there_stay_and_others_come_as_long_as_there_is_room() -> None:
    held = tuple(f"t{number}" for number in range(10))
    assert joined_tags(held, ["z", "T1", "a", "b"]) == (*held, "z", "a")
    full = (*held, "x", "y", "of a person")
    assert joined_tags(full, ["a"]) == full


@pytest.mark.parametrize(
    ("number", "share"), [(1.5, 1), (-0.5, 0), (0.3, 0.3), (float("nan"), 0), (float("inf"), 1)]
)
def test_a_share_is_between_nothing_and_all(number: float, share: float) -> None:
    assert clamped(number) == share


@given(_MARKED)
@examples(200)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    for clean in (clean_title, brief, lambda one: "".join(clean_tags(one))):
        made = clean(text)
        assert clean(made) == made and len(made) <= TITLE_MOST
        assert not {"Cc", "Cs"} & set(map(unicodedata.category, made))
    for made in (clean_title(text), *clean_tags(text)):
        assert "#tags:" not in made and " -> " not in made and "\u202e" not in made
    assert len(clean_tags([text, text])) <= min(TAGS_MOST, 1)


@given(st.one_of(_MARKED, st.text("日本語のみ결정éа ", max_size=140)))
@examples(100)
def test_the_name_of_a_record_is_an_id_whatever_its_title(title: str) -> None:
    assert is_id(record_alias(title, "decision"))


def test_names_in_scripts_that_are_read_alike_stay_apart_when_they_are_cut() -> None:
    one, other = "決" * 100, "决" * 100
    assert len(record_alias(one)) <= ALIAS_MOST
    assert record_alias(one) != record_alias(other)
    assert record_alias("a" * 100) == "a" * ALIAS_MOST
