"""CatalogView: the memories of a vault by age, word, entity and box."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.model.change import Change, Plan
from engram.model.entity_ids import is_entity_id
from engram.model.instant import plus_minutes
from engram.model.memory import STATUSES, Memory
from engram.model.overlay import Overlay
from engram.model.view import VaultView
from engram.store.base import layout
from engram.store.files.memory_file import render_memory
from engram.vault import Adapters, Vault
from tests.kit import LIGHT, box, entity, turns, write_pages


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: nothing is searched here."""
    return LIGHT


@pytest.fixture
def view(vault: Vault) -> VaultView:
    return vault.parts.projections.view


def memory(name: str, **more: object) -> Memory:
    made = Memory(
        name, "fact", f"Text of {name}.", created="2026-03-01T10:00:00Z", project="shop",
        sources=("test-s#^m0",),
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def put(vault: Vault, *memories: Memory) -> None:
    changes = [
        Change(layout.memory_path(one), None, render_memory(one), "remembered") for one in memories
    ]
    vault.parts.committer.commit(Plan("test", tuple(changes)))


def ids(memories: object) -> list[str]:
    return [one.id for one in memories]  # type: ignore[attr-defined]


def test_live_is_oldest_first(vault: Vault, view: VaultView) -> None:
    put(vault, *(memory(f"m-{status}", status=status) for status in STATUSES))
    put(vault, memory("old", created="2026-01-01T00:00:00Z"))
    assert ids(view.live()) == ["old", "m-active", "m-needs-review"]
    assert view.memory("m-expired") is not None and view.memory("nobody") is None


def test_records_are_live_of_one_schema_space_and_project(vault: Vault, view: VaultView) -> None:
    put(
        vault, memory("wall", schema="constraint"), memory("plain"),
        memory("says", text='It is called "constraint".'),
        memory("law", category="principle", schema="constraint"),
        memory("over", schema="constraint", status="retired"),
        memory("bar", schema="constraint", project="bar"),
        memory("mine", schema="constraint", space="user"),
        memory("choice", category="decision"),
        memory("session", category="moment", schema="session"),
    )  # fmt: skip
    assert ids(view.records("constraint", "project", "shop")) == ["law", "wall"]
    assert ids(view.records("constraint", "user", "shop")) == ["mine"]
    assert ids(view.records("decision", "project", "shop")) == ["choice"]
    assert ids(view.records("session", "project", "bar")) == []


def test_memories_are_found_by_a_name_whatever_their_status(vault: Vault, view: VaultView) -> None:
    put(
        vault, memory("gone", status="retired", aliases=("use-jwt", "jwt")),
        memory("near", status="retired", aliases=("use-jwt-too",), title="use-jwt"),
        memory("here", aliases=("use-jwt",)),
    )  # fmt: skip
    assert ids(view.called("use-jwt")) == ["gone", "here"]


def test_what_was_purged_is_known_by_its_id_and_when(vault: Vault, view: VaultView) -> None:
    put(vault, memory("one"), memory("two"))
    vault.purge("one")
    now = vault.clock.now()
    assert view.purged(now) == ["one"] and view.purged(plus_minutes(now, 1)) == []


def test_due_is_live_and_has_reached_its_day(vault: Vault, view: VaultView) -> None:
    put(
        vault, memory("never"), memory("later", expires="2026-03-07"),
        memory("today", expires="2026-03-06"),
        memory("gone", expires="2026-01-01", status="expired"),
        memory("stale", expires="2026-01-01", status="needs-review"),
    )  # fmt: skip
    assert ids(view.due("2026-03-06")) == ["stale", "today"]
    assert ids(view.due("2026-03-05")) == ["stale"]


def test_overdue_are_active_commitments_whose_day_is_past(vault: Vault, view: VaultView) -> None:
    def promise(name: str, due: str, **more: object) -> Memory:
        return memory(name, **{"category": "commitment", "extra": (("due", due),), **more})

    put(
        vault, promise("past", "2026-03-05"), promise("today", "2026-03-06"), promise("none", ""),
        promise("asked", "2026-03-01", status="needs-review"),
        promise("fact", "2026-03-01", category="fact"),
    )  # fmt: skip
    assert ids(view.overdue("2026-03-06")) == ["past"]


def test_aged_are_active_old_enough_and_of_little_importance(vault: Vault, view: VaultView) -> None:
    put(
        vault, memory("a", importance=0.29), memory("b", importance=0.3),
        memory("young", importance=0.1, created="2026-03-01T10:00:01Z"),
        memory("review", importance=0.1, status="needs-review"),
    )  # fmt: skip
    undated = vault.root / "facts/undated.md"
    undated.write_text("---\nimportance: 0.1\n---\nNobody knows when.\n", encoding="utf-8")
    assert vault.parts.settler.within(1e9)
    assert ids(view.aged("2026-03-01T10:00:00Z", 0.3)) == ["a"]


def test_terms_lead_to_the_live_memories_that_hold_them(vault: Vault, view: VaultView) -> None:
    put(
        vault, memory("a", text="Kim likes green tea."), memory("b", text="Kim likes cake."),
        memory("c", text="Green tea is bitter.", status="superseded"),
        memory("d", text="Nothing.", tags=("tea",), created="2026-01-01T00:00:00Z"),
    )  # fmt: skip
    tea, kim = view.terms("tea"), view.terms("Kim")
    assert len(tea) == 1 and view.terms("the and of") == frozenset()
    counts = view.frequencies([*tea, *kim, "nonesuch"])
    assert counts == {next(iter(tea)): 2, next(iter(kim)): 2}
    assert view.holding(tea) == ["d", "a"]
    assert view.holding([*tea, *kim]) == ["d", "a", "b"]
    many = [f"word{number}" for number in range(1_000)]
    assert view.holding([*many, *tea]) == ["d", "a"] and view.holding([]) == []
    assert len(view.frequencies([*many, *tea])) == 1


def test_unboxed_is_what_no_box_holds_until_one_does(vault: Vault, view: VaultView) -> None:
    put(
        vault, memory("a"), memory("b"), memory("by-hand", sources=()),
        memory("forgot", status="retired", status_reason="forgotten"),
        memory("merged", status="retired", status_reason="duplicate"),
        memory("kept", status="archived"),
    )  # fmt: skip
    assert ids(view.unboxed()) == ["a", "b", "kept", "merged"]
    write_pages(vault, (None, box("box-a", "a", "kept", "merged")))
    assert ids(view.unboxed()) == ["b"]
    vault.undo()
    assert ids(view.unboxed()) == ["a", "b", "kept", "merged"]


def test_boxes_are_chosen_by_the_time_of_their_last_memory(vault: Vault, view: VaultView) -> None:
    for day in (3, 1, 2):
        time = f"2026-03-0{day}T10:00:00Z"
        write_pages(vault, (None, box(f"box-{day}", f"m{day}", created=time, sealed=time)))
    assert ids(view.boxes()) == ["box-1", "box-2", "box-3"]
    assert ids(view.boxes("2026-03-02T10:00:00Z")) == ["box-2", "box-3"]
    assert ids(view.boxes("", "2026-03-02T10:00:00Z")) == ["box-1", "box-2"]
    assert ids(view.boxes("2026-03-02T10:00:01Z", "2026-03-03T09:59:59Z")) == []
    assert view.box("box-2") == view.box_of("m2") is not None
    assert view.box("box-9") is None and view.box_of("m9") is None


def test_box_of_is_the_older_of_two_boxes_with_one_memory(vault: Vault, view: VaultView) -> None:
    write_pages(
        vault, (None, box("box-a", "m", created="2026-03-07T10:00:00Z")), (None, box("box-b", "m"))
    )
    found = view.box_of("m")
    assert found is not None and found.id == "box-b"


def test_entities_have_files_and_mentioned_need_none(vault: Vault, view: VaultView) -> None:
    put(
        vault, memory("a", entities=("tool-tea", "person-kim")),
        memory("b", entities=("tool-tea",)), memory("c", entities=("tool-old",), status="expired"),
    )  # fmt: skip
    merged = entity("person-kimmy", merged_into="person-kim")
    write_pages(vault, (None, entity("tool-tea")), (None, merged))
    assert ids(view.entities()) == ["person-kimmy", "tool-tea"]
    linked = {name: live for name, live in view.mentioned().items() if is_entity_id(name)}
    assert linked == {"person-kim": 1, "tool-old": 0, "tool-tea": 2}
    assert list(view.mentioned()) == sorted(view.mentioned())
    assert ids(view.about("tool-tea")) == ["a", "b"]
    assert ids(view.about("tool-old")) == ["c"] and view.about("nobody") == []
    vault.forget("a")
    assert view.mentioned()["person-kim"] == 0
    vault.purge("a")
    assert "person-kim" not in view.mentioned()


def test_page_is_the_text_of_a_plain_page(vault: Vault, view: VaultView) -> None:
    assert view.page("profile.md") is None
    vault.parts.disk.put("profile.md", b"# Me\n\xff")
    assert view.page("profile.md") == "# Me\n�"


def test_turns_of_one_moment_are_numbered_in_the_order_of_speech(
    vault: Vault, view: VaultView
) -> None:
    said = [replace(one, time="2026-03-06T10:00:00Z") for one in turns(9)]
    vault.capture(said)
    links = [f"{turn.transcript}#^{turn.block}" for turn in said]
    spoken = view.spoken([*reversed(links), "test-unknown#^m0123456789"])
    assert sorted(spoken, key=spoken.__getitem__) == links


def test_holders_are_live_and_of_the_slot(vault: Vault, view: VaultView) -> None:
    put(vault, memory("a", key="shop::till"), memory("b", key="shop::till", status="superseded"))
    assert ids(view.holders("shop::till", "project", "shop")) == ["a"]


def test_records_are_live_and_of_their_schema(vault: Vault, view: VaultView) -> None:
    put(
        vault, memory("plain"), memory("wall", schema="constraint"),
        memory("policy", category="principle", schema="constraint"),
        memory("choice", category="decision", created="2026-02-01T00:00:00Z"),
        memory("waiting", category="decision", status="needs-review"),
        memory("gone", category="decision", status="retired"),
    )  # fmt: skip
    assert ids(view.records("constraint")) == ["policy", "wall"]
    assert ids(view.records("decision")) == ["choice", "waiting"]
    assert ids(view.records("session")) == []


def test_retired_are_those_outside_the_archive(vault: Vault, view: VaultView) -> None:
    put(vault, *(memory(f"m-{status}", status=status) for status in STATUSES))
    assert ids(view.retired()) == ["m-retired"]
    old = Overlay(view)
    kept = view.memory("m-active")
    assert kept is not None
    old.put(replace(kept, status="retired"))
    assert ids(old.retired()) == ["m-active", "m-retired"]
    vault.gc()
    moved = replace(memory("m-old", status="retired"), path="archive/2026-03-01/m-old.md")
    old.put(moved)
    assert ids(old.retired()) == ["m-active", "m-retired"]
