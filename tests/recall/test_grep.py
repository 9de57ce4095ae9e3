"""Lines that match a person's regular expression."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.errors import BadInput
from engram.model.hit import MatchingLine
from engram.recall import grep as module
from engram.recall.grep import MAX_LINE, LineSearch


def grep(pattern: str, text: str, *, ignore_case: bool = False) -> list[MatchingLine]:
    return list(LineSearch(pattern, ignore_case=ignore_case).lines(text))


def test_a_matching_line_is_told_with_its_number_and_places() -> None:
    assert grep("two", "one\ntwo and two\r\nthree\n") == [
        MatchingLine(2, "two and two", ((0, 3), (8, 11)))
    ]


def test_case_counts_unless_it_is_ignored() -> None:
    assert grep("TWO", "two") == []
    assert grep("TWO", "two", ignore_case=True) == [MatchingLine(1, "two", ((0, 3),))]


def test_an_empty_match_has_no_span() -> None:
    assert grep("x*", "ab\nxx") == [MatchingLine(1, "ab", ()), MatchingLine(2, "xx", ((0, 2),))]


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "(?P<a", r"\8", "a{2,1}", "(" * 900])
def test_what_is_no_expression_is_refused_with_a_hint(pattern: str) -> None:
    with pytest.raises(BadInput) as caught:
        grep(pattern, "a")
    assert caught.value.hint


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "a" * 2000])
def test_what_takes_for_ever_is_refused(monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.setattr(module, "MATCHING_SECONDS", 0.1)
    with pytest.raises(BadInput) as caught:
        grep(pattern, "a" * 5000 + "!")
    assert caught.value.hint


@pytest.mark.parametrize("pattern", ["(a|ab)*c", "(.*)*x"])
def test_a_repeat_inside_a_repeat_is_searched_for(pattern: str) -> None:
    assert grep(pattern, "a" * 5000) == []
    assert len(grep(pattern, "aac\nx\nabx c")) > 0


def test_many_lines_that_are_each_a_little_slow_are_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MATCHING_SECONDS", 0.2)
    search = LineSearch("(a|aa)+$")
    with pytest.raises(BadInput, match="takes too long"):
        for _ in range(100_000):
            list(search.lines("a" * 18 + "!"))


def test_the_time_that_is_given_grows_with_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MATCHING_SECONDS", 0.2)
    search, text = LineSearch(r"\bzeb\w+a"), ("two writers are needed " * 4 + "\n") * 20_000
    for _ in range(3):
        assert list(search.lines(text)) == []


def test_only_the_beginning_of_a_very_long_line_is_looked_at() -> None:
    text = "a" * MAX_LINE + "b"
    assert grep("b", text) == []
    assert len(grep("a", text)[0].text) == MAX_LINE


def test_the_places_in_one_line_are_bounded() -> None:
    assert len(grep("a", "a" * 5000)[0].spans) == 200


@given(st.text(max_size=40), st.text(alphabet="ab\n\r", max_size=30))
def test_a_literal_is_found_where_it_stands(literal: str, around: str) -> None:
    text = around + literal + around
    for line in grep(re.escape(literal), text):
        for start, end in line.spans:
            assert line.text[start:end] == literal
    assert (
        literal == "" or "\n" in literal or literal.endswith("\r") or grep(re.escape(literal), text)
    )
