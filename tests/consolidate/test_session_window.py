"""The window of sessions: which leave it, what is warned of, and that it is done once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.consolidate.context import PassContext
from engram.consolidate.passes import session_window
from engram.consolidate.passes.session_window import beyond_window
from engram.consolidate.session_guard import said_in, unheld
from engram.model.memory import Memory
from engram.model.settings import RecordSettings
from engram.model.view import VaultView
from tests.consolidate.cases import NOW, TODAY, aged, context
from tests.consolidate.view import after, remembering
from tests.effort import examples

DAYS = st.integers(0, 60)


def session(days: int, name: str = "", **more: object) -> Memory:
    """The record of a session so many days ago; `name` is its id."""
    made = aged(
        days, f"Make the till retry, part {days}.", category="moment", schema="session",
        kind="episode", project=str(more.pop("project", "shop")), **more,
    )  # fmt: skip
    return replace(made, id=name or made.id)


def window(view: VaultView, most: int = 5, changed: frozenset[str] | None = None) -> PassContext:
    made = context(view, changed)
    settings = made.settings._replace(records=RecordSettings(sessions=most))
    return replace(made, settings=settings)


def test_the_newest_five_of_each_project_stay() -> None:
    shop = [session(day) for day in range(7)]
    crane = [session(day, project="crane") for day in (8, 9)]
    view = remembering(*shop, *crane)
    steps = session_window.plan(window(view))
    assert [step.subjects for step in steps] == [(shop[6].id,), (shop[5].id,)]
    gone = after(view, steps).memories[shop[6].id]
    assert (gone.status, gone.status_since) == ("retired", NOW)
    assert (gone.status_reason, gone.extras["left_window"]) == ("session_window", TODAY)
    assert session_window.plan(window(after(view, steps))) == []


def test_of_one_time_the_first_by_id_goes() -> None:
    sessions = [session(3, name) for name in ("moment-c", "moment-a", "moment-b")]
    assert [one.id for one in beyond_window(sessions, 1)] == ["moment-a", "moment-b"]


def test_one_that_the_person_brought_back_stays_beside_the_others() -> None:
    view = remembering(*(session(day) for day in range(3)))
    done = after(view, session_window.plan(window(view, 2)))
    gone = next(one for one in done.memories.values() if not one.live)
    done.memories[gone.id] = replace(gone, status="active", status_since="", status_reason="")
    assert session_window.plan(window(done, 2)) == []


def test_what_waits_for_review_and_other_moments_are_none_of_its_business() -> None:
    waiting = session(9, status="needs-review")
    moments = [aged(day, f"Deployed {day}.", category="moment", project="shop") for day in range(9)]
    assert session_window.plan(window(remembering(waiting, session(1), *moments), 1)) == []


def test_nothing_is_looked_at_where_nothing_changed() -> None:
    view = remembering(*(session(day) for day in range(9)))
    assert session_window.plan(window(view, changed=frozenset())) == []
    assert len(session_window.plan(window(view, changed=frozenset(["moment-x"])))) == 4


@given(st.lists(DAYS, max_size=12), st.integers(1, 8))
@examples(60)
def test_the_oldest_go_and_no_more_than_must(days: list[int], most: int) -> None:
    sessions = [session(day, f"moment-{number:02}") for number, day in enumerate(days)]
    view = remembering(*sessions)
    steps = session_window.plan(window(view, most))
    done = after(view, steps)
    active = [one for one in done.memories.values() if one.status == "active"]
    assert len(active) == min(most, len(sessions))
    in_order = sorted(sessions, key=lambda one: (one.created, one.id))
    assert [step.subjects[0] for step in steps] == [one.id for one in in_order[: len(steps)]]
    assert session_window.plan(window(done, most)) == []


# -- the guard -------------------------------------------------------------------------------------

LEFT = session(
    30,
    sections=(
        ("Completed", "- retries with a key per order ([[codex-3f2a1c9d04be#^m77d0|said]])"),
        ("Blockers", "- the staging till has no certificate"),
        ("Next actions", "- [ ] run it against the staging till\n- [x] write the migration"),
        ("Key changes", "- till/sync.py"),
    ),
)  # fmt: skip


def texts(*others: Memory, left: Memory = LEFT) -> list[str]:
    return [item.text for item in unheld(left, said_in("shop", others))]


def test_what_no_other_memory_says_is_named_without_its_receipt() -> None:
    assert texts() == [
        "retries with a key per order", "the staging till has no certificate",
        "run it against the staging till",
    ]  # fmt: skip


def test_another_memory_holds_an_item_with_most_of_its_words_in_any_part() -> None:
    said = aged(2, "The staging till lacks its certificate.", project="shop")
    done = session(1, sections=(("Completed", "- each order retries with its own key"),))
    assert texts(said, done) == ["run it against the staging till"]
    elsewhere = replace(said, project="crane")
    assert "the staging till has no certificate" in texts(elsewhere)


def test_the_words_must_stand_in_one_memory() -> None:
    halves = [
        aged(2, "The staging shop.", project="shop"),
        aged(2, "A certificate.", project="shop"),
    ]
    assert "the staging till has no certificate" in texts(*halves)


@pytest.mark.parametrize(
    ("item", "other"),
    [
        ("Миграция базы ждёт проверки", "Проверки ждёт миграция базы."),
        ("数据库迁移等待审核", "数据库迁移正在等待审核。"),
        ("die Kasse wartet auf das Zertifikat", "Das Zertifikat der Kasse fehlt, sie wartet."),
    ],
)
def test_any_script_counts(item: str, other: str) -> None:
    left = session(30, sections=(("Blockers", f"- {item}"),))
    assert texts(left=left) == [item]
    assert texts(aged(1, other, project="shop"), left=left) == []


def test_an_item_that_says_nothing_is_not_named() -> None:
    assert texts(left=session(30, sections=(("Next actions", "- [ ] do it\n- ..."),))) == []


def test_the_reason_counts_and_the_notes_name_what_is_left() -> None:
    sessions = [replace(LEFT, id="moment-left"), *(session(day) for day in range(5))]
    (step,) = session_window.plan(window(remembering(*sessions)))
    assert step.notes == (
        "completed: retries with a key per order",
        "blocker: the staging till has no certificate",
        "next action: run it against the staging till",
    )
    assert "3 items stand in no other memory" in step.why
    assert "certificate" not in step.why  # the reason is logged
