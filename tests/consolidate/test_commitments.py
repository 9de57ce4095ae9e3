"""When a promise asks whether it is still open, and when it is put away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.consolidate.passes import commitments
from engram.model.memory import Memory
from tests.consolidate.cases import TODAY, aged, context
from tests.consolidate.view import after, remembering

LATER = "2027-01-01"


def promise(days: int = 20, *, due: str = "", expires: str = LATER, **more: object) -> Memory:
    """An open commitment."""
    extra = (*((("due", due),) if due else ()), ("commitment_state", "open"))
    return aged(days, "We send the audit.", category="commitment", expires=expires,
                extra=more.pop("extra", extra), **more)  # fmt: skip


def test_the_due_day_itself_is_not_past() -> None:
    assert commitments.plan(context(remembering(promise(due=TODAY)))) == []
    (step,) = commitments.plan(context(remembering(promise(due="2026-11-19"))))
    ended = step.amended[0][1]
    assert (ended.status, ended.status_reason) == ("needs-review", "overdue")
    assert "2026-11-19" in step.why


def test_an_answer_is_not_asked_for_again() -> None:
    view = remembering(promise(due="2026-11-19"))
    (step,) = commitments.plan(context(view))
    asked = step.amended[0][1]
    kept = replace(asked, status="active", status_since="", status_reason="")
    assert commitments.plan(context(remembering(kept))) == []
    moved = tuple(("due", "2026-11-18") if key == "due" else (key, value)
                  for key, value in kept.extra)  # fmt: skip
    assert len(commitments.plan(context(remembering(replace(kept, extra=moved))))) == 1


@pytest.mark.parametrize("schema", ["", "tech_debt"])
def test_an_open_one_is_stale_on_the_day_it_expires(schema: str) -> None:
    (step,) = commitments.plan(context(remembering(promise(90, expires=TODAY, schema=schema))))
    ended = step.amended[0][1]
    assert (ended.status, ended.status_reason) == ("needs-review", "stale")
    assert commitments.plan(context(remembering(promise(90, expires="2026-11-21")))) == []


def test_one_that_was_heard_of_again_is_left_alone() -> None:
    refreshed = promise(400, due="2027-02-01", expires=LATER)
    assert commitments.plan(context(remembering(refreshed))) == []


@pytest.mark.parametrize(
    "more",
    [
        {"extra": (("outcome", "Fulfilled"),)},
        {"extra": (("commitment_state", "done"), ("due", "2026-09-01"))},
        {"extra": (("state", "cancelled"),)},
        {"tags": ("audit", "expired")},
    ],
)
def test_a_closed_one_is_put_away_when_its_time_is_up(more: dict[str, object]) -> None:
    (step,) = commitments.plan(context(remembering(promise(90, expires=TODAY, **more))))
    assert step.amended[0][1].status == "archived"
    assert commitments.plan(context(remembering(promise(90, **more)))) == []


def test_a_topic_is_no_state() -> None:
    (step,) = commitments.plan(context(remembering(promise(90, expires=TODAY, tags=("fixed",)))))
    assert step.action == "review"


def test_who_removed_the_day_keeps_it_for_ever() -> None:
    assert commitments.plan(context(remembering(promise(900, due="2024-09-01", expires="")))) == []


@pytest.mark.parametrize("due", ["soon", "2026-13-01", "01.11.2026", ""])
def test_a_due_day_that_is_none_says_nothing(due: str) -> None:
    assert commitments.plan(context(remembering(promise(due=due)))) == []


def test_other_categories_and_guesses_are_none_of_its_business() -> None:
    fact = aged(90, expires=TODAY, extra=(("due", "2026-09-01"),))
    guess = promise(30, due="2026-09-01", expires=TODAY, confidence=0.3)
    assert commitments.plan(context(remembering(fact, guess))) == []


def test_one_step_when_two_reasons_meet_and_none_afterwards() -> None:
    view = remembering(promise(90, due="2026-09-01", expires=TODAY))
    steps = commitments.plan(context(view))
    assert [step.amended[0][1].status_reason for step in steps] == ["overdue"]
    assert commitments.plan(context(after(view, steps))) == []
