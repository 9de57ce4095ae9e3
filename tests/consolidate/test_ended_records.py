"""Records that are over leave the active set, the person's own after a question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.consolidate.passes import ended_records
from engram.model.memory import Memory
from tests.consolidate.cases import TODAY, aged, context
from tests.consolidate.view import after, remembering


def debt(state: str, **more: object) -> Memory:
    return aged(9, "The till's tests were put off.", category="commitment", schema="tech_debt",
                extra=(("debt_state", state), ("priority", "low")), **more)  # fmt: skip


def wall(*extra: tuple[str, str], **more: object) -> Memory:
    return aged(9, "The printer takes 40 columns.", category="fact", schema="constraint",
                extra=(("severity", "high"), *extra), **more)  # fmt: skip


def ended(memory: Memory) -> tuple[str, str] | None:
    """Status and reason that the pass gives a memory; it plans nothing more for what it gave."""
    view = remembering(memory)
    steps = ended_records.plan(context(view))
    done = after(view, steps)
    assert ended_records.plan(context(done)) == []
    made = done.memories[memory.id]
    return (made.status, made.status_reason) if steps else None


@pytest.mark.parametrize("state", ["resolved", "wont_fix"])
def test_a_settled_debt_is_archived(state: str) -> None:
    assert ended(debt(state, authority="ai_inferred")) == ("archived", state)


@pytest.mark.parametrize("state", ["open", "in_progress", "", "who knows"])
def test_a_debt_that_is_not_settled_stays_however_old(state: str) -> None:
    assert ended(debt(state, authority="ai_inferred", expires="2020-01-01")) is None


def test_a_constraint_ends_when_it_is_not_in_effect_or_its_day_is_past() -> None:
    theirs = {"authority": "ai_inferred"}
    assert ended(wall(("in_effect", "false"), **theirs)) == ("archived", "not_in_effect")
    assert ended(wall(("until", "2026-11-19"), **theirs)) == ("expired", "until")
    for stays in (("in_effect", "true"), ("until", TODAY), ("until", "the new printer comes"),
                  ("until", "2026-13-01")):  # fmt: skip
        assert ended(wall(stays, **theirs)) is None


def test_the_person_is_asked_about_their_own_once() -> None:
    mine = debt("resolved", authority="user_asserted")
    assert ended(mine) == ("needs-review", "resolved")
    (step,) = ended_records.plan(context(remembering(mine)))
    kept = replace(step.amended[0][1], status="active", status_since="", status_reason="")
    assert ended(kept) is None
    other = tuple((key, "wont_fix" if key == "debt_state" else said) for key, said in kept.extra)
    assert ended(replace(kept, extra=other)) == ("needs-review", "wont_fix")


def test_other_memories_with_such_keys_are_left_alone() -> None:
    said = aged(
        9, extra=(("in_effect", "false"), ("debt_state", "resolved"), ("until", "2020-01-01"))
    )
    assert ended(said) is None
