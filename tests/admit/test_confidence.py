"""Confidence comes from the sources of a memory, never from who proposes it."""

from __future__ import annotations

import pytest

from engram.admit.confidence import confidence_of, confirmed_confidence
from engram.admit.draft import memory_of
from engram.model.candidate import Candidate
from engram.model.memory import (
    Memory,
    confidence_level,
    confidence_tier,
    current_confidence,
    speculative_days,
)
from tests.admit.cases import candidate, memory

SAID = "The till speaks to the printer over port 9100."


def owner(**more: object) -> Memory:
    """A memory that one person said in one conversation."""
    return memory_of(candidate(SAID, authority="user_asserted", **more))


def again(text: str = SAID, session: str = "other", **more: object) -> Candidate:
    """The same statement, by the words of another turn."""
    return candidate(text, session=session, authority="user_asserted", **more)


@pytest.mark.parametrize("claimed", [0.05, 0.5, 1.0])
def test_one_source_is_medium_whatever_the_extractor_claims(claimed: float) -> None:
    number = confidence_of(candidate(confidence=claimed))
    assert confidence_level(number) == "medium" and number <= 0.84
    assert speculative_days(number) is None


@pytest.mark.parametrize(
    ("given", "number"),
    [
        ({"voice": "typed"}, 0.7), ({"voice": "pasted"}, 0.69), ({"voice": "stored"}, 0.69),
        ({"voice": "agent"}, 0.69), ({"voice": "program"}, 0.3), ({"origin": "person"}, 0.95),
        ({"text": "I think the till speaks to the printer."}, 0.3),
    ],
)  # fmt: skip
def test_the_voice_decides_about_the_first_source(given: dict[str, str], number: float) -> None:
    assert confidence_of(candidate(**given)) == number


def test_other_words_in_another_conversation_make_it_high() -> None:
    number = confirmed_confidence(owner(), again("the printer listens on 9100, the till uses that"))
    assert number == 0.9 and confidence_level(number) == "high"


@pytest.mark.parametrize("text", [SAID, f"{SAID.lower()} Please fix it."])
def test_a_copied_text_stays_one_source(text: str) -> None:
    assert confirmed_confidence(owner(), again(text)) == 0.84


def test_a_hedge_or_the_same_conversation_raises_nothing() -> None:
    other = "maybe the printer listens on 9100"
    assert confirmed_confidence(owner(), again(other)) == 0.7
    assert confirmed_confidence(owner(), again("the printer is on 9100", session="s")) == 0.7


def test_an_agents_word_and_the_persons_are_one_source() -> None:
    inferred = memory_of(candidate(SAID, voice="agent"))
    assert confirmed_confidence(inferred, again("the printer listens on 9100")) == 0.7


def test_the_persons_own_word_is_explicit_and_nothing_else_is() -> None:
    sure = confirmed_confidence(owner(), again(origin="person"))
    assert sure == 0.95 and confidence_tier(sure) == "explicit"
    assert (
        confidence_tier(confirmed_confidence(owner(), again("9100 is for the till"))) == "implied"
    )


def test_a_dispute_takes_away_from_it_while_it_lasts() -> None:
    disputed = memory(confidence=0.9, status="needs-review", conflicts=("fact-x",))
    assert current_confidence(disputed) == 0.75
    assert current_confidence(memory(confidence=0.9, conflicts=("fact-x",))) == 0.9
    assert (
        current_confidence(memory(confidence=0.2, status="needs-review", conflicts=("f",))) == 0.1
    )
