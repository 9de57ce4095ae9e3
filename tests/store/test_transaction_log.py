"""The history: what was done, and how it is taken back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.change import Change, Event, Plan, Transaction
from engram.model.errors import BadInput, Conflict, NotFound
from engram.model.text import sha256_bytes
from engram.store.base import layout
from engram.store.commits.transaction import encode
from engram.vault import Adapters, Vault
from tests.kit import LIGHT, takes_every_turn, tree_digest, turns, where

A = "facts/2026-03-06/a.md"


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: nothing is searched here."""
    return LIGHT


def body(text: str) -> bytes:
    head = "id: a\ncategory: fact\nstatus: active\ncreated: 2026-03-06T12:00:00Z"
    return f"---\n{head}\n---\n{text}\n".encode()


def wrote(vault: Vault, before: str | None, after: str | None, **more: object) -> int:
    """Commit one change of the file `a.md`; returns the transaction's number."""
    sides = [None if side is None else body(side) for side in (before, after)]
    return vault.parts.committer.commit(Plan("test", (Change(A, *sides),), **more)).number  # type: ignore[arg-type]


def said(vault: Vault) -> str | None:
    """What the file `a.md` says."""
    data = vault.parts.disk.read(A)
    return None if data is None else data.decode().splitlines()[-1]


def texts(vault: Vault) -> list[str]:
    return sorted(memory.text for memory in vault.parts.catalog.memories() if memory.live)


def imported(vault: Vault, folder: Path, name: str, *said: str, extract: bool = True) -> str:
    """Import a conversation; returns the name of the batch."""
    folder.mkdir(exist_ok=True)
    rows = [
        {"role": "user", "content": text, "timestamp": f"2026-03-05T10:00:{number:02d}Z",
         "session": name, "project": "shop"}
        for number, text in enumerate(said)
    ]  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return vault.import_files("jsonl", folder, extract=extract)[0].batch


# -- one transaction ----------------------------------------------------------------------------


def test_undo_redo_and_undo_again(vault: Vault) -> None:
    wrote(vault, None, "one")
    wrote(vault, "one", "two")
    vault.undo()
    assert said(vault) == "one"
    vault.undo("3")
    assert said(vault) == "two"
    vault.undo()
    assert said(vault) == "one"
    vault.undo()
    assert said(vault) is None and vault.parts.disk.names("facts/2026-03-06") == []
    with pytest.raises(NotFound, match="nothing to undo"):
        vault.undo()
    assert vault.doctor() == []


def test_a_removal_is_undone_byte_for_byte(vault: Vault) -> None:
    wrote(vault, None, "one")
    wrote(vault, "one", None)
    vault.undo()
    assert vault.parts.disk.read(A) == body("one")


def test_the_log_says_what_is_out_of_force(vault: Vault) -> None:
    wrote(vault, None, "one")
    wrote(vault, "one", "two")
    vault.undo("2")
    vault.undo("3")
    vault.undo("2")
    log = {entry.number: (entry.kind, entry.undone, entry.undoes) for entry in vault.log()}
    assert log == {
        1: ("test", False, ()), 2: ("test", True, ()), 3: ("undo", True, (2,)),
        4: ("undo", False, (3,)), 5: ("undo", False, (2,)),
    }  # fmt: skip


def test_what_is_undone_already_or_never_was_is_refused(vault: Vault) -> None:
    number = wrote(vault, None, "one")
    vault.undo(str(number))
    with pytest.raises(BadInput, match="undone already"):
        vault.undo(str(number))
    for unknown in ("99", "0", "9" * 15):
        with pytest.raises(NotFound, match="no transaction"):
            vault.undo(unknown)
    for batch in ("import-99", "٣", "all of it"):
        with pytest.raises(NotFound, match="no change"):
            vault.undo(batch)


def test_a_file_that_changed_since_is_left_and_both_versions_are_shown(vault: Vault) -> None:
    wrote(vault, None, "one")
    wrote(vault, "one", "two")
    vault.parts.disk.put(A, body("mine"))
    before = tree_digest(vault.root, "facts")
    with pytest.raises(Conflict) as refused:
        vault.undo("2")
    assert "mine" in refused.value.hint and "two" in refused.value.hint
    assert tree_digest(vault.root, "facts") == before
    wrote(vault, "mine", "three")
    with pytest.raises(Conflict):
        vault.undo("1")


def test_a_memory_that_was_moved_meanwhile_does_not_come_back_a_second_time(vault: Vault) -> None:
    memory = vault.remember("The shop uses tabs.").memory
    vault.undo()
    vault.restore(memory.id)
    place = vault.root / memory.path
    place.rename(place.with_name("moved.md"))
    vault.undo("2")
    assert [one.name for one in (vault.root / "facts").rglob("*.md")] == ["moved.md"]


def test_a_person_who_undid_it_by_hand_is_no_conflict(vault: Vault) -> None:
    wrote(vault, None, "one")
    wrote(vault, "one", "two")
    vault.parts.disk.put(A, body("one"))
    with pytest.raises(BadInput, match="nothing left"):
        vault.undo("2")


def test_what_was_left_to_the_person_is_not_undone_over_them(vault: Vault) -> None:
    wrote(vault, None, "one")
    other = "facts/2026-03-06/b.md"
    plan = Plan("test", (Change(A, body("one"), body("two")), Change(other, None, b"b")))
    pending = encode(Transaction(2, "2026-03-06T12:00:00Z", plan))
    vault.parts.disk.put(layout.pending_path(2), pending)
    vault.parts.disk.put(A, body("mine"))
    vault.parts.committer.recover()
    vault.undo("2")
    assert said(vault) == "mine" and vault.parts.disk.read(other) is None


def test_purged_content_is_gone_for_good(vault: Vault) -> None:
    memory = vault.remember("The shop opens at nine.").memory
    vault.purge(memory.id)
    with pytest.raises(Conflict, match="purged"):
        vault.undo("1")
    with pytest.raises(BadInput, match="cannot be undone"):
        vault.undo("2")
    with pytest.raises(NotFound):
        vault.restore(memory.id)


# -- which one ----------------------------------------------------------------------------------


def test_undo_takes_the_last_change_that_did_something(vault: Vault) -> None:
    vault.remember("The shop opens at nine.")
    # a batch without a memory, and a failure, are transactions that changed no file
    vault.parts.committer.commit(Plan("extract", events=(Event("extracted", "t"),)))
    vault.undo()
    assert texts(vault) == []


def test_undo_passes_over_hand_edits_and_undos(vault: Vault) -> None:
    first = vault.remember("The shop opens at nine.").memory
    second = vault.remember("The shop closes at six.").memory
    path = vault.root / first.path
    path.write_text(path.read_text("utf-8").replace("nine", "eight"), encoding="utf-8")
    vault.undo()
    assert texts(vault) == ["The shop opens at eight."]
    assert vault.parts.lookup.find_memory(second.id) is None
    with pytest.raises(Conflict):
        vault.undo()


def test_an_undo_is_never_undone_by_a_bare_undo(vault: Vault) -> None:
    for text in ("The shop opens at nine.", "The shop closes at six.", "The shop is in Aarhus."):
        vault.remember(text)
    for left in (2, 1, 0):
        vault.undo()
        assert len(texts(vault)) == left


def test_trying_again_is_no_change_to_take_back(vault: Vault) -> None:
    vault.remember("The shop opens at nine.")
    letter = Change("state/dead-letter/x-00000001.json", None, b"{}\n")
    vault.parts.committer.commit(Plan("extract", (letter,)))
    vault.parts.committer.commit(
        Plan("retry", (Change(letter.path, b"{}\n", None),), requeue=((1, 1),))
    )
    with pytest.raises(BadInput, match="cannot be undone"):
        vault.undo("3")


# -- a whole import -----------------------------------------------------------------------------


def test_an_import_goes_as_a_whole_and_comes_back_as_a_whole(vault: Vault, tmp_path: Path) -> None:
    takes_every_turn(vault)
    vault.remember("The shop opens at nine.")
    batch = imported(vault, tmp_path / "in", "a", "Kim likes tea.", "Kim likes cake.")
    assert len(texts(vault)) == 3
    transcripts = tree_digest(vault.root, "transcripts", "facts")
    undone = vault.undo()
    assert undone.plan.withdraw == ((2, 3),)
    assert texts(vault) == ["The shop opens at nine."]
    assert vault.status().turns == 1 and len(list(vault.parts.projections.transcripts.paths())) == 1
    vault.undo(str(undone.number))
    assert len(texts(vault)) == 3 and vault.status().turns == 3
    assert tree_digest(vault.root, "transcripts", "facts") == transcripts
    vault.undo(batch)
    assert texts(vault) == ["The shop opens at nine."]
    assert vault.doctor() == []


def test_an_import_takes_along_what_was_extracted_from_it_later(
    vault: Vault, tmp_path: Path
) -> None:
    takes_every_turn(vault)
    imported(vault, tmp_path / "in", "a", "Kim likes tea.", extract=False)
    vault.remember("The shop opens at nine.")
    vault.flush()
    assert len(texts(vault)) == 2
    vault.undo()
    assert texts(vault) == ["The shop opens at nine."]
    assert vault.status().pending == 0 and vault.doctor() == []


def test_a_memory_that_changed_hands_in_between_stops_the_undo(
    vault: Vault, tmp_path: Path
) -> None:
    takes_every_turn(vault)
    batch = imported(vault, tmp_path / "in", "a", "Kim likes tea.")
    (memory,) = vault.parts.catalog.memories()
    path = vault.root / memory.path
    path.write_text(path.read_text("utf-8").replace("tea", "green tea"), encoding="utf-8")
    vault.doctor()
    before = path.read_bytes()
    # what else came with that import touches the edited file
    vault.parts.committer.commit(
        Plan("extract", (Change(memory.path, before, before + b"\n"),), batch=batch)
    )
    with pytest.raises(Conflict, match="changed since"):
        vault.undo(batch)
    assert path.read_bytes() == before + b"\n"


# -- bodies -------------------------------------------------------------------------------------


def test_a_file_that_was_removed_by_hand_comes_back_as_it_last_was(vault: Vault) -> None:
    memory = vault.remember("The shop opens at nine.").memory
    path = vault.root / memory.path
    edited = path.read_text("utf-8").replace("nine", "eight")
    path.write_text(edited, encoding="utf-8")
    vault.doctor()
    path.unlink()
    vault.doctor()
    assert vault.restore(memory.id) == memory.id
    assert path.read_text("utf-8") == edited
    with pytest.raises(NotFound):
        vault.restore("nobody")


def test_a_file_that_was_undone_can_be_restored(vault: Vault) -> None:
    memory = vault.remember("The shop opens at nine.").memory
    body = (vault.root / memory.path).read_bytes()
    vault.undo()
    vault.restore(memory.id)
    assert (vault.root / memory.path).read_bytes() == body


def test_every_place_of_a_memory_is_known(vault: Vault) -> None:
    memory = vault.remember("The shop opens at nine.").memory
    path = vault.root / memory.path
    path.rename(path.with_name("other.md"))
    vault.doctor()
    versions = vault.parts.transaction_log.versions_of([memory.id])
    assert {path for path, _, own in versions if own} == {
        memory.path,
        "facts/2026-03-06/other.md",
    }


def test_a_note_that_was_renamed_is_known_under_its_old_name_too(vault: Vault) -> None:
    path = vault.root / "facts" / "Note one.md"
    path.write_text("The marzipan is in the safe.\n", encoding="utf-8")
    vault.doctor()
    path.rename(path.with_name("Note two.md"))
    vault.doctor()
    (note,) = vault.list()
    versions = vault.parts.transaction_log.versions_of([note.id])
    assert {(path, own) for path, _, own in versions} == {
        ("facts/Note one.md", False),
        ("facts/Note two.md", True),
    }
    vault.purge(note.id)
    vault.close()
    assert where(vault.root, "marzipan") == []


def test_transactions_are_found_over_the_turn_of_a_month(
    open_vault: Callable[..., Vault],
) -> None:
    march = open_vault(now="2026-03-31T23:59:59Z")
    march.remember("The shop opens at nine.")
    march.close()
    april = open_vault(now="2026-04-01T00:00:00Z")
    april.remember("The shop closes at six.")
    assert [found.number for found in april.parts.transaction_log.all()] == [1, 2]
    assert [found.number for found in april.parts.transaction_log.all(after=1)] == [2]
    assert april.parts.transaction_log.missing() == []
    april.undo("1")
    assert texts(april) == ["The shop closes at six."]
    (april.root / "state/journal/2026-03/00000001.json").unlink()
    assert (
        april.parts.transaction_log.missing() == [1] and april.parts.transaction_log.read(1) is None
    )
    with pytest.raises(BadInput):
        april.undo("1")
    assert april.doctor()[0].code == "missing_transaction"


def test_events_of_an_undo_name_the_memories(vault: Vault) -> None:
    takes_every_turn(vault).capture(turns(5))
    undone = vault.undo()
    names = {event.subject for event in undone.plan.events}
    ids = {name for name in names if name.startswith("fact-")}
    told = {event.name for event in undone.plan.events}
    assert len(ids) == 5 and told == {"undone", "memory_deleted"}


def test_the_hash_of_a_transaction_is_that_of_the_file_as_it_is_now(vault: Vault) -> None:
    number = wrote(vault, None, "one")
    path = next((vault.root / layout.JOURNAL).rglob(f"{number:08d}.json"))
    before, known = path.read_bytes(), path.stat()
    assert (
        vault.parts.transaction_log.sha_of(number)
        == vault.parts.transaction_log.sha_of(number)
        == sha256_bytes(before)
    )
    path.write_bytes(before.replace(b"one", b"two"))
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    assert (
        vault.parts.transaction_log.sha_of(number)
        == sha256_bytes(path.read_bytes())
        != sha256_bytes(before)
    )
    path.unlink()
    assert vault.parts.transaction_log.sha_of(number) == ""
