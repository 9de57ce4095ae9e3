"""Lines that match a person's regular expression."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.regex_safety import why_explosive
from engram.model.errors import BadInput
from engram.recall.grep import MAX_LINE, MatchingLine, compile_pattern, matching_lines


def grep(pattern: str, text: str, *, ignore_case: bool = False) -> list[MatchingLine]:
    compiled = compile_pattern(pattern, why_explosive, ignore_case=ignore_case)
    return list(matching_lines(compiled, text))


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


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|ab)*c", "(.*)*x", "a" * 2000])
def test_what_could_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(BadInput) as caught:
        grep(pattern, "a" * 5000)
    assert caught.value.hint


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
