"""The ledger: a plan becomes one transaction or nothing, whatever happens in between."""

from __future__ import annotations

import shutil
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from engram.model.change import Change, Event, Plan, Transaction
from engram.model.errors import BadInput, Conflict, Locked, StorageError
from engram.model.memory import Memory
from engram.settings.paths import places_of
from engram.store.base import layout
from engram.store.base.lock import WriterLock
from engram.store.catalog.word_rows import BLOCK
from engram.store.commits.transaction import decode, encode
from engram.vault import Adapters, Vault
from engram.vault.create import register
from tests.conftest import NOW
from tests.kit import LIGHT, takes_every_turn, tree_digest, turns, where

A, B = "facts/2026-03-06/a.md", "facts/2026-03-06/b.md"


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: nothing is searched here."""
    return LIGHT


def note(identifier: str, text: str) -> bytes:
    head = f"id: {identifier}\ncategory: fact\nstatus: active\ncreated: {NOW}"
    return f"---\n{head}\n---\n{text}\n".encode()


def plan(*changes: Change, **more: object) -> Plan:
    return Plan("test", changes, **more)  # type: ignore[arg-type]


def left_pending(vault: Vault, *changes: Change) -> None:
    """What a crash leaves directly after the commit: the transaction file, nothing applied."""
    number = vault.parts.catalog.last + 1 + len(vault.parts.disk.names(layout.PENDING))
    committed = Transaction(number, NOW, plan(*changes))
    vault.parts.disk.put(layout.pending_path(number), encode(committed))


def tables(vault: Vault) -> dict[str, list[tuple[object, ...]]]:
    """Everything that the catalog says, but what is due, and which policy was read last.

    Places of memories depend on the order in which they came: ids stand in their stead.
    """
    database = sqlite3.connect(vault.parts.cache / "catalog.sqlite")
    try:
        names = database.execute("select name from sqlite_master where type = 'table'").fetchall()
        rows = {name: database.execute(f'select * from "{name}"').fetchall() for (name,) in names}
    finally:
        database.close()
    ids = {row[0]: row[2] for row in rows["memories"]}
    rows["memories"] = [row[1:] for row in rows["memories"]]
    rows["mentions"] = [(entity, ids[place]) for entity, place in rows["mentions"]]
    rows["words"] = [
        (term, ids[block * BLOCK + one])
        for term, block, members in rows["words"]
        for one in array("H", members)
    ]
    rows["meta"] = [row for row in rows["meta"] if row[0] not in ("indexed", "policy", "scrub")]
    return {name: sorted(found, key=repr) for name, found in rows.items()}


# -- committing ---------------------------------------------------------------------------------


def test_a_commit_writes_its_files_and_one_transaction(vault: Vault) -> None:
    made = vault.parts.committer.commit(
        plan(Change(A, None, note("a", "one")), Change(B, None, b"b"))
    )
    assert (made.number, made.time, made.left) == (1, NOW, ())
    assert vault.parts.disk.read(A) == note("a", "one") and vault.parts.disk.read(B) == b"b"
    assert vault.parts.disk.names(layout.PENDING) == []
    assert decode(vault.parts.disk.read("state/journal/2026-03/00000001.json") or b"") == made
    assert vault.parts.catalog.memory("a") is not None
    changed = vault.parts.committer.commit(
        plan(Change(A, note("a", "one"), None), Change(B, b"b", b"c"))
    )
    assert changed.number == 2
    assert vault.parts.disk.read(A) is None and vault.parts.disk.read(B) == b"c"


@pytest.mark.parametrize(
    "change",
    [Change(A, None, b"new"), Change(A, b"other", b"new"), Change(B, b"gone", None)],
)
def test_a_plan_that_is_overtaken_is_refused_and_nothing_happens(
    vault: Vault, change: Change
) -> None:
    vault.parts.committer.commit(plan(Change(A, None, b"mine")))
    before = tree_digest(vault.root)
    with pytest.raises(Conflict):
        vault.parts.committer.commit(plan(Change("facts/c.md", None, b"c"), change))
    assert tree_digest(vault.root) == before


def test_a_path_outside_the_vault_commits_nothing(vault: Vault) -> None:
    vault.parts.committer.recover()
    before = tree_digest(vault.root, "facts", "state")
    with pytest.raises(BadInput, match="not a path inside"):
        vault.parts.committer.commit(
            plan(Change(A, None, b"a"), Change("../outside.md", None, b"x"))
        )
    assert tree_digest(vault.root, "facts", "state") == before
    assert not (vault.root.parent / "outside.md").exists()


def test_who_holds_the_lock_keeps_others_out(vault: Vault) -> None:
    with (
        WriterLock(vault.root / layout.LOCK, 1).hold(),
        pytest.raises(Locked),
        vault.parts.committer.lock(timeout=0),
    ):
        raise AssertionError("never inside")


# -- recovering ---------------------------------------------------------------------------------


def test_what_was_committed_is_applied_by_the_next_who_writes(vault: Vault) -> None:
    left_pending(vault, Change(A, None, note("a", "one")))
    left_pending(vault, Change(A, note("a", "one"), note("a", "two")))
    assert vault.parts.projections.behind
    with vault.parts.committer.lock():
        assert vault.parts.disk.read(A) == note("a", "two")
    assert vault.parts.disk.names(layout.PENDING) == [] and not vault.parts.projections.behind
    memory = vault.parts.catalog.memory("a")
    assert memory is not None and memory.text == "two"


def test_recovering_twice_is_recovering_once(vault: Vault) -> None:
    left_pending(vault, Change(A, None, note("a", "one")))
    vault.parts.committer.recover()
    once, rows = tree_digest(vault.root), tables(vault)
    vault.parts.committer.recover()
    assert (tree_digest(vault.root), tables(vault)) == (once, rows)


def test_a_transaction_that_was_half_applied_is_finished(vault: Vault) -> None:
    left_pending(vault, Change(A, None, note("a", "one")), Change(B, None, note("b", "two")))
    vault.parts.disk.put(A, note("a", "one"))
    vault.parts.committer.recover()
    assert {memory.id for memory in vault.parts.catalog.memories()} == {"a", "b"}
    assert vault.doctor() == []


def test_a_file_that_a_person_changed_in_between_keeps_the_persons_bytes(vault: Vault) -> None:
    vault.parts.committer.commit(plan(Change(A, None, note("a", "one"))))
    left_pending(vault, Change(A, note("a", "one"), note("a", "two")), Change(B, None, b"b"))
    vault.parts.disk.put(A, note("a", "mine"))
    vault.parts.disk.put(B, b"mine too")
    vault.parts.committer.recover()
    assert vault.parts.disk.read(A) == note("a", "mine") and vault.parts.disk.read(B) == b"mine too"
    done = vault.parts.transaction_log.read(2)
    assert done is not None and done.left == (A, B)
    assert [entry.left for entry in vault.log() if entry.number == 2] == [(A, B)]
    assert [finding for finding in vault.doctor() if finding.severity == "error"] == []
    memory = vault.parts.catalog.memory("a")
    assert memory is not None and memory.text == "mine"


def test_a_link_or_a_folder_in_the_way_is_left_to_the_person(vault: Vault) -> None:
    left_pending(vault, Change(A, None, note("a", "one")), Change(B, None, note("b", "two")))
    (vault.root / A).mkdir(parents=True)
    (vault.root / B).symlink_to(vault.root / "README.md")
    vault.parts.committer.recover()
    done = vault.parts.transaction_log.read(1)
    assert done is not None and done.left == (A, B)
    assert (vault.root / A).is_dir() and (vault.root / B).is_symlink()


def test_a_purge_spares_another_memory_that_stands_in_its_old_place(vault: Vault) -> None:
    takes_every_turn(vault)
    unwanted = vault.remember("The safe is behind the mirror.").memory
    place = vault.root / unwanted.path
    place.rename(place.with_name("moved.md"))
    vault.doctor()
    place.write_bytes(note("mine", "This is my own note."))
    vault.doctor()
    vault.purge(unwanted.id)
    assert place.read_bytes() == note("mine", "This is my own note.")
    assert not place.with_name("moved.md").exists()
    assert [one.id for one in vault.search("note").memories] == ["mine"]
    assert where(vault.root, "mirror") == [] and vault.doctor() == []


def test_the_transaction_file_is_durable_before_any_body_is_written_as_a_file(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, staged = vault.parts.disk, list[list[str]]()
    stage = disk.stage

    def watched(files: Sequence[tuple[str, bytes]]) -> None:
        names = [path.rpartition("/")[2] for path, _ in files if path.startswith(layout.PENDING)]
        if names:
            assert not staged or disk.read(layout.pending_path(1)) is not None
            staged.append(names)
        stage(files)

    monkeypatch.setattr(disk, "stage", watched)
    vault.parts.committer.commit(
        plan(Change(A, None, note("a", "one")), Change(B, None, note("b", "two")))
    )
    # the bodies as one group
    assert staged == [["00000001.tmp"], ["00000001-0.tmp", "00000001-1.tmp"]]
    assert disk.names(layout.PENDING) == []


def test_a_transaction_for_which_there_is_no_room_is_not_committed(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(vault.root)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(used=usage.total - 10))
    with pytest.raises(StorageError, match="full"):
        vault.parts.committer.commit(plan(Change(A, None, note("a", "one"))))
    assert vault.parts.disk.names(layout.PENDING) == [] and vault.parts.committer.last == 0
    vault.parts.committer.commit(plan(Change(A, None, b"10 bytes.\n")))
    # a folder that does not say how much room it has
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(total=0, used=0))
    vault.parts.committer.commit(plan(Change(B, None, note("b", "two"))))


def test_what_was_staged_and_never_committed_is_swept(vault: Vault) -> None:
    vault.parts.disk.put(f"{layout.PENDING}/00000009-0.tmp", b"half")
    vault.parts.disk.put(f"{layout.PENDING}/00000009.tmp", b"half")
    vault.parts.committer.recover()
    assert vault.parts.disk.names(layout.PENDING) == []
    assert vault.parts.catalog.last == 0


def test_a_pending_file_that_cannot_be_read_stops_and_is_named(vault: Vault) -> None:
    vault.parts.disk.put(layout.pending_path(1), b'{"format": 1')
    before = tree_digest(vault.root)
    with pytest.raises(StorageError, match="00000001"):
        vault.parts.committer.recover()
    assert tree_digest(vault.root) == before


# -- the followers ------------------------------------------------------------------------------


def lived(vault: Vault) -> Vault:
    """A vault in which a bit of everything has happened."""
    takes_every_turn(vault)
    vault.capture(turns(7))
    vault.capture(turns(2, "b"))
    vault.flush()
    first = vault.remember("I prefer tabs.").memory
    vault.forget(first.id)
    vault.undo()
    second = vault.remember("The default branch is trunk.", project="shop").memory
    path = vault.root / second.path
    path.rename(path.with_name("renamed.md"))
    (path.parent / "by hand.md").write_text("Kim likes tea.\n", encoding="utf-8")
    shutil.copy(path.parent / "renamed.md", path.parent / "another copy.md")
    vault.doctor()
    vault.undo(next(str(one.number) for one in vault.log(99) if one.kind == "extract"))
    vault.capture(turns(2, "c"))
    return vault


def test_a_catalog_that_was_deleted_comes_back_equal(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    before = tables(lived(vault))
    vault.close()
    shutil.rmtree(vault.parts.cache)
    again = open_vault()
    again.parts.committer.recover()
    assert tables(again) == before
    assert len(before["memories"]) > 3 and len(before["turns"]) == 13


def test_a_catalog_that_missed_transactions_replays_them(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    takes_every_turn(vault).capture(turns(2, "early"))
    vault.close()
    kept = vault.parts.cache.with_name("kept")
    shutil.copytree(vault.parts.cache, kept)
    lived(open_vault())
    expected = tables(vault)
    vault.close()
    shutil.rmtree(vault.parts.cache)
    shutil.copytree(kept, vault.parts.cache)
    again = open_vault()
    assert again.parts.projections.behind
    before = tree_digest(again.root, "facts", "transcripts")
    again.parts.committer.recover()
    assert tables(again) == expected
    assert tree_digest(again.root, "facts", "transcripts") == before
    assert not again.parts.projections.behind


def test_a_damaged_catalog_is_built_anew(vault: Vault, open_vault: Callable[..., Vault]) -> None:
    before = tables(lived(vault))
    vault.close()
    path = vault.parts.cache / "catalog.sqlite"
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    again = open_vault()
    again.parts.committer.recover()
    assert tables(again) == before


def test_a_vault_restored_from_an_older_copy_is_noticed(
    vault: Vault, open_vault: Callable[..., Vault], tmp_path: Path
) -> None:
    takes_every_turn(vault)
    vault.capture(turns(5))
    shutil.copytree(vault.root, tmp_path / "copy")
    vault.capture(turns(5, "later"))
    assert len(texts(vault)) == 10
    vault.close()
    shutil.rmtree(vault.root)
    shutil.copytree(tmp_path / "copy", vault.root)
    again = takes_every_turn(open_vault())
    assert again.parts.projections.behind
    assert again.doctor() == []
    assert texts(again) == {turn.text for turn in turns(5)}
    again.capture(turns(5, "other"))
    assert again.doctor() == [] and len(texts(again)) == 10


def test_a_vault_restored_and_written_elsewhere_is_noticed_too(
    vault: Vault, open_vault: Callable[..., Vault], environment: dict[str, str], tmp_path: Path
) -> None:
    shutil.copytree(vault.root, tmp_path / "copy")
    register(tmp_path / "copy", places_of(environment))
    vault.remember("The shop opens at nine.")
    vault.close()
    other = open_vault("copy")
    other.remember("The shop opens at ten.")
    other.remember("The shop closes at six.")
    other.close()
    shutil.rmtree(vault.root)
    shutil.copytree(tmp_path / "copy", vault.root)
    again = open_vault()
    assert again.parts.projections.behind and again.doctor() == []
    assert texts(again) == {"The shop opens at ten.", "The shop closes at six."}


def test_an_open_vault_notices_that_another_process_made_a_new_catalog(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    vault.remember("The shop opens at nine.")
    shutil.rmtree(vault.parts.cache)
    vault.parts.cache.mkdir()
    other = open_vault()
    other.remember("The shop closes at six.")
    assert len(texts(other)) == 2
    vault.remember("The shop is in Aarhus.")
    assert len(texts(vault)) == 3 and vault.doctor() == []


def texts(vault: Vault) -> set[str]:
    return {memory.text for memory in vault.parts.catalog.memories() if memory.live}


def test_the_events_of_a_memory_are_in_the_catalog(vault: Vault) -> None:
    event = Event("memory_write", "a", (("code", "new"), ("rule", "")))
    vault.parts.committer.commit(plan(Change(A, None, note("a", "one")), events=(event,)))
    ((number, time, found),) = vault.parts.catalog.log.events("a")
    assert (number, time, found) == (1, NOW, event)
    assert isinstance(vault.parts.lookup.memory("a"), Memory)
