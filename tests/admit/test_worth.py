"""What is worth a file."""

from __future__ import annotations

import pytest

from engram.admit.gate.worth import MOST_CHARACTERS, unworthy
from engram.model.memory import CATEGORIES
from tests.admit.cases import candidate


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_plain_statement_of_any_category_is(category: str) -> None:
    assert unworthy(candidate(category=category), "low") == ""


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"category": "gossip"}, "unknown_category"), ({"category": ""}, "unknown_category"),
        ({"text": ""}, "empty"), ({"text": " ... !? "}, "empty"),
        ({"text": "x" * (MOST_CHARACTERS + 1)}, "too_long"),
        ({"confidence": 1.01}, "out_of_range"), ({"confidence": -0.1}, "out_of_range"),
        ({"confidence": float("nan")}, "out_of_range"), ({"importance": 2.0}, "out_of_range"),
        ({"importance": 0.19}, "trivial"),
    ],
)  # fmt: skip
def test_what_is_not_has_a_code(fields: dict[str, object], code: str) -> None:
    assert unworthy(candidate(**fields), "low") == code


def test_the_longest_statement_still_is() -> None:
    assert unworthy(candidate(text="x" * MOST_CHARACTERS), "low") == ""


@pytest.mark.parametrize(
    ("least", "importance", "code"),
    [
        ("trivial", 0.0, ""), ("low", 0.2, ""), ("normal", 0.39, "trivial"), ("normal", 0.4, ""),
        ("critical", 0.89, "trivial"), ("critical", 0.9, ""),
    ],
)  # fmt: skip
def test_the_threshold_is_a_level(least: str, importance: float, code: str) -> None:
    assert unworthy(candidate(importance=importance), least) == code


def test_the_persons_own_word_is_never_trivial_but_may_be_empty() -> None:
    assert unworthy(candidate(origin="person", importance=0.0), "critical") == ""
    assert unworthy(candidate(origin="person", text="?"), "low") == "empty"
