"""Sentences that lean on their neighbour, and rules with their reason behind them."""

from __future__ import annotations

import pytest

from engram.extract.receipt import verify
from engram.model.turn import turn_of
from tests.extract.test_rules import TIME, extracted, rules


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Our nightly backup is slow. It must never run on Mondays.",
            "Our nightly backup must never run on Mondays.",
        ),
        (
            "Our workers are slow. They must always acknowledge in order.",
            "Our workers must always acknowledge in order.",
        ),
    ],
)
def test_a_pronoun_is_told_as_the_subject_before_it(said: str, told: str) -> None:
    assert told in [candidate.text for candidate in extracted(said)]


@pytest.mark.parametrize(
    "said",
    [
        "The printers are old. It must never run on Mondays.",
        "The backup is slow.\n\nIt must never run on Mondays.",
        "Yesterday was fine. It must never run on Mondays.",
    ],
)
def test_a_subject_of_another_number_or_paragraph_is_not_taken(said: str) -> None:
    assert not [one for one in extracted(said) if "must never run" in one.text]


def test_what_is_asked_for_because_of_a_statement_is_left_off_where_it_points_back() -> None:
    said = "My niece Ilse is allergic to oysters, so nothing with those. We eat at six."
    turn = turn_of("user", said, TIME)
    (found,) = rules().extract([turn])
    assert found.text == "The user's niece Ilse is allergic to oysters."
    assert found.receipt.quote in said and verify(found, [turn]) == ""
    whole = "Ilka does the ovens, so ask before changing anything in kitchen/"
    assert [one.receipt.quote for one in extracted(whole)] == [whole]


def test_a_long_sentence_without_a_stop_is_read_to_its_end() -> None:
    assert extracted("the oven and the bread " * 17) == []


def test_whom_something_was_promised_is_told_by_name() -> None:
    said = "On Friday Ilka opens the kiosk. I promised her a demo next week."
    assert any(one.text.startswith("The user promised Ilka a demo") for one in extracted(said))
    two = "Ilka and Bero open the kiosk with Tuva. I promised her a demo next week."
    assert not any("promised Ilka" in one.text for one in extracted(two))


@pytest.mark.parametrize(
    "reason", ["It breaks the bisect.", "Otherwise the release notes are empty."]
)
def test_a_rule_takes_its_reason_along(reason: str) -> None:
    turn = turn_of("user", f"Never squash the release branch. {reason}", TIME, project="shop")
    (found,) = rules().extract([turn])
    assert found.text == turn.text == found.receipt.quote
    assert verify(found, [turn]) == ""


def test_what_ended_a_problem_is_told_with_it() -> None:
    said = "The timeouts came from a pool of 20 for each worker. Setting the size to 5 fixed it."
    (found,) = extracted(said)
    assert found.text == said


def test_another_statement_is_no_reason() -> None:
    found = extracted("Never squash the release branch. The release is on Friday.")
    assert found[0].text == "Never squash the release branch."
