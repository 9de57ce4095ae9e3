"""Names that are functions of content: the same everywhere, and safe as file names."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engram.model.ids import (
    block_id,
    former_slug,
    is_id,
    known_slug,
    memory_id,
    message_digest,
    session_digest,
    slug,
    slugs_of,
)
from engram.model.turn import turn_of
from tests.effort import examples

NOON = "2026-03-06T12:00:00Z"


@pytest.mark.parametrize("name", ["a", "0", "a-b", "decision-20260306-101000-9c1f03aa", "a" * 80])
def test_an_id_is_lower_case_letters_digits_and_hyphens(name: str) -> None:
    assert is_id(name)


@pytest.mark.parametrize(
    "name",
    ["", "-a", "A", "é", "a b", "a/b", "../a", "a.md", "a\n", "a\0", "٣", "con", "nul", "com1",
     "lpt9", "a" * 81],
)  # fmt: skip
def test_anything_else_is_no_id(name: str) -> None:
    assert not is_id(name)


def test_a_memory_id_is_category_source_time_and_content() -> None:
    made = memory_id("decision", "2026-03-06T10:10:00Z", "The shop uses Postgres.")
    assert made == "decision-20260306-101000-3410f20e"
    assert made == memory_id("decision", "2026-03-06T10:10:00Z", "the shop uses  postgres")
    assert made != memory_id("decision", "2026-03-06T10:10:00Z", "The shop uses SQLite.")


@given(st.text())
@examples(15)
def test_a_memory_id_is_an_id_whatever_was_said(text: str) -> None:
    assert is_id(memory_id("preference", NOON, text))


def test_the_names_of_messages_and_sessions_never_change() -> None:
    assert message_digest("claude-code", "s1", "m1") == "a4cf530ebdd18d21"
    assert session_digest("claude-code", "s1") == "781570571933"
    assert block_id("a4cf530ebdd18d21") == "ma4cf530ebd"


def test_the_parts_of_a_digest_cannot_run_into_each_other() -> None:
    assert message_digest("a", "bc") != message_digest("ab", "c")
    assert message_digest("a", "b", "cd") != message_digest("a", "b", "c", "d")


def test_a_message_without_an_id_is_named_by_role_time_and_text() -> None:
    said = turn_of("user", "tabs", NOON)
    assert said.message == turn_of("user", "tabs", NOON, project="shop").message
    others = [
        turn_of("assistant", "tabs", NOON),
        turn_of("user", "spaces", NOON),
        turn_of("user", "tabs", "2026-03-06T12:00:01Z"),
        turn_of("user", "tabs", NOON, session="two"),
        turn_of("user", "tabs", NOON, message="7"),
    ]
    assert len({said.message, *(other.message for other in others)}) == 6


def test_a_message_with_an_id_keeps_its_name_when_its_text_is_redacted() -> None:
    whole = turn_of("user", "the key is abc", NOON, message="7")
    assert whole.message == turn_of("user", "the key is gone", NOON, message="7").message


def test_a_lone_surrogate_has_a_digest() -> None:
    assert re.fullmatch(r"[0-9a-f]{16}", message_digest("a", "b", "\ud83d"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("José", "jose"), ("C++", "c-plus-plus"), ("C#", "c-sharp"), ("F# and C", "f-sharp-and-c"),
        ("Straße", "strasse"), ("  The Shop / web ", "the-shop-web"), ("李雷", "li-lei-3a47328a"),
        ("Søren Łukasz Ærø", "soren-lukasz-aero"), ("Анна Петрова", "anna-petrova"),
        ("Ελένη", "eleni"), ("東京タワー", "dong-jing-tawa-3d8ae54a"), ("서울", "seoul-ca6c4193"),
        ("con", "con-1143da2b"), ("CON", "con-1143da2b"), ("", "x-e3b0c442"),
        ("---", "x-cb3f91d5"),
    ],
)  # fmt: skip
def test_a_slug_is_the_name_as_people_would_write_it(text: str, name: str) -> None:
    assert slug(text) == name


@pytest.mark.parametrize(
    "pair", [("李", "雷"), ("C", "C++"), ("C", "C#"), ("a李", "a雷"), ("李", "")]
)
def test_names_that_differ_in_their_letters_have_two_slugs(pair: tuple[str, str]) -> None:
    assert slug(pair[0]) != slug(pair[1])


def test_a_name_is_known_by_its_former_slug_where_that_is_all_there_is() -> None:
    assert known_slug("食谱", {"x-cb91dcd7"}.__contains__) == former_slug("食谱") == "x-cb91dcd7"
    assert known_slug("食谱", {"x-cb91dcd7", slug("食谱")}.__contains__) == "shi-pu-cb91dcd7"
    assert slugs_of("Möwe") == ("mowe",)


@given(st.text(), st.integers(min_value=1, max_value=60))
@example("\ud800", 1)
@example("a" * 200, 60)
@examples(50)
def test_a_slug_is_an_id(text: str, limit: int) -> None:
    assert is_id(slug(text, limit=limit))


@given(st.from_regex(r"[a-z0-9]+(-[a-z0-9]+){0,4}", fullmatch=True).filter(is_id))
@examples(25)
def test_a_slug_of_a_slug_is_itself(name: str) -> None:
    assert slug(slug(name)) == slug(name)
    assert len(name) > 60 or slug(name) == name
