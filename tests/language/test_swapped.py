"""Reversals: two names or numbers that are told in each other's place."""

from __future__ import annotations

import pytest

from engram.language.swapped import is_reversed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Leonie reports to Ravi.", "Ravi reports to Leonie since May"),
        ("The limit went from 50 to 20.", "the limit went from 20 to 50"),
        ("Ledger depends on Billing.", "Billing depends on Ledger, so it comes first"),
    ],
)
def test_names_and_numbers_in_each_others_place_are_told(text: str, said: str) -> None:
    assert is_reversed(text, said)
    assert not is_reversed(said, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ravi and Leonie share a desk.", "Leonie and Ravi share a desk"),
        ("The backup is run by Willow for Ravi.", "Willow runs the backup for Ravi"),
        ("Ravi wrote to Leonie.", "Leonie wrote to Ravi and Ravi wrote to Leonie"),
    ],
)
def test_another_order_of_the_same_is_none(text: str, said: str) -> None:
    assert not is_reversed(text, said)
