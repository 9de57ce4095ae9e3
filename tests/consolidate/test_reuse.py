"""What use does to a memory's days, and to a moment that comes up again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.consolidate.passes import expiry, reuse
from engram.model.instant import plus_days
from engram.model.memory import Memory
from engram.model.policy import Policy
from engram.model.step import Access
from tests.consolidate.cases import NOW, TODAY, aged, context, run_passes
from tests.consolidate.view import Remembered, after, remembering

YESTERDAY = f"{plus_days(NOW, -1)}T12:00:00Z"


def read(memory: Memory, *, days: int = 1, last: str = YESTERDAY) -> Remembered:
    """A view of one memory that was asked for."""
    view = remembering(memory)
    view.reads[memory.id] = Access(days, last, days)
    return view


@pytest.mark.parametrize("category", ["fact", "preference", "skill"])
def test_what_was_asked_for_lives_its_days_from_then(category: str) -> None:
    view = read(aged(180, category=category, expires=TODAY))
    (step,) = reuse.plan(context(view))
    ((_, renewed),) = step.amended
    assert step.action == "renew"
    assert renewed.expires == plus_days(YESTERDAY, 365 if category == "skill" else 180)
    assert expiry.plan(context(after(view, [step]))) == []


def test_it_is_written_once_a_day_and_never_sooner() -> None:
    view = read(aged(180, expires=TODAY))
    steps = reuse.plan(context(view))
    assert reuse.plan(context(after(view, steps))) == []
    assert reuse.plan(context(read(aged(10, expires="2030-01-01")))) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"confidence": 0.3}, {"category": "commitment"}, {"status": "needs-review"},
        {"status": "expired"}, {"expires": ""},
    ],
)  # fmt: skip
def test_guesses_promises_and_what_is_not_active_are_left_alone(fields: dict[str, object]) -> None:
    assert reuse.plan(context(read(aged(20, **{"expires": TODAY, **fields})))) == []


def test_what_nobody_asked_for_is_left_alone() -> None:
    assert reuse.plan(context(remembering(aged(180, expires=TODAY)))) == []


@pytest.mark.parametrize(
    ("fields", "days"),
    [
        ({}, 2), ({"confidence": 0.9}, 0),
        ({"sources": ("a-000000000000#^m0123456789", "b-000000000000#^m0123456789")}, 0),
    ],
)  # fmt: skip
def test_a_moment_that_comes_up_again_becomes_a_fact(fields: dict[str, object], days: int) -> None:
    moment = aged(
        10, "We opened the second shop.", category="moment", expires="2026-11-24", **fields
    )
    view = read(moment, days=days) if days else remembering(moment)
    found = run_passes(context(view), [reuse.plan])
    (step,) = found.steps
    (fact,) = step.born
    assert (fact.category, fact.text, fact.sources) == ("fact", moment.text, moment.sources)
    assert fact.extras["promoted_from"] == f"[[{moment.id}]]"
    assert fact.expires == plus_days(NOW, 180) and fact.created == moment.created
    ((_, gone),) = step.amended
    assert (gone.id, gone.status, gone.status_reason) == (moment.id, "archived", "promoted")
    assert run_passes(context(after(view, found.steps)), [reuse.plan]).steps == []


def test_a_moment_of_one_day_and_a_session_record_are_no_facts() -> None:
    moment = aged(10, category="moment", expires="2026-12-30")
    assert reuse.plan(context(read(moment))) == []
    assert (
        reuse.plan(context(read(replace(moment, schema="session", expires="2027-03-01"), days=3)))
        == []
    )


def test_the_policy_refuses_the_fact_of_a_moment_once() -> None:
    moment = aged(10, "We opened the second shop.", category="moment", expires="2026-12-30")
    policy = Policy(deny_event_types=("fact",))
    (refused,) = reuse.plan(replace(context(read(moment, days=3)), policy=policy))
    assert (refused.action, refused.born) == ("refuse", ())
    ((_, marked),) = refused.amended
    assert marked.extras == {"fact_denied": "policy_deny_event_type"}
    (event,) = refused.events
    assert event.name == "memory_denied" and moment.text not in str(event)
    assert all(
        step.action != "refuse"
        for step in reuse.plan(replace(context(read(marked, days=3)), policy=policy))
    )
    (allowed,) = reuse.plan(context(read(marked, days=3)))
    assert allowed.action == "promote" and "fact_denied" not in allowed.born[0].extras
