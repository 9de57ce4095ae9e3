"""The catalog: what the vault holds, by id, content, slot and link."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.change import Event, Plan, Transaction
from engram.model.memory import STATUSES, Memory
from engram.model.text import content_hash
from engram.store.catalog.catalog import Catalog, FileRow
from engram.store.catalog.catalog_view import CatalogView
from engram.store.catalog.database import CatalogUnusable
from tests.effort import examples
from tests.kit import view_of

NOON = "2026-03-06T12:00:00Z"


def memory(identifier: str, **more: object) -> Memory:
    made = Memory(
        identifier, "fact", f"Text of {identifier}.", f"facts/{identifier}.md",
        created="2026-03-06T10:00:00Z", project="shop",
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = Catalog.make(tmp_path / "catalog.sqlite", "vault")
    with made.transaction():
        made.clear()
    yield made
    made.close()


@pytest.fixture
def view(catalog: Catalog) -> CatalogView:
    return view_of(catalog)


def put(catalog: Catalog, *memories: Memory) -> None:
    with catalog.transaction():
        for one in memories:
            catalog.put_file(FileRow(one.path, 1, 2, 3, "sha", one.id))
            catalog.put_memory(one)


def ids(memories: list[Memory]) -> list[str]:
    return [one.id for one in memories]


# -- memories -----------------------------------------------------------------------------------

_NAMES = st.lists(st.text(max_size=5), max_size=3).map(tuple)


@given(st.text(), st.floats(0, 1), _NAMES, st.lists(st.tuples(st.text(), st.text()), max_size=2))
@examples(15, shared_fixture=True)  # one id, replaced each time
def test_a_memory_comes_back_as_it_was_put(
    catalog: Catalog, text: str, share: float, names: tuple[str, ...], extra: list[tuple[str, str]]
) -> None:
    one = memory("a", text=text, confidence=share, tags=names, sources=names, extra=tuple(extra))
    put(catalog, one)
    assert catalog.memory("a") == one
    assert list(catalog.memories()) == [one]


def test_memories_are_listed_oldest_first_or_as_asked(catalog: Catalog) -> None:
    old, new = memory("z", created="2026-01-01T00:00:00Z"), memory("a")
    put(catalog, new, old)
    assert ids(list(catalog.memories())) == ["z", "a"]
    assert ids(list(catalog.memories(["a", "nobody", "z"]))) == ["a", "z"]
    assert catalog.memory("nobody") is None


def test_names_are_found_by_their_beginning_literally(catalog: Catalog) -> None:
    put(catalog, memory("fact-1"), memory("fact-2"), memory("other"))
    assert catalog.names_with("fact-") == ["fact-1", "fact-2"]
    for pattern in ("fact_", "%", "fact*", "FACT"):
        assert catalog.names_with(pattern) == []


def test_owners_are_of_any_status_newest_last(catalog: Catalog, view: CatalogView) -> None:
    same = {"text": "The shop uses tabs."}
    put(
        catalog, memory("new", **same), memory("old", created="2026-01-01T00:00:00Z", **same),
        memory("gone", status="retired", created="2026-02-01T00:00:00Z", **same),
        memory("elsewhere", project="blog", **same),
    )  # fmt: skip
    assert ids(view.owners(content_hash("the shop uses tabs", "project/shop/"))) == [
        "old", "gone", "new",
    ]  # fmt: skip


@pytest.mark.parametrize("status", STATUSES)
def test_holders_are_live_and_of_the_project(
    catalog: Catalog, view: CatalogView, status: str
) -> None:
    put(catalog, memory("a", key="shop::database", status=status))
    held = view.holders("shop::database", "project", "shop")
    assert bool(held) == memory("a", status=status).live
    assert view.holders("shop::database", "project", "blog") == []
    assert view.holders("shop::database", "user", "shop") == []


def test_holders_of_a_slot_of_the_person_are_those_of_every_project(
    catalog: Catalog, view: CatalogView
) -> None:
    put(catalog, memory("a", key="user::editor", space="user"))
    assert ids(view.holders("user::editor", "user", "blog")) == ["a"]


def test_taken_names_are_those_of_ids_and_files(catalog: Catalog, view: CatalogView) -> None:
    put(catalog, memory("a"), memory("b", path="facts/2026-03-06/renamed.md"))
    with catalog.transaction():
        catalog.put_file(FileRow("archive/no-memory.md", 1, 2, 3, "sha", ""))
    names = ["a", "b", "renamed", "no-memory", "free", ""]
    assert view.taken(names) == {"a", "b", "renamed", "no-memory"}


def test_links_lead_to_the_memories_that_cite_them(catalog: Catalog) -> None:
    link = "test-0#^m0123456789"
    put(
        catalog, memory("b", sources=(link, link)), memory("a", sources=("other", link)),
        memory("c", sources=(link,), status="retired", status_reason="forgotten"),
        memory("d", sources=("hidden by nobody",), status="retired", status_reason="replaced"),
    )  # fmt: skip
    assert catalog.cited_by(link) == ["a", "b", "c"]
    assert catalog.hidden() == {link}


def test_live_hashes_are_those_of_live_memories_in_order(catalog: Catalog) -> None:
    put(catalog, *(memory(status, status=status) for status in STATUSES))
    live = catalog.live_hashes()
    assert live == sorted(live)
    assert {name for _, name in live} == {"active", "needs-review"}
    assert catalog.status_counts() == dict.fromkeys(sorted(STATUSES), 1)


# -- files --------------------------------------------------------------------------------------


def test_dropping_a_home_drops_its_memory_and_a_copy_does_not(catalog: Catalog) -> None:
    put(catalog, memory("a"))
    copy = FileRow("facts/copy.md", 1, 2, 3, "sha", "", "the id a belongs to facts/a.md")
    with catalog.transaction():
        catalog.put_file(copy)
    assert catalog.homeless() == ["facts/copy.md"]
    assert catalog.files().keys() == {"facts/a.md", "facts/copy.md"}
    with catalog.transaction():
        catalog.drop_file("facts/copy.md")
        catalog.drop_file("facts/never.md")
    assert catalog.memory("a") is not None and catalog.file("facts/copy.md") is None
    with catalog.transaction():
        catalog.drop_file("facts/a.md")
    assert catalog.memory("a") is None and catalog.cited_by("x") == []


# -- transactions -------------------------------------------------------------------------------


def test_recording_twice_is_recording_once(catalog: Catalog) -> None:
    events = (Event("memory_write", "a", (("code", "new"),)), Event("memory_denied"))
    committed = Transaction(3, NOON, Plan("extract", (), events, batch="import-1"), ("facts/x.md",))
    for _ in range(2):
        with catalog.transaction():
            catalog.record(committed)
    assert catalog.last == 3 and len(catalog.last_sha) == 64
    assert catalog.log.rows() == [(3, NOON, "extract", "import-1", 0, "facts/x.md", "")]
    assert catalog.log.events("a") == [(3, NOON, events[0])]
    assert catalog.log.event_counts("memory_write", "code") == {"new": 1}


def test_nothing_of_a_transaction_is_kept_when_it_fails(catalog: Catalog) -> None:
    put(catalog, memory("a"))
    with pytest.raises(ZeroDivisionError), catalog.transaction():
        catalog.put_memory(memory("b"))
        catalog.drop_file("facts/a.md")
        raise ZeroDivisionError
    assert ids(list(catalog.memories())) == ["a"]


# -- the file -----------------------------------------------------------------------------------


def test_another_schema_another_vault_and_no_file_are_unusable(
    catalog: Catalog, tmp_path: Path
) -> None:
    path = tmp_path / "catalog.sqlite"
    Catalog.open(path, "vault").close()
    with pytest.raises(CatalogUnusable):
        Catalog.open(path, "another")
    with pytest.raises(CatalogUnusable):
        Catalog.open(tmp_path / "missing.sqlite", "vault")
    (tmp_path / "damaged.sqlite").write_bytes(b"no database " * 500)
    with pytest.raises(CatalogUnusable):
        Catalog.open(tmp_path / "damaged.sqlite", "vault")


def test_the_file_is_the_owners_alone(catalog: Catalog, tmp_path: Path) -> None:
    assert stat.S_IMODE((tmp_path / "catalog.sqlite").stat().st_mode) == 0o600
    assert catalog.is_at(tmp_path / "catalog.sqlite")
    assert not catalog.is_at(tmp_path / "other.sqlite")
