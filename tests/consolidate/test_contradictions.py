"""Notes that do not agree: replaced, disputed, settled; and what a second run still plans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engram.admit.judge.rule_judge import RuleJudge
from engram.consolidate.context import PassContext
from engram.consolidate.passes import duplicates
from engram.consolidate.passes.contradictions import plan
from engram.consolidate.plan import unsound
from engram.model.instant import plus_minutes
from engram.model.memory import Memory
from engram.model.step import Opinion, Step
from tests.admit.cases import memory
from tests.consolidate import cases
from tests.consolidate.view import Remembered, after, remembering

NOW = "2026-11-20T12:00:00Z"
FIRST, SECOND, THIRD = (f"2026-0{month}-02T10:00:00Z" for month in (2, 3, 4))


def note(text: str, created: str, **more: Any) -> Memory:
    return memory(text, created=created, **{"authority": "user_asserted", **more})


def context(view: Remembered, *changed: str, judge: Any = None) -> PassContext:
    """A full run, or one after these changed."""
    told = cases.context(view, frozenset(changed) or None, now=NOW)
    return replace(told, judge=judge or RuleJudge())


MASTER = note("The default branch is master.", FIRST, id="master")
TRUNK = note("The default branch is now trunk.", SECOND, id="trunk")
BORN, BORN_LATER = (
    note(f"Vera Quist was born in {year}.", created, id=str(year))
    for year, created in ((1985, FIRST), (1987, SECOND))
)
RUNS = pytest.mark.parametrize("changed", [(), ("trunk",), ("master",), ("trunk", "master")])


def done(steps: list[Step]) -> list[tuple[str, tuple[str, ...]]]:
    return [(step.action, step.subjects) for step in steps]


def settled_in(view: Remembered, *changed: str) -> bool:
    """Whether a further run, of all and of these, plans nothing."""
    return plan(context(view)) == [] and plan(context(view, *changed)) == []


# -- replaced -----------------------------------------------------------------------------------


@RUNS
def test_a_newer_statement_that_says_so_takes_the_older_ones_place(
    changed: tuple[str, ...],
) -> None:
    view = remembering(MASTER, TRUNK)
    steps = plan(context(view, *changed))
    assert done(steps) == [("supersede", ("trunk", "master"))] and steps[0].why
    left = after(view, steps)
    old, new = left.memories["master"], left.memories["trunk"]
    assert (old.status, old.superseded_by) == ("superseded", ("trunk",))
    assert old.valid_until == SECOND[:10]
    assert (new.status, new.supersedes, old.text) == ("active", ("master",), MASTER.text)
    assert unsound(steps[0], view) == "" and settled_in(left, "trunk", "master")


def test_what_happened_stays_as_it_was_told_and_a_fact_is_replaced_whatever_its_kind() -> None:
    assert plan(context(remembering(replace(MASTER, category="moment"), TRUNK))) == []
    assert plan(context(remembering(MASTER, replace(TRUNK, category="moment")))) == []
    view = remembering(replace(MASTER, kind="episode"), replace(TRUNK, kind="episode"))
    assert done(plan(context(view))) == [("supersede", ("trunk", "master"))]


@pytest.mark.parametrize("elsewhere", [{"project": "blog"}, {"space": "user"}])
def test_another_scope_is_not_touched(elsewhere: dict[str, str]) -> None:
    assert plan(context(remembering(MASTER, replace(TRUNK, **elsewhere)))) == []


def test_of_three_values_the_last_stands_and_each_was_replaced_by_a_live_one() -> None:
    third = note("The default branch is now develop.", THIRD, id="develop")
    view = remembering(MASTER, TRUNK, third)
    found = cases.run_passes(context(view), [plan])
    assert found.refused == {}
    left = after(view, found.steps)
    assert {one.id: one.status for one in left.memories.values()} == {
        "master": "superseded", "trunk": "superseded", "develop": "active",
    }  # fmt: skip
    assert settled_in(left, "trunk", "master", "develop")


def test_a_return_to_the_first_value_makes_no_circle() -> None:
    again = note("The default branch is master again, not trunk.", THIRD, id="again")
    view = remembering(MASTER, TRUNK, again)
    left = after(view, cases.run_passes(context(view), [plan]).steps)
    assert left.memories["again"].status == "active" and left.memories["again"].supersedes
    assert left.memories["trunk"].superseded_by == ("again",)


def test_what_was_restored_by_the_person_is_not_replaced_again() -> None:
    steps = plan(context(remembering(MASTER, TRUNK)))
    left = after(remembering(MASTER, TRUNK), steps)
    left.memories["master"] = MASTER  # restored: active, without its own link
    assert settled_in(left, "trunk", "master")


def test_what_waits_for_the_person_replaces_nothing() -> None:
    waiting = replace(TRUNK, status="needs-review", status_reason="stale")
    assert plan(context(remembering(MASTER, waiting))) == []


def test_a_part_that_is_replaced_retires_nothing() -> None:
    class Partly(RuleJudge):
        def compare(self, older: Memory, newer: Memory) -> Opinion:
            return Opinion("supersedes", sure=True, partial=True, code="attribute")

    assert plan(context(remembering(MASTER, TRUNK), judge=Partly())) == []


def test_what_the_judge_is_not_sure_of_is_left() -> None:
    class Guess(RuleJudge):
        def compare(self, older: Memory, newer: Memory) -> Opinion:
            return Opinion("supersedes", sure=False, code="guess")

    assert plan(context(remembering(MASTER, TRUNK), judge=Guess())) == []


# -- disputed -----------------------------------------------------------------------------------


@pytest.mark.parametrize("changed", [(), ("1985",), ("1987",)])
def test_a_suspicion_puts_both_before_the_person_once(changed: tuple[str, ...]) -> None:
    view = remembering(BORN, BORN_LATER)
    steps = plan(context(view, *changed))
    assert done(steps) == [("dispute", ("1987", "1985"))]
    left = after(view, steps)
    for one, other in (("1985", "1987"), ("1987", "1985")):
        found = left.memories[one]
        assert (found.status, found.status_reason) == ("needs-review", "contradiction")
        assert found.conflicts == (other,) and found.status_since == NOW
    assert unsound(steps[0], view) == "" and settled_in(left, "1985", "1987")
    for name in ("1985", "1987"):  # the person keeps both: the links stay
        left.memories[name] = replace(left.memories[name], status="active")
    assert settled_in(left, "1985", "1987")


def test_a_trusted_note_is_not_doubted_for_what_a_lower_voice_says() -> None:
    trusted = replace(BORN, authority="tool_verified")
    view = remembering(trusted, BORN_LATER)
    left = after(view, plan(context(view)))
    assert left.memories["1985"] == trusted
    doubted = left.memories["1987"]
    assert (doubted.status, doubted.status_reason) == ("needs-review", "lower_authority")
    assert doubted.conflicts == ("1985",) and settled_in(left, "1985", "1987")


# -- settled ------------------------------------------------------------------------------------


@pytest.mark.parametrize("changed", [(), ("1985",), ("1987",)])
@pytest.mark.parametrize("status", ["retired", "superseded", "archived", "expired"])
def test_when_one_side_leaves_the_other_stands_again(status: str, changed: tuple[str, ...]) -> None:
    view = remembering(BORN, BORN_LATER)
    left = after(view, plan(context(view)))
    left.memories["1985"] = replace(left.memories["1985"], status=status)
    steps = plan(context(left, *changed))
    assert done(steps) == [("settle", ("1987",))]
    last = after(left, steps)
    stands = last.memories["1987"]
    assert (stands.status, stands.status_reason, stands.conflicts) == ("active", "", ("1985",))
    assert settled_in(last, "1985", "1987")


def test_a_side_whose_file_is_gone_is_gone() -> None:
    view = remembering(BORN, BORN_LATER)
    left = after(view, plan(context(view)))
    del left.memories["1985"]
    assert done(plan(context(left, "1987"))) == [("settle", ("1987",))]


def test_what_waits_for_another_reason_goes_on_waiting() -> None:
    stale = replace(BORN, status="needs-review", status_reason="stale", conflicts=("gone",))
    alone = replace(BORN, status="needs-review", status_reason="contradiction")
    assert plan(context(remembering(stale))) == [] and plan(context(remembering(alone))) == []


# -- bounds -------------------------------------------------------------------------------------


def test_an_incremental_run_loads_not_everything() -> None:
    crowd = [note(f"The token{n:04d} valve holds {n} bar.", FIRST, id=f"n{n}") for n in range(300)]
    view = remembering(MASTER, TRUNK, *crowd)
    assert done(plan(context(view, "trunk"))) == [("supersede", ("trunk", "master"))]
    assert view.loaded == 0


def test_in_a_crowd_each_note_meets_only_a_few() -> None:
    class Counting(RuleJudge):
        compared = 0

        def compare(self, older: Memory, newer: Memory) -> Opinion:
            self.compared += 1
            return super().compare(older, newer)

    judge = Counting()
    crowd = [
        note(f"Box {n} of the attic holds item {n % 7}.", plus_minutes(FIRST, n), id=f"n{n}")
        for n in range(500)
    ]
    assert plan(context(remembering(*crowd), judge=judge)) == []
    assert judge.compared <= 500 * 6


class Always(RuleJudge):
    """A judge who is sure of everything."""

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        return Opinion("supersedes", sure=True, code="always", why="always")


@RUNS
@pytest.mark.parametrize("fields", [{"created": FIRST}, {"project": "blog"}, {"space": "user"}])
def test_of_one_moment_or_of_two_scopes_no_judge_is_asked(
    changed: tuple[str, ...], fields: dict[str, str]
) -> None:
    view = remembering(MASTER, replace(TRUNK, **fields))
    assert plan(context(view, *changed, judge=Always())) == []


def test_notes_of_one_slot_meet_whatever_their_words() -> None:
    one = note("Kim writes with vim.", FIRST, id="one", key="user::editor")
    other = note("Helix it shall be.", SECOND, id="other", key="user::editor")

    for changed in ((), ("one",), ("other",)):
        steps = plan(context(remembering(one, other), *changed))
        assert done(steps) == [("supersede", ("other", "one"))]


# -- asked of a model ------------------------------------------------------------------------------

FRIDAYS = note("The demo is on Fridays.", FIRST, id="fridays", entities=("project-tern",))
TUESDAYS = note(
    "From the new year on Tern shows its work each Tuesday.", SECOND, id="tuesdays",
    entities=("project-tern",),
)  # fmt: skip
SAID_SO, SAID_AGAIN = (
    note(text, created, id=text[:3], entities=("project-tern",))
    for text, created in (
        ("Kim signs off the releases of Tern.", FIRST),
        ("Whoever wants a release of Tern out needs the sign-off that Kim gives.", SECOND),
    )
)


def asking(view: Remembered, model: cases.PairJudge, *changed: str) -> PassContext:
    known = cases.context(view, frozenset(changed) or None, model, NOW)
    return replace(known, judge=cases.asking_judge(model))


@pytest.mark.parametrize("changed", [(), ("tuesdays",), ("fridays",)])
def test_what_shares_an_entity_and_no_word_is_put_to_the_model(changed: tuple[str, ...]) -> None:
    model = cases.PairJudge("supersedes")
    view = remembering(FRIDAYS, TUESDAYS)
    assert done(plan(asking(view, model, *changed))) == [("supersede", ("tuesdays", "fridays"))]
    assert plan(context(view, *changed)) == []


@pytest.mark.parametrize("changed", [(), ("linz",), ("graz",)])
def test_two_places_that_the_person_says_of_themselves_are_put_to_the_model(
    changed: tuple[str, ...],
) -> None:
    said = {"graz": "The user lives in Graz.", "linz": "Home is Linz since the spring."}
    view = remembering(*(
        note(text, created, id=name, space="user", project="", entities=(f"place-{name}",))
        for (name, text), created in zip(said.items(), (FIRST, SECOND), strict=True)
    ))  # fmt: skip
    found = plan(asking(view, cases.PairJudge("supersedes"), *changed))
    assert done(found) == [("supersede", ("linz", "graz"))]


def test_what_the_model_calls_a_duplicate_is_merged_and_asked_about_once() -> None:
    model = cases.PairJudge("duplicate")
    view = remembering(SAID_SO, SAID_AGAIN)
    here = asking(view, model)
    found = cases.run_passes(here, [duplicates.plan, plan])
    assert [step.action for step in found.steps] == ["merge"] and not found.refused
    assert len(model.asked) == 1
    left = after(view, found.steps)
    assert sorted(one.status for one in left.memories.values()) == ["active", "superseded"]
    assert cases.run_passes(asking(left, model), [duplicates.plan, plan]).steps == []


def test_a_duplicate_that_differs_in_more_than_wording_stays() -> None:
    other = replace(SAID_AGAIN, key="tern::releases")
    view = remembering(replace(SAID_SO, extra=(("due", "2026-12-01"),), key="tern::sign"), other)
    assert plan(asking(view, cases.PairJudge("duplicate"))) == []


def test_a_model_that_calls_everything_replaced_leaves_the_newest_of_each_subject() -> None:
    many = [
        replace(FRIDAYS, id=f"n{n}", text=f"Demo number {n} went well.",
                created=plus_minutes(FIRST, n))
        for n in range(12)
    ]  # fmt: skip
    model = cases.PairJudge("supersedes")
    found = cases.run_passes(asking(remembering(*many), model), [plan])
    left = after(remembering(*many), found.steps)
    assert [one.id for one in left.memories.values() if one.live] == ["n11"]
    assert found.refused == {}
