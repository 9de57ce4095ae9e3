"""Boxes that come back to the same topics share a trace, and know who stands beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.box import Box
from engram.model.settings import BoxSettings
from engram.weave.boxes import in_time
from engram.weave.traces import assign, join, reach, thread
from tests.weave.yarn import box

SETTINGS = BoxSettings()
DB, WEB = ("postgres", "schema", "index"), ("react", "css")


def traces(boxes: list[Box], settings: BoxSettings = SETTINGS) -> list[str]:
    """The traces of boxes, in their order, `a` for the first trace and so on."""
    names: dict[str, str] = {}
    joined = {one.id: one.trace for one in join(boxes, [], settings)}
    return [names.setdefault(joined[one.id], "abcdefgh"[len(names)]) for one in boxes]


def test_boxes_on_the_same_topics_share_a_trace() -> None:
    assert traces([box(1, *DB), box(2, *WEB), box(3, *DB, day=1)]) == ["a", "b", "a"]


@pytest.mark.parametrize(("day", "same"), [(7, True), (7.01, False), (-7, True), (-7.01, False)])
def test_a_trace_is_joined_within_its_days_from_both_sides(day: float, same: bool) -> None:
    old = box(1, *DB, day=10, trace="trace-1")
    new = replace(box(1, *DB, day=10 + day), id="box-new")
    assert (assign(new, [old], SETTINGS).trace == "trace-1") is same


@pytest.mark.parametrize(("topics", "same"), [("abxy", False), ("abx", True), ("abcd", True)])
def test_enough_must_be_shared(topics: str, same: bool) -> None:
    settings = SETTINGS._replace(trace_overlap=0.5)
    old = box(1, *"abc", trace="trace-1")
    assert (assign(box(2, *topics), [old], settings).trace == "trace-1") is same


def test_an_old_thread_is_not_revived() -> None:
    first, second = join([box(1, *DB), box(2, *DB, day=30)], [], SETTINGS)
    assert first.trace != second.trace


def test_a_trace_does_not_grow_until_nothing_matches() -> None:
    long = [box(number, "postgres", "schema", f"detail-{number}") for number in range(40)]
    assert set(traces(long)) == {"a"}


def test_a_trace_is_about_what_it_was_about_last() -> None:
    early = [box(number, *"abc", trace="trace-1") for number in range(6)]
    late = [box(number, *"def", trace="trace-1") for number in (6, 7, 8)]
    assert assign(box(9, *"def"), early + late, SETTINGS).trace == "trace-1"
    assert assign(box(9, *"abc"), early + late, SETTINGS).trace != "trace-1"


def test_a_box_without_topics_has_no_trace() -> None:
    (alone,) = join([box(1)], [box(0, trace="trace-1")], SETTINGS)
    assert (alone.trace, alone.previous) == ("", "")


def test_the_better_match_wins_then_the_newer_trace_then_the_name() -> None:
    def named(name: str, number: int, *topics: str) -> Box:
        return box(number, *topics, trace=name)

    def joins(*others: Box) -> str:
        return assign(box(9, *"ab"), others, SETTINGS).trace

    assert joins(named("trace-1", 1, *"ab"), named("trace-2", 2, *"abc")) == "trace-1"
    assert joins(named("trace-1", 1, *"ab"), named("trace-2", 2, *"ab")) == "trace-2"
    same = box(1, *"ab")
    assert joins(replace(same, trace="trace-2"), replace(same, trace="trace-1")) == "trace-1"


def test_a_box_is_born_with_the_box_before_it_in_its_trace() -> None:
    old = join([box(1, *DB), box(3, *DB)], [], SETTINGS)
    (between,) = join([box(2, *DB)], old, SETTINGS)
    assert [one.previous for one in (*old, between)] == ["", old[0].id, old[0].id]
    assert between.next == ""
    (last,) = join([box(4, *DB)], old, SETTINGS)
    assert last.previous == old[1].id


def test_links_lead_along_each_trace_and_nowhere_else() -> None:
    boxes = join([box(number, *(DB, WEB)[number % 2]) for number in range(6)], [], SETTINGS)
    boxes[0] = replace(boxes[0], previous="box-gone", next="box-gone")
    after = {one.id: one for one in boxes} | {new.id: new for _, new in thread(boxes)}
    for kind in (0, 1):
        chain = [after[boxes[number].id] for number in (kind, kind + 2, kind + 4)]
        assert [one.previous for one in chain] == ["", chain[0].id, chain[1].id]
        assert [one.next for one in chain] == [chain[1].id, chain[2].id, ""]
    assert thread(after.values()) == []


@pytest.mark.parametrize("sealed", ["1970-01-02T00:00:00Z", "9999-12-30T00:00:00Z"])
def test_the_ends_of_time_are_no_trouble(sealed: str) -> None:
    one = replace(box(1, *DB), created=sealed, sealed=sealed)
    since, until = reach([one], SETTINGS)
    assert since < sealed < until
    assert join([one], [], SETTINGS)[0].trace


boxes_of_a_month = st.lists(
    st.tuples(st.sets(st.sampled_from("abcdef"), max_size=4), st.integers(0, 30)), max_size=12
).map(
    lambda rows: [box(number, *sorted(about), day=day) for number, (about, day) in enumerate(rows)]
)


@given(boxes_of_a_month, st.randoms())
def test_few_boxes_are_looked_at_and_the_answer_is_that_of_all(
    boxes: list[Box], random: object
) -> None:
    joined = join(boxes, [], SETTINGS)
    known: list[Box] = []
    for one in sorted(boxes, key=in_time):
        known.append(assign(one, [other for other in known if other.trace], SETTINGS))
    assert [one.trace for one in joined] == [one.trace for one in known]
    shuffled = list(boxes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert join(shuffled, [], SETTINGS) == joined
