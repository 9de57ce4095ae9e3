"""Collection: when a retired memory moves to the archive, and what the log keeps of it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engram.consolidate.passes import grace_period
from engram.consolidate.passes.grace_period import grace_periods
from engram.consolidate.plan import plan_of
from engram.model.instant import plus_days
from engram.model.memory import STATUSES, Memory
from tests.consolidate.cases import NOW, TODAY, aged, context, run_passes
from tests.consolidate.view import after, remembering
from tests.effort import examples


def retired(days: int | None, **more: object) -> Memory:
    """A memory that was retired so many days before now, or nobody wrote down when."""
    since = "" if days is None else f"{plus_days(NOW, -days)}T12:00:00Z"
    made = aged(90, **({"status": "retired"} | more))
    return replace(made, status_since=since, path=f"facts/2026-08-22/{made.id}.md")


def test_thirty_days_later_the_file_moves_and_nothing_else_changes() -> None:
    old = retired(30)
    view = remembering(old, replace(retired(29), id="fact-young"))
    steps = grace_period.plan(context(view))
    assert [step.subjects for step in steps] == [(old.id,)]
    assert steps[0].amended == ((old, replace(old, path=f"archive/2026-08-22/{old.id}.md")),)
    assert grace_period.plan(context(after(view, steps))) == []


def test_the_tombstone_holds_no_words() -> None:
    old = retired(40, aliases=("use-postgres",))
    found = run_passes(context(remembering(old)), [grace_period.plan])
    tombstone = next(one for step in found.steps for one in step.events)
    details = dict(tombstone.details)
    assert (tombstone.name, tombstone.subject) == ("memory_collected", old.id)
    assert (details["retired"], details["collected"]) == ("2026-10-11", TODAY)
    assert len(details["content_hash"]) == len(details["slug_digest"]) == 64
    assert "postgres" not in repr(tombstone).lower()

    class Nothing:
        def changes(self, born: object, amended: object) -> list[object]:
            return []

        def pages(self, pairs: object) -> list[object]:
            return []

    plan = plan_of(found.steps, Nothing(), Nothing())  # type: ignore[arg-type]
    assert [event.name for event in plan.events] == ["consolidated", "memory_collected"]


def test_what_nobody_dated_is_dated_and_goes_a_month_later() -> None:
    view = remembering(retired(None))
    steps = grace_period.plan(context(view))
    assert [step.action for step in steps] == ["date"]
    done = after(view, steps)
    assert grace_period.plan(context(done)) == []
    later = f"{plus_days(NOW, 30)}T12:00:00Z"
    assert [step.action for step in grace_period.plan(context(done, now=later))] == ["collect"]


@given(st.sampled_from(STATUSES), st.integers(0, 90) | st.none(), st.integers(0, 60))
@examples(60)
def test_only_what_is_retired_and_over_its_days_goes(
    status: str, days: int | None, grace: int
) -> None:
    view = remembering(retired(days, status=status))
    found = grace_periods(view.retired(), NOW, grace)
    goes = status == "retired" and days is not None and days >= grace
    assert len(found.over) == goes
    assert len(found.undated) == (status == "retired" and days is None)
