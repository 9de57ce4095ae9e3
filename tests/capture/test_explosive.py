"""Patterns that could hang are told apart by their structure."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.regex_safety import why_explosive


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+", "(?:a*)*", r"(\w+\s?)*", r"(?:\w+ )*x", "(a|ab)*", "(?:a?){30}",
        ".*.*.*", r"\s*\s*\s*x", ".*a.*a.*", r"(x)\1", "(?:(?:ab)+c?)+", "(a{1,50}){1,50}",
    ],
)  # fmt: skip
def test_what_backtracks_without_bound_is_refused(pattern: str) -> None:
    assert why_explosive(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "lion", r"\bdeploy\w*\s+to\s+prod\w*", "remember.*always", "(?:foo|bar)+", "(?:very )?big",
        r"ticket-\d+", r"(\w|\d)+",
        r"\d{3,}-\d{3,}", "[^x]*x[^x]*x", "(?i:todo)", r"(?=a)b+", "a{3}", "^$",
    ],
)  # fmt: skip
def test_ordinary_patterns_pass(pattern: str) -> None:
    assert why_explosive(pattern) == ""


def test_what_is_no_pattern_raises() -> None:
    with pytest.raises(re.error):
        why_explosive("(")


def test_nesting_too_deep_to_read_raises_instead_of_crashing() -> None:
    with pytest.raises(re.error):
        why_explosive("(" * 5000 + ")" * 5000)


_ATOMS = st.sampled_from(["a", "b", ".", r"\w", "[ab]", "(?:a|b)"])
_PIECES = st.tuples(_ATOMS, st.sampled_from(["", "?", "*", "+", "{2}", "{1,40}"])).map("".join)
_PATTERNS = st.lists(_PIECES, min_size=1, max_size=4).map("".join)


@given(_PATTERNS, st.sampled_from(["", "+", "*", "{12}"]))
def test_a_pattern_that_passes_comes_to_an_end_on_the_worst_text(body: str, repeat: str) -> None:
    """One that slips through does not return, or not within the deadline of a property test."""
    pattern = f"(?:{body}){repeat}c"
    if why_explosive(pattern) == "":
        assert re.search(pattern, "a" * 120) is None
