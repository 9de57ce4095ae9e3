"""What a merge keeps and changes, who stays, and what is never merged."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.consolidate.duplicate_merging import may_merge, merged, rank
from engram.model.authority import AUTHORITIES
from engram.model.memory import Memory
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
    "change", [{"conflicts": ("x",)}, {"status": "archived"}, {"superseded_by": ("x",)}]
)
def test_who_takes_no_part(change: dict[str, str]) -> None:
    assert may_merge(OLD) and not may_merge(replace(OLD, **change))  # type: ignore[arg-type]
