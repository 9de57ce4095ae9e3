"""What becomes of memories whose day has come."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.consolidate.passes import expiry
from engram.consolidate.step_events import events_of
from engram.model.instant import plus_days
from engram.model.policy import Policy, RetentionRule
from engram.model.trace import FORGET
from tests.consolidate.cases import NOW, TODAY, aged, context
from tests.consolidate.view import after, remembering


@pytest.mark.parametrize("category", ["fact", "correction", "moment", "skill", "entity"])
def test_an_ordinary_memory_expires_on_the_very_day(category: str) -> None:
    due = aged(180, category=category, expires=TODAY)
    (step,) = expiry.plan(context(remembering(due)))
    ((before, ended),) = step.amended
    assert before == due
    assert (ended.status, ended.status_since, ended.status_reason) == ("expired", NOW, "ttl")
    assert expiry.plan(context(remembering(replace(due, expires="2026-11-21")))) == []


@pytest.mark.parametrize(
    ("category", "schema"),
    [("decision", ""), ("preference", ""), ("principle", ""), ("fact", "constraint")],
)
def test_a_protected_memory_asks_instead(category: str, schema: str) -> None:
    due = aged(180, category=category, schema=schema, expires=TODAY)
    (step,) = expiry.plan(context(remembering(due)))
    assert step.amended[0][1].status == "needs-review"
    assert step.amended[0][1].status_reason == "stale"


@pytest.mark.parametrize("category", ["fact", "preference", "commitment"])
def test_an_unconfirmed_guess_expires_whatever_it_is_about(category: str) -> None:
    guess = aged(30, category=category, confidence=0.39, expires=TODAY)
    (step,) = expiry.plan(context(remembering(guess)))
    assert step.amended[0][1].status == "expired"
    assert step.amended[0][1].status_reason == "unconfirmed"


def test_from_forty_percent_on_it_is_no_guess() -> None:
    inferred = aged(30, category="preference", confidence=0.40, expires=TODAY)
    (step,) = expiry.plan(context(remembering(inferred)))
    assert step.action == "review"


def test_without_a_day_a_memory_stays_for_ever() -> None:
    assert expiry.plan(context(remembering(aged(4000, expires="")))) == []


def test_what_waits_for_review_is_not_asked_about_twice() -> None:
    waiting = aged(200, category="decision", expires=TODAY, status="needs-review")
    assert expiry.plan(context(remembering(waiting))) == []


def test_commitments_are_left_to_their_own_pass() -> None:
    assert expiry.plan(context(remembering(aged(90, category="commitment", expires=TODAY)))) == []


def test_a_second_look_plans_nothing() -> None:
    view = remembering(
        aged(180, "One.", expires=TODAY),
        aged(180, "Two.", category="decision", expires=TODAY),
        aged(30, "Three.", confidence=0.2, expires=TODAY),
    )
    steps = expiry.plan(context(view))
    assert len(steps) == 3
    assert expiry.plan(context(after(view, steps))) == []


SLOTS = Policy(retention={"profile": RetentionRule("never")})


@pytest.mark.parametrize("days", [-400, 0, 7])
def test_what_the_policy_lets_never_end_loses_its_day(days: int) -> None:
    slot = aged(180, key="user::editor", expires=plus_days(TODAY, days))
    (step,) = expiry.plan(replace(context(remembering(slot)), policy=SLOTS))
    assert step.amended == ((slot, replace(slot, expires="")),)
    statement = replace(slot, key="", expires=TODAY)
    (step,) = expiry.plan(replace(context(remembering(statement)), policy=SLOTS))
    assert step.amended[0][1].status == "expired"


def test_what_nothing_renews_says_so() -> None:
    policy = Policy(forget_policy="ttl")
    due = aged(180, category="fact", expires=TODAY)
    (step,) = expiry.plan(replace(context(remembering(due)), policy=policy))
    assert step.amended[0][1].status_reason == "ttl_expired"
    (forgotten,) = [event for event in events_of([step]) if event.name == FORGET]
    assert forgotten.details == (("reason", "ttl_expired"),)
