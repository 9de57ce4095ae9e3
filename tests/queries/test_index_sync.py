"""The shelf: the index is in step with the vault, or made anew."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from engram.index.contract import IndexUnusable
from engram.index.whoosh_finder import WhooshFinder
from engram.pipeline import ingest
from engram.queries import index_sync
from engram.queries.index_sync import document_of
from engram.vault import Vault
from tests.kit import LIGHT, reopened, takes_every_turn, turns

_COLLECTIONS = ("memories", "turns")


@pytest.fixture
def light(vault: Vault) -> Vault:
    """A vault with the index in memory."""
    return takes_every_turn(reopened(vault, finder=LIGHT.finder))


def keys(vault: Vault, words: str) -> list[list[str]]:
    """What the index has for some words: memories and turns."""
    return [
        sorted(hit.key for hit in vault.parts.index.find(words, collection, 99))  # type: ignore[arg-type]
        for collection in _COLLECTIONS
    ]


def in_step(vault: Vault) -> bool:
    """Whether the index holds exactly what catalog and transcripts hold, but what is hidden."""
    vault.parts.index.refresh()
    memories = sorted(memory.id for memory in vault.parts.catalog.memories())
    transcripts = vault.parts.projections.transcripts
    hidden = vault.parts.catalog.hidden()
    links = [
        block.link
        for path in transcripts.paths()
        for block in transcripts.blocks(path)
        if block.link not in hidden
    ]
    assert vault.parts.index.counts() == (len(memories), len(links))
    held = keys(vault, "valve holds bar tea nine six green")
    return held == [memories, sorted(links)]


# -- in step ------------------------------------------------------------------------------------


def test_what_was_committed_is_found_at_once(light: Vault) -> None:
    light.capture(turns(5))
    assert in_step(light) and len(keys(light, "valve")[0]) == 5
    light.capture(turns(2, "t"))
    assert in_step(light) and len(keys(light, "valve")[1]) == 7


def test_the_index_follows_every_kind_of_change(light: Vault) -> None:
    light.capture(turns(6))
    memory = light.remember("The tea is green.").memory
    path = light.root / memory.path
    for deed in (
        lambda: light.forget(memory.id), lambda: light.restore(memory.id), light.undo,
        lambda: light.undo("1"), lambda: light.undo("6"),
        lambda: path.write_text(path.read_text("utf-8").replace("green", "nine"), "utf-8"),
        lambda: path.write_text(path.read_text("utf-8").replace(memory.id, "another-id"), "utf-8"),
        lambda: path.rename(path.with_name("moved.md")),
        lambda: path.with_name("moved.md").unlink(),
        light.rebuild, lambda: light.capture(turns(3, "later")), light.flush,
    ):  # fmt: skip
        deed()
        light.ready_to_read()
        assert in_step(light)
    assert light.doctor() == []


def test_an_edit_by_hand_is_found_by_its_new_words_alone(light: Vault) -> None:
    memory = light.remember("The shop opens at nine.").memory
    path = light.root / memory.path
    path.write_text(path.read_text("utf-8").replace("nine", "six"), encoding="utf-8")
    light.ready_to_read()
    assert keys(light, "six")[0] == [memory.id] and keys(light, "nine")[0] == []
    assert in_step(light)


def test_an_import_goes_from_the_index_and_comes_back(light: Vault) -> None:
    ingest.take_in(turns(3), light.parts, "import-1")
    light.flush()
    assert in_step(light) and len(keys(light, "valve")[1]) == 3
    undone = light.undo("import-1")
    assert in_step(light) and keys(light, "valve") == [[], []]
    light.undo(str(undone.number))
    assert in_step(light) and [len(found) for found in keys(light, "valve")] == [3, 3]


def test_purged_words_leave_the_index_whole(light: Vault) -> None:
    light.capture(turns(5))
    unwanted = light.remember("The marzipan is green.").memory
    assert keys(light, "marzipan") == [[unwanted.id], list(unwanted.sources)]
    light.purge(unwanted.id)
    assert keys(light, "marzipan") == [[], []]
    assert len(keys(light, "valve")[0]) == 5


# -- on disk ------------------------------------------------------------------------------------


def test_a_second_process_brings_the_same_index_up(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    takes_every_turn(vault).capture(turns(5))
    other = takes_every_turn(open_vault())
    other.capture(turns(2, "t"))
    vault.ready_to_read()
    assert in_step(vault)
    assert keys(vault, "valve") == keys(other, "valve") and len(keys(vault, "valve")[0]) == 7


@pytest.mark.parametrize("damage", ["deleted", "emptied", "garbage"])
def test_an_index_that_is_lost_or_damaged_is_built_anew(
    vault: Vault, open_vault: Callable[..., Vault], damage: str
) -> None:
    takes_every_turn(vault).capture(turns(5))
    vault.close()
    index = vault.parts.cache / "index"
    if damage == "deleted":
        shutil.rmtree(index)
    for path in [path for path in index.rglob("*") if path.is_file()]:
        path.write_bytes(b"" if damage == "emptied" else b"\xff" * 100)
    again = open_vault()
    again.ready_to_read()
    assert len(keys(again, "valve")[0]) == 5 and again.parts.index.index_reason == ""


@pytest.mark.parametrize("told", [True, False])
def test_an_index_of_an_older_version_is_built_anew_and_of_many_turns_that_is_told(
    vault: Vault, open_vault: Callable[..., Vault], caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch, told: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(index_sync, "_MANY", 4 if told else 5)
    takes_every_turn(vault).capture(turns(5))
    vault.search("valve")
    vault.close()
    (manifest,) = (vault.parts.cache / "index").glob("gen-*/manifest.json")
    made = json.loads(manifest.read_text(encoding="utf-8")) | {"schema": "6.1"}
    manifest.write_text(json.dumps(made), encoding="utf-8")
    assert caplog.text == ""
    again = open_vault()
    assert len(again.search("valve").turns) == 5
    assert ("schema 6.1" in caplog.text) == told and in_step(again)


def test_a_catalog_that_was_made_anew_gets_an_index_of_its_own(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    takes_every_turn(vault).capture(turns(5))
    vault.close()
    (vault.parts.cache / "catalog.sqlite").unlink()
    again = takes_every_turn(open_vault())
    again.ready_to_read()
    assert len(keys(again, "valve")[0]) == 5 and in_step(again)


def test_without_any_index_the_files_are_read(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    takes_every_turn(vault).capture(turns(5))
    vault.close()
    shutil.rmtree(vault.parts.cache / "index")

    class Full(WhooshFinder):
        def rebuild(self, documents: object, *, seen: int | None = None) -> None:
            raise IndexUnusable("the disk is full")

    again = reopened(open_vault(), finder=Full)
    again.ready_to_read()
    assert len(keys(again, "valve")[0]) == 5
    assert "full" in again.parts.index.index_reason
    assert [finding.code for finding in again.doctor()] == ["index"]


# -- documents ----------------------------------------------------------------------------------


def test_a_memory_is_found_by_words_quote_tags_and_entities(light: Vault) -> None:
    memory = light.remember("The tea is green.", category="preference").memory
    document = document_of(memory)
    assert (document.key, document.collection) == (memory.id, "memories")
    for word in (*memory.tags, *memory.entities, "green"):
        assert word in document.body


# -- beside somebody who writes -------------------------------------------------------------------


def test_a_search_waits_neither_for_who_writes_nor_for_who_brings_the_index_up(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    vault.capture(turns(2))
    assert len(vault.search("valve").turns) == 2
    writer = open_vault()
    with writer.parts.committer.lock():
        ingest.take_in(turns(2, "t"), writer.parts)
        answers = vault.search("valve")
        assert not answers.behind and len(answers.turns) == 4
    with writer.parts.index.turn.hold():
        ingest.take_in(turns(1, "u"), writer.parts)
        answers = vault.search("valve")
        assert answers.behind and len(answers.turns) == 4
    answers = vault.search("valve")
    assert not answers.behind and len(answers.turns) == 5


def test_who_waited_finds_the_index_brought_up_by_the_one_before(
    vault: Vault, open_vault: Callable[..., Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.capture(turns(2))
    other, here = open_vault(), vault.parts.index
    ingest.take_in(turns(1, "t"), vault.parts)
    updates: list[int | None] = []
    update = WhooshFinder.update

    def counted(*found: object, seen: int | None = None) -> None:
        updates.append(seen)
        update(*found, seen=seen)  # type: ignore[arg-type]

    monkeypatch.setattr(WhooshFinder, "update", counted)
    hold = here.turn.hold

    @contextmanager
    def after_another(patience: float | None = None) -> Iterator[bool]:
        # another brings it up first, and something more is written before it is this one's turn
        assert other.parts.index.refresh()
        ingest.take_in(turns(1, "u"), other.parts)
        with hold(patience) as first:
            yield first

    monkeypatch.setattr(here.turn, "hold", after_another)
    assert here.refresh() and len(updates) == 1
    monkeypatch.undo()
    assert len(vault.search("valve").turns) == 4


def test_an_index_in_memory_gives_way_to_the_one_that_is_built(
    vault: Vault, open_vault: Callable[..., Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.queries.index_sync._BUILDING", 0.0)
    vault.capture(turns(2))
    writer = open_vault()
    with writer.parts.index.turn.hold():
        WhooshFinder(vault.parts.cache / "index").drop()
        assert len(vault.search("valve").turns) == 2 and vault.index_status().reason
    writer.rebuild_index()
    writer.capture(turns(1, "t"))
    assert len(vault.search("valve").turns) == 3
    assert vault.index_status() == writer.index_status()
