"""Quantities: the same amount has one form, however it is written."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.quantity import quantities_of
from engram.language.when import find_times

SAID = "2026-03-06T10:00:00Z"


def amounts(text: str) -> list[str]:
    return [f"{one.unit} {one.value}" for one in quantities_of(text, find_times(text, SAID))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 min", "300 s"), ("1.5 hours", "90 minutes"), ("2 TB", "2000 GB"),
        ("1k calls", "1,000 calls"),
        ("0.5k USD", "$500"), ("8 am", "08:00"), ("3:30 pm", "15:30"),
        ("two-week sprints", "14 days"),
        ("81 %", "81 percent"), ("1 kg", "1000 g"), ("12 months", "1 year"),
        ("version 3.11", "v3.11"),
        ("on 6 May 2026", "on 2026-05-06"), ("six chairs", "6 chairs"),
    ],
)  # fmt: skip
def test_units_are_normalised(one: str, other: str) -> None:
    assert amounts(f"It is {one}.") == amounts(f"It is {other}.") != []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It has 4 doors and 2 windows.", ["door 4", "window 2"]),
        ("Python 3.12 runs it.", ["version 3.12"]), ("It needs Node 22.", ["version 22"]),
        ("One of them left.", []), ("The limit is 7.", ["number 7"]), ("No numbers.", []),
        ("It sank yesterday.", []),
        ("It sank in March 2026.", []), ("us-east-1 and db2 and a/3", []),
    ],
)  # fmt: skip
def test_what_a_number_counts(text: str, found: list[str]) -> None:
    assert amounts(text) == found


@given(st.text(max_size=200))
def test_no_text_raises_and_places_are_in_order(text: str) -> None:
    found = quantities_of(text, find_times(text, SAID))
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
