"""Archival: each condition of seed 003 alone and on its boundary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.consolidate.passes import archival
from engram.model.memory import CATEGORIES, Memory
from engram.model.step import Access
from tests.consolidate.cases import TODAY, aged, context
from tests.consolidate.view import Remembered, after, remembering


def idle(**more: object) -> Memory:
    """A fact for which every condition holds."""
    return aged(int(str(more.pop("days", 91))), **{"importance": 0.29, "expires": "", **more})


def planned(memory: Memory, reads: int = 0, **settings: object) -> int:
    view = Remembered({memory.id: memory}, {memory.id: Access(reads)} if reads else {})
    return len(archival.plan(context(view, **settings)))


def test_when_all_conditions_hold_it_is_archived() -> None:
    memory = idle()
    (step,) = archival.plan(context(remembering(memory)))
    ended = step.amended[0][1]
    assert (step.subjects, ended.status, ended.status_reason) == (
        (memory.id,),
        "archived",
        "unused",
    )
    assert step.why == "91 days old, importance 0.29, never asked for"


def test_exactly_ninety_days_is_not_older() -> None:
    memory = idle(days=90)
    assert planned(memory) == 0
    assert planned(replace(memory, created="2026-08-22T11:59:59Z")) == 1


def test_exactly_the_importance_is_not_below() -> None:
    assert planned(idle(importance=0.3)) == 0


@pytest.mark.parametrize(("reads", "steps"), [(0, 1), (2, 1), (3, 0)])
def test_asked_for_twice_is_seldom_and_thrice_is_not(reads: int, steps: int) -> None:
    assert planned(idle(), reads) == steps


@pytest.mark.parametrize("category", CATEGORIES)
def test_protected_categories_and_corrections_stay(category: str) -> None:
    kept = {"commitment", "preference", "decision", "principle", "correction"}
    assert planned(idle(category=category)) == (category not in kept)


def test_a_correction_stays_even_when_nothing_is_protected() -> None:
    assert planned(idle(category="correction"), archive_protected=()) == 0
    assert planned(idle(category="preference"), archive_protected=()) == 1


@pytest.mark.parametrize("status", ["needs-review", "superseded", "retired", "expired"])
def test_only_what_is_active_is_archived(status: str) -> None:
    assert planned(idle(status=status)) == 0


def test_an_unknown_age_is_no_age() -> None:
    assert planned(replace(idle(), created="")) == 0


def test_switched_off_it_plans_nothing() -> None:
    assert planned(idle(), archive=False) == 0


def test_the_limits_are_the_person_s() -> None:
    assert planned(idle(days=11), archive_age_days=10) == 1
    assert planned(idle(importance=0.5), archive_max_importance=0.6) == 1
    assert planned(idle(), 3, archive_max_access=3) == 1


def test_what_a_person_restored_is_not_archived_again() -> None:
    view = remembering(idle())
    steps = archival.plan(context(view))
    assert archival.plan(context(after(view, steps))) == []
    restored = replace(steps[0].amended[0][1], status="active", status_since="", status_reason="")
    assert ("archived", TODAY) in restored.extra
    assert archival.plan(context(remembering(restored))) == []
