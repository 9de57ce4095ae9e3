"""A night's plan: what earlier passes did is seen by later ones, and nothing unsound is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engram.consolidate.context import PassContext
from engram.consolidate.plan import (
    memories_of,
    pages_of,
    prose_of,
    still_sound,
)
from engram.consolidate.step_events import events_of
from engram.model.box import Box
from engram.model.change import Change
from engram.model.memory import Memory
from engram.model.step import Page, Step
from tests.admit.cases import memory
from tests.consolidate.cases import context, run_passes
from tests.consolidate.view import after, remembering

OLD = memory("The shop uses Postgres.", created="2026-03-01T09:00:00Z")
NEW = memory("The shop is on Postgres.", created="2026-03-02T09:00:00Z")
BOX = Box("box-1", ((OLD.id, OLD.text),), OLD.created, OLD.created, "test-0", seal="time_gap")


def merged(loser: Memory = OLD, by: Memory = NEW) -> Step:
    kept = replace(by, supersedes=(loser.id,))
    gone = replace(loser, status="superseded", superseded_by=(by.id,), valid_until="2026-03-02")
    return Step("t", "merge", (by.id, loser.id), "one says it", amended=((by, kept), (loser, gone)))


def changed(**fields: object) -> Step:
    return Step("t", "amend", (OLD.id,), "so", amended=((OLD, replace(OLD, **fields)),))  # type: ignore[arg-type]


def always(*steps: Step) -> Callable[[PassContext], list[Step]]:
    return lambda _: list(steps)


def refusal(step: Step) -> str:
    found = run_passes(context(remembering(OLD, NEW, sealed=(BOX,))), [always(step)])
    assert bool(found.steps) != bool(found.refused)
    return next(iter(found.refused), "")


def test_a_later_pass_sees_what_an_earlier_one_did() -> None:
    seen: list[str] = []

    def look(here: PassContext) -> list[Step]:
        seen.extend(one.id for one in here.view.live())
        return []

    run_passes(context(remembering(OLD, NEW)), [always(merged()), look])
    assert seen == [NEW.id]


def test_pages_follow_in_the_same_night_what_a_pass_changed() -> None:
    told: list[frozenset[str] | None] = []

    def look(here: PassContext) -> list[Step]:
        told.append(here.changed)
        return []

    started = context(remembering(OLD, NEW), changed=frozenset({"x"}))
    run_passes(started, [always(merged()), look])
    assert told == [{"x", OLD.id, NEW.id}]


def test_what_the_person_took_back_is_not_done_again() -> None:
    declined = frozenset({("t", "merge", (NEW.id, OLD.id))})
    found = run_passes(context(remembering(OLD, NEW)), [always(merged())], declined)
    assert (found.steps, found.refused) == ([], {"declined": 1})


def test_a_sound_step_is_done() -> None:
    assert refusal(merged()) == ""
    assert refusal(changed(status="expired", status_since="2026-03-06T12:00:00Z")) == ""


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (merged(memory("Nobody knows this.")), "unknown_memory"),
        (merged(replace(OLD, confidence=0.1)), "memory_changed"),
        (changed(text="The shop uses SQLite."), "content_changed"),
        (changed(quote="we said so"), "content_changed"),
        (changed(created=NEW.created), "content_changed"),
        (changed(sources=()), "receipt_lost"),
        (changed(status="superseded"), "no_replacement"),
        (changed(status="superseded", superseded_by=("gone",)), "no_replacement"),
        (changed(status="superseded", superseded_by=(OLD.id,)), "no_replacement"),
        (replace(merged(), amended=merged().amended * 2), "not_distinct"),
        (Step("t", "make", (), "so", born=(NEW,)), "id_taken"),
        (Step("t", "page", (), "so", pages=((None, BOX),)), "page_changed"),
        (Step("t", "page", (), "so", pages=((replace(BOX, goal="x"), BOX),)), "page_changed"),
        (Step("t", "page", (), "so", prose=(Change("profile.md", b"x", b"y"),)), "page_changed"),
    ],
)
def test_an_unsound_step_is_refused_with_its_code(step: Step, code: str) -> None:
    assert refusal(step) == code


def test_a_memory_of_higher_authority_is_protected_but_from_a_correction_by_the_person() -> None:
    told = replace(OLD, authority="tool_verified")
    inferred = context(remembering(told, NEW))
    assert run_passes(inferred, [always(merged(told))]).refused == {"protected": 1}
    said = replace(NEW, category="correction", authority="user_asserted")
    assert run_passes(context(remembering(told, said)), [always(merged(told, said))]).refused == {}


def test_nothing_replaces_itself_over_three_corners() -> None:
    first, second, third = (
        memory(f"Number {n}.", created=f"2026-03-0{n}T00:00:00Z") for n in (1, 2, 3)
    )
    second = replace(second, status="superseded", superseded_by=(first.id,))
    third = replace(third, superseded_by=(second.id,))
    view = remembering(first, second, third)
    gone = replace(first, status="superseded", superseded_by=(third.id,))
    step = Step("t", "merge", (first.id,), "so", amended=((first, gone),))
    assert run_passes(context(view), [always(step)]).refused == {"circle": 1}


def test_a_plan_made_before_an_edit_keeps_only_what_still_holds() -> None:
    found = run_passes(context(remembering(OLD, NEW)), [always(merged())])
    edited = remembering(replace(OLD, text="The shop uses MariaDB."), NEW)
    assert still_sound(found, edited).refused == {"memory_changed": 1}
    assert still_sound(found, remembering(OLD, NEW)).steps == found.steps


def test_several_steps_on_one_file_are_one_change() -> None:
    once = merged()
    kept = once.amended[0][1]
    twice = Step("u", "age", (NEW.id,), "old", amended=((kept, replace(kept, expires="")),))
    born, amended = memories_of([once, twice])
    assert born == []
    assert dict(amended)[NEW] == replace(kept, expires="")
    named = replace(BOX, title="Shop")
    pages: list[tuple[Page | None, Page | None]] = [(None, BOX), (BOX, named)]
    assert pages_of([Step("b", "seal", (), "", pages=(pair,)) for pair in pages]) == [(None, named)]
    prose = [Change("profile.md", None, b"a"), Change("profile.md", b"a", b"b")]
    steps = [Step("p", "write", (), "", prose=(change,)) for change in prose]
    assert prose_of(steps) == [Change("profile.md", None, b"b")]


def test_every_subject_has_its_event_and_can_be_taken_back_by_its_number() -> None:
    found = run_passes(context(remembering(OLD, NEW)), [always(replace(merged(), subjects=()))])
    events = list(events_of(found.steps))
    assert [(event.name, event.subject) for event in events] == [
        ("consolidated", NEW.id), ("consolidated", OLD.id), ("memory_deleted", OLD.id),
    ]  # fmt: skip
    assert {dict(event.details)["step"] for event in events} == {"1"}


def test_the_contents_in_memory_are_what_the_steps_make_of_them() -> None:
    made = after(remembering(OLD, NEW), [merged()])
    assert [one.id for one in made.live()] == [NEW.id]
