"""How two headers stand to each other."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engram.model.ids import is_id
from engram.model.standing import SETTLED, disputes, replaced, settled, settled_with
from tests.admit.cases import EARLIER, NOW, memory

OLD = memory("The shop deploys on Fridays.")
NEW = memory("The shop deploys on Mondays.", created=NOW)


def test_a_replaced_memory_is_valid_until_the_other_began() -> None:
    after = replaced(OLD, NEW, NOW, "resolved")
    assert (after.status, after.status_since, after.status_reason) == (
        "superseded",
        NOW,
        "resolved",
    )
    assert (after.superseded_by, after.valid_until) == ((NEW.id,), NOW[:10])
    assert (
        replaced(OLD, replace(NEW, valid_from="2026-03-05"), NOW, "x").valid_until == "2026-03-05"
    )


def test_an_end_that_is_known_stays_and_no_end_is_before_its_beginning() -> None:
    ended = replace(OLD, valid_until="2026-01-01")
    assert replaced(ended, NEW, NOW, "x").valid_until == "2026-01-01"
    later = replace(OLD, valid_from="2026-12-01")
    assert replaced(later, NEW, NOW, "x").valid_until == "2026-12-01"


def test_a_dispute_is_named_on_either_side_and_found_once() -> None:
    for pair in (
        [replace(OLD, conflicts=(NEW.id,)), NEW],
        [replace(NEW, conflicts=(OLD.id,)), OLD],
        [replace(NEW, conflicts=(OLD.id,)), replace(OLD, conflicts=(NEW.id,))],
    ):
        assert [(one.id, other.id) for one, other in disputes(pair)] == [(OLD.id, NEW.id)]


def test_what_is_over_gone_or_settled_is_in_no_dispute() -> None:
    against = replace(NEW, conflicts=(OLD.id, NEW.id, "gone"))
    assert disputes([against, replace(OLD, status="retired")]) == []
    assert disputes([replace(against, status="archived"), OLD]) == []
    assert disputes([settled(against, [OLD.id]), OLD]) == []


def test_who_is_settled_with_whom_survives_a_list_in_obsidian() -> None:
    once = settled(replace(OLD, conflicts=("a", "b")), ["a"])
    assert once.extras == {SETTLED: "[[a]]"} and once.conflicts == ("b",)
    assert settled(once, ["b", "a"]).extras == {SETTLED: "[[a]], [[b]]"}
    assert settled_with(replace(OLD, extra=((SETTLED, "[[a|label]], [[b]]"),))) == {"a", "b"}


@given(st.lists(st.text("abc-01", min_size=1).filter(is_id), unique=True))
def test_what_is_settled_is_remembered_whatever_it_is(names: list[str]) -> None:
    after = settled(replace(OLD, extra=(("due", EARLIER),)), names)
    assert settled_with(after) == set(names)
    assert after.extras["due"] == EARLIER
    assert settled(after, names) == after
