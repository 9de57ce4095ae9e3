"""A receipt holds when its turn says its quote, and only then."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.extract.receipt import receipt_of, verify
from engram.model.candidate import Candidate, Receipt
from engram.model.turn import turn_of

TURN = turn_of("user", "Ok. We  use\nOAK here, not pine.", "2026-03-04T10:00:00Z", session="a")
OTHER = turn_of("user", "We use elm.", "2026-03-04T10:01:00Z", session="a")


def candidate(receipt: Receipt) -> Candidate:
    return Candidate("fact", "We use oak.", receipt, 0.8)


def test_a_receipt_points_into_the_transcript_of_its_turn() -> None:
    receipt = receipt_of(TURN, "we use oak")
    assert receipt.link == f"{TURN.transcript}#^{TURN.block}"
    assert (receipt.message, receipt.role, receipt.time) == (TURN.message, "user", TURN.time)


@pytest.mark.parametrize("quote", ["We  use\nOAK here", "we use oak HERE", " not\tpine. "])
def test_white_space_and_case_may_differ(quote: str) -> None:
    assert verify(candidate(receipt_of(TURN, quote)), [OTHER, TURN]) == ""


@pytest.mark.parametrize("quote", ["we use 0ak", "we use oak, here", "We use elm.", "oak pine"])
def test_anything_else_may_not(quote: str) -> None:
    assert verify(candidate(receipt_of(TURN, quote)), [OTHER, TURN]) == "quote-not-found"


def test_each_refusal_has_its_code() -> None:
    good = receipt_of(TURN, "we use oak")
    assert verify(candidate(replace(good, quote=" \n")), [TURN]) == "no-quote"
    assert verify(candidate(good), [OTHER]) == "unknown-turn"
    assert verify(candidate(replace(good, role="assistant")), [TURN]) == "wrong-source"
    assert verify(candidate(replace(good, link="elsewhere#^m0")), [TURN]) == "wrong-source"
    assert verify(candidate(replace(good, time=OTHER.time)), [TURN]) == "wrong-source"


@given(st.text(min_size=1, max_size=80), st.integers(0, 79), st.integers(1, 80))
def test_every_part_of_a_turn_that_says_something_can_be_quoted(
    text: str, start: int, length: int
) -> None:
    turn = turn_of("user", text, "2026-03-04T10:00:00Z")
    quote = text[start : start + length]
    code = verify(candidate(receipt_of(turn, quote)), [turn])
    # Folding may join a letter with the mark that the cut took away.
    if quote.isascii() and text.isascii():
        assert code == ("" if quote.strip() else "no-quote")
