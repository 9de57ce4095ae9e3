"""What tiers are computed from, as the catalog has it in columns."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from engram.model.memory import STATUSES, Memory
from engram.model.tier import Retained
from engram.store.catalog.catalog import Catalog

NOON = "2026-03-06T12:00:00Z"


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    made = Catalog.make(tmp_path / "catalog.sqlite", "vault")
    with made.transaction():
        made.clear()
    return made


def put(catalog: Catalog, *memories: Memory) -> dict[str, Retained]:
    """What is found of all, which is also what is found of each."""
    with catalog.transaction():
        for memory in memories:
            catalog.put_memory(memory)
    every = dict(catalog.tiers.every())
    assert dict(catalog.tiers.of([*every, "nothing"])) == every
    return every


def a(name: str, status: str = "active", by: Iterable[str] = (), **more: object) -> Memory:
    memory = Memory(name, "fact", name, status=status, created=NOON, superseded_by=tuple(by))
    return Memory(**{field: getattr(memory, field) for field in memory.__slots__} | more)  # type: ignore[arg-type]


def test_only_what_a_live_memory_took_the_place_of_is_replaced(catalog: Catalog) -> None:
    found = put(
        catalog, a("now"), a("asked", "needs-review"), a("gone", "retired"),
        a("old", "superseded", ["now"]), a("doubted", "superseded", ["asked"]),
        a("chain", "superseded", ["old"]), a("both", "superseded", ["gone", "chain"]),
        a("lost", "superseded", ["gone"]), a("unknown", "superseded", ["nothing"]),
        a("unnamed", "superseded"), a("ended chain", "superseded", ["lost"]),
    )  # fmt: skip
    superseded = {name for name, one in found.items() if one.superseded}
    assert superseded == set(found) - {"now", "asked", "gone"}
    replaced = {name for name, one in found.items() if one.replaced}
    assert replaced == {"old", "doubted", "chain", "both"}


def test_a_circle_of_replacements_ends(catalog: Catalog) -> None:
    found = put(
        catalog, a("itself", "superseded", ["itself"]),
        *(a(f"c{n}", "superseded", [f"c{(n + 1) % 3}"]) for n in range(3)),
    )  # fmt: skip
    assert not any(one.replaced for one in found.values())
    found = put(catalog, a("c1", "superseded", ["c2", "out"]), a("out"))
    assert {name for name, one in found.items() if one.replaced} == {"c0", "c1", "c2"}


def test_what_is_neither_live_nor_superseded_has_ended(catalog: Catalog) -> None:
    found = put(catalog, *(a(status, status) for status in STATUSES))
    assert {name for name, one in found.items() if one.ended} == {"retired", "archived", "expired"}


def test_a_promise_that_was_kept_or_dropped_is_settled(catalog: Catalog) -> None:
    found = put(
        catalog, a("open", category="commitment"),
        a("kept", category="commitment", extra=(("fulfilled", "2026-03-05"),)),
        a("dropped", category="commitment", extra=(("commitment_state", "cancelled"),)),
        a("tagged", category="commitment", tags=("done",)),
    )  # fmt: skip
    assert {name for name, one in found.items() if one.settled} == {"kept", "dropped", "tagged"}


def test_the_sources_of_a_summary_are_summarised(catalog: Catalog) -> None:
    with catalog.transaction():
        catalog.db.many("insert into summary_sources values(?,?)", [("a", "sum-1"), ("a", "sum-2")])
    found = put(catalog, a("a"), a("b", importance=float("nan")))
    assert (found["a"].summarised, found["b"].summarised) == (True, False)
    assert found["b"] == Retained(NOON, "fact", 0.0)
