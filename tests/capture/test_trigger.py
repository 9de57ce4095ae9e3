"""When buffered turns are extracted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.trigger import due, retry_at
from engram.model.instant import minutes_between, plus_minutes
from engram.model.settings import TriggerSettings
from engram.model.turn import Waiting
from tests.effort import examples

NOW = "2026-03-06T12:00:00Z"
AGES = {"young": plus_minutes(NOW, -14.9), "old": plus_minutes(NOW, -15)}


@pytest.mark.parametrize(
    ("mode", "turns", "high", "age", "reason"),
    [
        # smart: a strong signal at once, else five turns, else fifteen minutes
        ("smart", 1, True, "young", "high"), ("smart", 1, False, "young", ""),
        ("smart", 4, False, "young", ""), ("smart", 5, False, "young", "count"),
        ("smart", 1, False, "old", "time"), ("smart", 9, True, "old", "high"),
        # by number only
        ("every_n", 4, True, "old", ""), ("every_n", 5, False, "young", "count"),
        # by time only
        ("time_based", 9, True, "young", ""), ("time_based", 1, False, "old", "time"),
    ],
)  # fmt: skip
def test_each_mode_has_its_reasons(
    mode: str, turns: int, high: bool, age: str, reason: str
) -> None:
    waiting = Waiting("t", turns, AGES[age], high)
    assert due(waiting, TriggerSettings(mode=mode), NOW) == reason


def test_nothing_waits_nothing_is_due() -> None:
    assert due(Waiting("t", 0, AGES["old"], True), TriggerSettings(), NOW) == ""


def test_after_a_failure_nothing_is_due_before_its_time() -> None:
    failed = Waiting("t", 9, AGES["old"], True, 1, plus_minutes(NOW, 1))
    assert due(failed, TriggerSettings(), NOW) == ""
    assert due(failed, TriggerSettings(), plus_minutes(NOW, 0.9)) == ""
    assert due(failed, TriggerSettings(), plus_minutes(NOW, 1)) == "high"


def test_the_limits_are_settings() -> None:
    chosen = TriggerSettings(buffer_max_turns=2, buffer_max_minutes=0.5)
    assert due(Waiting("t", 2, NOW), chosen, NOW) == "count"
    assert due(Waiting("t", 1, plus_minutes(NOW, -0.5)), chosen, NOW) == "time"


@pytest.mark.parametrize(
    ("attempts", "minutes"), [(1, 1), (2, 5), (3, 30), (4, 30), (5, None), (6, None)]
)
def test_retries_wait_longer_and_then_end(attempts: int, minutes: int | None) -> None:
    again = retry_at(attempts, TriggerSettings(), NOW)
    assert again == ("" if minutes is None else plus_minutes(NOW, minutes))


_MODES = st.sampled_from(["smart", "every_n", "time_based"])


@given(_MODES, st.integers(1, 20), st.booleans(), st.integers(-60, 60), st.integers(0, 600))
@examples(25)
def test_what_is_due_stays_due(mode: str, turns: int, high: bool, age: int, later: int) -> None:
    chosen = TriggerSettings(mode=mode)
    waiting = Waiting("t", turns, plus_minutes(NOW, -age), high)
    if due(waiting, chosen, NOW):
        assert due(waiting, chosen, plus_minutes(NOW, later))


@given(st.integers(1, 12), st.lists(st.floats(0.5, 60), min_size=1, max_size=4), st.integers(1, 9))
@examples(25)
def test_every_failure_is_tried_again_or_put_aside(
    attempts: int, minutes: list[float], most: int
) -> None:
    chosen = TriggerSettings(retry_minutes=tuple(minutes), max_attempts=most)
    again = retry_at(attempts, chosen, NOW)
    assert bool(again) == (attempts < most)
    if again:
        assert minutes_between(NOW, again) >= int(min(minutes) * 60) / 60
