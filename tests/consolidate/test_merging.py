"""What a merge keeps and changes, who stays, and what is never merged."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.consolidate.merging import class_of, may_merge, may_take, merged, rank
from engram.model.memory import AUTHORITIES, Memory
from tests.admit.cases import memory

OLD = memory(sources=("a-000000000000#^m1",), tags=("db",), confidence=0.9, valid_from="2026-01-05")
NEW = memory(
    created="2026-03-07T09:00:00Z", sources=("b-000000000000#^m2", "a-000000000000#^m1"),
    tags=("shop", "db"), entities=("tool-postgres",), confidence=0.7,
)  # fmt: skip


def changed(before: Memory, after: Memory) -> set[str]:
    return {
        one.name for one in fields(Memory) if getattr(before, one.name) != getattr(after, one.name)
    }


def test_a_merge_keeps_every_receipt() -> None:
    (before, after), (gone, loser) = merged(OLD, [NEW], "why").amended
    assert (before, gone) == (OLD, NEW)
    assert after.sources == ("a-000000000000#^m1", "b-000000000000#^m2")
    assert (after.tags, after.entities) == (("db", "shop"), ("tool-postgres",))
    assert (after.confidence, after.supersedes) == (0.9, (NEW.id,))
    assert loser.sources == NEW.sources


def test_receipts_come_in_the_order_of_time() -> None:
    later = replace(NEW, id="fact-later", created="2026-03-09T09:00:00Z", sources=("c#^m3",))
    after = merged(OLD, [later, NEW], "").amended[0][1]
    assert after.sources == ("a-000000000000#^m1", "b-000000000000#^m2", "c#^m3")


def test_the_users_own_space_knows_no_projects() -> None:
    here, there = (replace(OLD, space="user", project=project) for project in ("shop", "atlas"))
    assert class_of(here) == class_of(there)


def test_of_the_loser_only_three_keys_change() -> None:
    _, (before, loser) = merged(OLD, [NEW], "why").amended
    assert changed(before, loser) == {"status", "superseded_by", "valid_until"}
    assert (loser.status, loser.superseded_by) == ("superseded", (OLD.id,))


def test_it_ends_when_the_survivor_begins_but_never_before_itself() -> None:
    assert merged(OLD, [NEW], "").amended[1][1].valid_until == "2026-03-07"
    assert merged(NEW, [OLD], "").amended[1][1].valid_until == "2026-03-07"
    ended = replace(OLD, valid_until="2026-02-01")
    assert (
        merged(replace(NEW, valid_until="2026-02-01"), [ended], "").amended[1][1].valid_until
        == "2026-02-01"
    )


STRONG, WEAK = replace(OLD, id="a"), replace(OLD, id="b")


@pytest.mark.parametrize(
    "better, worse",
    [
        ({"authority": "user_asserted", "confidence": 0.1}, {}),
        ({"confidence": 0.1}, {"status": "needs-review"}),
        ({"key": "shop::database", "confidence": 0.1}, {}),
        ({"sources": (), "confidence": 0.1}, {}),
        ({"confidence": 0.95, "created": "2020-01-01T00:00:00Z"}, {}),
        ({"created": "2026-03-06T00:00:00Z"}, {}),
        ({}, {}),
    ],
    ids=["authority", "active", "slot", "by hand", "confidence", "newest", "id"],
)
def test_who_stays(better: dict[str, str], worse: dict[str, str]) -> None:
    assert rank(replace(STRONG, **better)) < rank(replace(WEAK, **worse))  # type: ignore[arg-type]


@given(st.permutations(AUTHORITIES))
def test_the_order_in_which_they_come_decides_nothing(authorities: list[str]) -> None:
    some = [replace(OLD, id=one, authority=one) for one in authorities]
    assert min(some, key=rank).authority == "system_imposed"


@pytest.mark.parametrize(
    "change",
    [
        {"project": "atlas"}, {"space": "user"}, {"category": "correction"},
        {"category": "decision"}, {"schema": "constraint"}, {"kind": "episode"},
        {"valid_until": "2026-05-01"},
    ],
)  # fmt: skip
def test_of_another_class_nothing_is_merged(change: dict[str, str]) -> None:
    assert class_of(replace(OLD, **change)) != class_of(OLD)  # type: ignore[arg-type]


def test_lasting_categories_are_one_class_and_an_episode_belongs_to_its_day() -> None:
    assert class_of(replace(OLD, category="preference")) == class_of(OLD)
    today = replace(OLD, kind="episode", valid_from="", created="2026-03-05T09:00:00Z")
    assert class_of(today) == class_of(replace(today, created="2026-03-05T19:00:00Z"))
    assert class_of(today) != class_of(replace(today, created="2026-03-06T09:00:00Z"))


@pytest.mark.parametrize(
    "mine, theirs, may",
    [
        ({}, {}, True),
        ({"key": "a"}, {"key": "b"}, False),
        ({}, {"key": "b"}, False),
        ({"key": "a"}, {}, True),
        ({"entities": ("tool-redis",)}, {"entities": ("tool-mysql",)}, False),
        ({"entities": ("tool-redis",)}, {}, True),
        ({"extra": (("due", "2026-05-01"),)}, {"extra": (("due", "2026-06-01"),)}, False),
        ({}, {"extra": (("due", "2026-06-01"),)}, False),
        ({"extra": (("due", "2026-05-01"),)}, {}, True),
        ({}, {"supersedes": (OLD.id,)}, False),
    ],
)
def test_what_sets_two_apart(mine: dict[str, str], theirs: dict[str, str], may: bool) -> None:
    loser = (
        replace(NEW, entities=(), **theirs) if "entities" not in theirs else replace(NEW, **theirs)
    )  # type: ignore[arg-type]
    assert may_take(replace(OLD, **mine), loser) is may  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change", [{"conflicts": ("x",)}, {"status": "archived"}, {"superseded_by": ("x",)}]
)
def test_who_takes_no_part(change: dict[str, str]) -> None:
    assert may_merge(OLD) and not may_merge(replace(OLD, **change))  # type: ignore[arg-type]
