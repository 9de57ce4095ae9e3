"""The access log: questions are counted, from a log that is no truth."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.step import Access
from engram.settings.paths import places_of
from engram.settings.registry import Registry
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.catalog import access
from engram.store.catalog.access_log import AccessLog
from engram.store.catalog.catalog import Catalog
from engram.vault import Vault
from tests.effort import examples
from tests.kit import LIGHT, reopened, takes_every_turn, tree_digest, turns

NOON, LATER = "2026-03-06T12:00:00Z", "2026-03-07T12:00:00Z"


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    made = Catalog.make(tmp_path / "catalog.sqlite", "vault")
    with made.transaction():
        made.clear()
    return made


@pytest.fixture
def disk(tmp_path: Path) -> VaultDisk:
    (tmp_path / "vault" / "state").mkdir(parents=True)
    return VaultDisk(tmp_path / "vault")


def counted(catalog: Catalog, disk: VaultDisk, *names: str) -> dict[str, Access]:
    """The sums, which are also those that are told before they are counted."""
    log = AccessLog(disk)
    before, every = catalog.accesses.of_now(log, names), catalog.accesses.of_now(log)
    if catalog.accesses.is_behind(log):
        with catalog.transaction():
            catalog.accesses.count(log)
    assert (catalog.accesses.of(names), catalog.accesses.of()) == (before, every)
    return before


def test_a_question_is_a_line_and_each_memory_counts_once(
    catalog: Catalog, disk: VaultDisk
) -> None:
    log = AccessLog(disk)
    log.note(["a", "b", "a"], NOON)
    log.note([], NOON)
    assert disk.read(layout.ACCESS) == b'{"ids": ["a", "b"], "time": "2026-03-06T12:00:00Z"}\n'
    assert counted(catalog, disk, "a", "b", "c") == {
        "a": Access(1, NOON, 1),
        "b": Access(1, NOON, 1),
    }
    log.note(["a"], LATER)
    log.note(["a"], NOON)
    assert counted(catalog, disk, "a", "b") == {"a": Access(3, LATER, 2), "b": Access(1, NOON, 1)}
    assert not catalog.accesses.is_behind(log)


def test_only_what_was_appended_is_read(catalog: Catalog, disk: VaultDisk) -> None:
    starts: list[int] = []

    class NotedLog(AccessLog):
        def piece(self, start: int, length: int) -> bytes:
            starts.append(start)
            return super().piece(start, length)

    log = NotedLog(disk)
    for _ in range(100):
        log.note(["a"], NOON)
    counted(catalog, disk)
    before = log.size()
    log.note(["a"], NOON)
    starts.clear()
    with catalog.transaction():
        catalog.accesses.count(log)
    assert catalog.accesses.of(["a"]) == {"a": Access(101, NOON, 1)}
    assert before in starts and min(starts) >= before - 4_096


@pytest.mark.parametrize("other", [b"", b'{"ids": ["z"], "time": "2026-03-06T12:00:00Z"}\n' * 9])
def test_a_log_that_was_cut_or_replaced_is_counted_anew(
    catalog: Catalog, disk: VaultDisk, other: bytes
) -> None:
    for name in ("a", "b", "b"):
        AccessLog(disk).note([name], NOON)
    assert counted(catalog, disk, "b") == {"b": Access(2, NOON, 1)}
    disk.put(layout.ACCESS, other)
    assert counted(catalog, disk, "a", "b", "z") == ({"z": Access(9, NOON, 1)} if other else {})


def test_a_question_reads_the_newest_of_very_much_that_nobody_counted(
    catalog: Catalog, disk: VaultDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = AccessLog(disk)
    for name in ("a", "b", "c"):
        log.note([name], NOON)
    monkeypatch.setattr(access, "_UNCOUNTED", log.size() - 4)
    assert catalog.accesses.of_now(log).keys() == {"b", "c"}
    with catalog.transaction():
        catalog.accesses.count(log)
    assert catalog.accesses.of_now(log).keys() == {"a", "b", "c"}


def test_torn_and_foreign_lines_are_passed_over_and_counted(
    catalog: Catalog, disk: VaultDisk
) -> None:
    good = b'{"ids": ["a"], "time": "2026-03-06T12:00:00Z"}\n'
    foreign = [
        b'{"ids": ["a"], "ti' + good, b"[]\n", b"\xff\n", b'{"ids": "a", "time": "2026-03-06"}\n',
        b'{"ids": ["../a"], "time": "2026-03-06"}\n', b'{"ids": [7], "time": "2026-03-06"}\n',
        b'{"ids": ["a"], "time": "soon"}\n', b'{"ids": ["a"], "time": null}\n',
        b"[" * 90_000 + b"\n", b"x" * 2_500_000 + b"\n",
    ]  # fmt: skip
    disk.put(layout.ACCESS, good + good.join(foreign) + good + b'{"ids": ["a"]')
    assert counted(catalog, disk, "a") == {"a": Access(len(foreign) + 1, NOON, 1)}
    # the longest is read in three pieces
    assert catalog.accesses.skipped == len(foreign) + 2
    disk.append(layout.ACCESS, b', "time": "2026-03-07T12:00:00Z"}\n', sync=False)
    assert counted(catalog, disk, "a") == {"a": Access(len(foreign) + 2, LATER, 2)}


LOGS = st.lists(st.tuples(st.lists(st.sampled_from("abc"), max_size=3), st.booleans()), max_size=8)


@given(LOGS)
@examples(10, shared_fixture=True)  # the log is written anew
def test_counting_now_and_then_is_counting_once(
    catalog: Catalog, disk: VaultDisk, asked: list[tuple[list[str], bool]]
) -> None:
    disk.remove(layout.ACCESS)
    counted(catalog, disk)
    expected: dict[str, int] = {}
    for names, look in asked:
        AccessLog(disk).note(names, NOON)
        for name in set(names):
            expected[name] = expected.get(name, 0) + 1
        if look:
            counted(catalog, disk)
    found = counted(catalog, disk, "a", "b", "c")
    assert {name: access.count for name, access in found.items()} == expected


# -- in a vault ---------------------------------------------------------------------------------


@pytest.fixture
def asked(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A vault with two memories."""
    reopened(vault, finder=LIGHT.finder)
    takes_every_turn(vault).capture(turns(2))
    vault.flush()
    return vault


def lines(vault: Vault) -> list[list[str]]:
    data = vault.parts.disk.read(layout.ACCESS) or b""
    return [json.loads(line)["ids"] for line in data.splitlines()]


def test_what_recall_answers_counts_and_what_search_lists_does_not(asked: Vault) -> None:
    notes = tree_digest(asked.root, "facts")
    asked.search("valve")
    assert lines(asked) == []
    shown = asked.recall("valve").shown
    assert shown and lines(asked) == [list(shown)]
    found = asked.parts.projections.view.accesses(shown)
    assert {access.count for access in found.values()} == {1}
    assert tree_digest(asked.root, "facts") == notes and asked.doctor() == []


def test_a_log_is_no_truth(asked: Vault) -> None:
    asked.recall("valve")
    everything = tree_digest(asked.root, "facts", "boxes", "entities", "archive")
    (asked.root / layout.ACCESS).unlink()
    asked.rebuild()
    assert tree_digest(asked.root, "facts", "boxes", "entities", "archive") == everything
    names = [memory.id for memory in asked.parts.catalog.memories()]
    assert asked.parts.projections.view.accesses(names) == {}


def test_a_catalog_made_anew_counts_the_log_again(asked: Vault) -> None:
    contents = asked.parts.projections.view
    names = asked.recall("valve").shown
    assert {access.count for access in contents.accesses(names).values()} == {1}
    asked.recall("valve")
    before = contents.accesses(names)
    assert {access.count for access in before.values()} == {2}
    asked.rebuild()
    assert contents.accesses(names) == before


def test_a_vault_of_others_is_not_written(
    asked: Vault, open_vault: Callable[..., Vault], environment: dict[str, str]
) -> None:
    Registry(places_of(environment)).remove(asked.root)
    stranger = open_vault()
    assert not stranger.trusted
    stranger.parts.count_access([memory.id for memory in stranger.parts.catalog.memories()])
    assert lines(asked) == []


def test_a_question_is_answered_where_nothing_can_be_written(asked: Vault) -> None:
    (asked.root / layout.ACCESS).mkdir()
    assert asked.recall("valve").shown
