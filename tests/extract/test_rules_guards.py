"""What speaks against taking a sentence at its word."""

from __future__ import annotations

import pytest

from engram.extract.rules.guards import main_clause, objections


@pytest.mark.parametrize(
    "said",
    [
        "maybe we use oak", "we might use oak", "I think we chose oak", "we could use oak",
        "we haven't decided on oak", "it seems we use oak", "what if we used oak",
        "we should use oak",
        "I'm not sure we use oak", "let's say we use oak", "imagine we use oak",
        "we use oak or something",
    ],
)  # fmt: skip
def test_hedges_and_thought_experiments_are_never_kept(said: str) -> None:
    assert objections(said) is None


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("we use oak", set()),
        ("we should never use oak", set()),
        ("if it rains, always use oak", {"if"}),
        ("we take oak if we ever get rich", {"if"}),
        ("I'd rather use oak", {"would"}),
        ("we use oak for now", {"passing"}),
        ("you wrote that we use oak", {"reported"}),
        ("the error says we use oak", {"reported"}),
    ],
)
def test_what_a_rule_may_tolerate_is_named(said: str, found: set[str]) -> None:
    assert objections(said) == frozenset(found)


def test_a_reason_may_wonder_as_much_as_it_likes() -> None:
    assert objections("we decided to use oak because pine might rot if it rains") == frozenset()
    assert main_clause("we have chosen oak because pine rots") == "we have chosen oak because"
    assert main_clause("because of rain we chose oak") == "because of rain we chose oak"
