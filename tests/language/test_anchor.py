"""Relative dates in a statement become the days they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.anchor import anchored

#: a Friday
SAID = "2026-03-06T15:00:00Z"


@pytest.mark.parametrize(
    ("fact", "after"),
    [
        ("Deployed yesterday", "Deployed on 2026-03-05"),
        ("Yesterday we moved; today we rest.", "On 2026-03-05 we moved; on 2026-03-06 we rest."),
        ("It ships by tomorrow.", "It ships by 2026-03-07."),
        ("Fixed earlier today", "Fixed earlier on 2026-03-06"),
        ("Merged this morning", "Merged on the morning of 2026-03-06"),
        ("Down since last night", "Down since the night of 2026-03-05"),
        ("Hired last week", "Hired around 2026-02-27"),
        ("Hired last month", "Hired around 2026-02-06"),
        ("Hired 3 days ago", "Hired on 2026-03-03"),
        ("Hired two weeks ago", "Hired around 2026-02-20"),
        ("Hired last Tuesday", "Hired on 2026-03-03"),
        ("Left the day before yesterday", "Left on 2026-03-04"),
    ],
)  # fmt: skip
def test_it_says_the_day(fact: str, after: str) -> None:
    assert anchored(fact, SAID) == after


@pytest.mark.parametrize(
    "fact",
    [
        "Deployed on 2026-03-01",
        'The banner says "shipped yesterday" for ever.',
        "The banner says “see you tomorrow”.",
        "The flag is 'today' in the config.",
        "Run `date -d yesterday` first.",
        "```\nprint(yesterday)\n```",
        "The user reads USA Today.",
        "Notes are in today.md and yesterday_report.",
        "The log is /var/log/yesterday.",
        "We liked yesterday's demo.",
        "Deployed yesterday (2026-03-05).",
        "We ship by Friday.",
        "We meet every last Friday.",
        "It happened recently.",
    ],
)
def test_what_is_no_relative_date_in_prose_stays(fact: str) -> None:
    assert anchored(fact, SAID) == fact


def test_a_day_that_a_month_does_not_have_is_its_last() -> None:
    assert anchored("Hired last month", "2026-03-31T10:00:00Z") == "Hired around 2026-02-28"


WORDS = [
    "yesterday",
    "today",
    "Tomorrow",
    "last week",
    "3 days ago",
    "by",
    "we",
    '"',
    "`",
    "it.",
    "\n",
]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_a_second_time_nothing_is_left_to_do(fact: str) -> None:
    once = anchored(fact, SAID)
    assert anchored(once, SAID) == once
