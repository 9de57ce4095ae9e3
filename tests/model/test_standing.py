"""How two headers stand to each other."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engram.model.ids import is_id
from engram.model.standing import SETTLED, at_peace, disputes, settled_with
from tests.admit.cases import EARLIER, NOW, memory

OLD = memory("The shop deploys on Fridays.")
NEW = memory("The shop deploys on Mondays.", created=NOW)


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
    calm = at_peace(against, [OLD.id])
    assert disputes([calm, OLD]) == []
    assert disputes([replace(calm, conflicts=(OLD.id,)), OLD]) == []


def test_who_is_settled_with_whom_survives_a_list_in_obsidian() -> None:
    once = at_peace(replace(OLD, conflicts=("a", "b")), ["a"])
    assert once.extras == {SETTLED: "[[a]]"} and once.conflicts == ("b",)
    assert at_peace(once, ["b", "a"]).extras == {SETTLED: "[[a]], [[b]]"}
    assert settled_with(replace(OLD, extra=((SETTLED, "[[a|label]], [[b]]"),))) == {"a", "b"}


@given(st.lists(st.text("abc-01", min_size=1).filter(is_id), unique=True))
def test_what_is_settled_is_remembered_whatever_it_is(names: list[str]) -> None:
    after = at_peace(replace(OLD, extra=(("due", EARLIER),)), names)
    assert settled_with(after) == set(names)
    assert after.extras["due"] == EARLIER
    assert at_peace(after, names) == after
