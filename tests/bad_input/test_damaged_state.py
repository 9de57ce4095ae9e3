"""What is in `state/` and the cache gets lost or damaged: the vault is read and goes on (1.1)."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.capture.turn_log import encode
from engram.model.errors import BadInput, EngramError, NotFound, StorageError
from engram.pipeline import ingest
from engram.recall.filter import Filter
from engram.vault import Vault
from tests.kit import takes_every_turn, tree_digest, turns, where

_TEXT = "The shop uses Postgres because two writers are needed."


@pytest.fixture
def vault(open_vault: Callable[..., Vault]) -> Vault:
    """A vault with an import, a memory of the person and one that was forgotten; closed."""
    vault = open_vault()
    path = vault.root.parent / "talk.jsonl"
    rows = [
        {"role": "user", "content": f"We decided to use valve {number}.", "id": str(number)}
        for number in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    vault.import_files("jsonl", path)
    vault.remember(_TEXT)
    vault.forget(vault.remember("The shop is closed on Sundays.").memory.id)
    assert vault.doctor() == []
    vault.close()
    return vault


def _texts(vault: Vault, *statuses: str) -> set[str]:
    vault.ready_to_read()
    return {one.text for one in vault.parts.lookup.listing(Filter(statuses=statuses), 100)}


def _codes(vault: Vault) -> set[str]:
    return {finding.code for finding in vault.doctor()}


def _turn_log(vault: Vault) -> list[Path]:
    return sorted((vault.root / "state" / "journal").rglob("*.json"))


def test_without_its_state_a_vault_is_read_and_written(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    with open_vault() as whole:
        live, retired = _texts(whole), _texts(whole, "retired")
    before = tree_digest(vault.root, "facts", "transcripts")
    shutil.rmtree(vault.root / "state")
    with open_vault() as bare:
        assert (_texts(bare), _texts(bare, "retired")) == (live, retired)
        assert bare.search("postgres").memories
        assert bare.search("valve").turns
        assert tree_digest(vault.root, "facts", "transcripts") == before
        report, outcome = bare.import_files("jsonl", vault.root.parent / "talk.jsonl")
        assert (report.turns, report.new_turns, outcome.memories) == (4, 0, 0)
        assert bare.remember("The shop has two doors.").decision == "new"
        assert bare.remember(_TEXT).decision == "same"
        assert bare.doctor() == []
        bare.undo()
        assert _texts(bare) == live


@pytest.mark.parametrize("name", ["state", "cache", "both"])
def test_what_is_deleted_while_a_vault_is_open_is_made_again(
    name: str, vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    with open_vault() as opened:
        live = _texts(opened)
        if name in ("state", "both"):
            shutil.rmtree(vault.root / "state")
        if name in ("cache", "both"):
            shutil.rmtree(vault.parts.cache)
        assert _texts(opened) == live
        assert opened.search("postgres").memories
        opened.remember("The shop has two doors.")
        assert _texts(opened) == live | {"The shop has two doors."}
    with open_vault() as again:
        assert _texts(again) == live | {"The shop has two doors."}
        assert again.doctor() == []


@pytest.mark.parametrize("text", [None, b"", b"\xff\xfe\n", b"0" * 64 + b" nobody\n", b"x\n\n"])
def test_fact_hashes_that_were_edited_are_told_of_and_made_again(
    text: bytes | None, vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    path = vault.root / "state" / "fact-hashes.txt"
    whole = sorted(path.read_bytes().splitlines())
    path.unlink()
    if text is not None:
        path.write_bytes(text)
    with open_vault() as opened:
        assert opened.remember(_TEXT).decision == "same"
        assert "stale_view" in _codes(opened)
        opened.rebuild()
        assert opened.doctor() == []
    assert sorted(path.read_bytes().splitlines()) == whole


@pytest.mark.parametrize("cut", [0, 1, 50, -1, -20])
def test_a_trace_that_was_cut_is_told_of_and_made_again(
    cut: int, vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    path = vault.root / "state" / "trace.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    with open_vault() as opened:
        opened.ready_to_read()
        assert "stale_view" in _codes(opened)
        opened.remember("The shop has two doors.")
        opened.rebuild()
        assert opened.doctor() == []
    assert path.read_bytes().startswith(whole)
    assert all(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("cache", ["kept", "deleted"])
@pytest.mark.parametrize("which", [0, 1, -1])
@pytest.mark.parametrize("how", ["deleted", "emptied", "garbled", "cut", "of another number"])
def test_a_transaction_that_is_lost_or_damaged_costs_only_its_undo(
    how: str, which: int, cache: str, vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    with open_vault() as whole:
        live, retired = _texts(whole), _texts(whole, "retired")
        count = len(whole.log())
    path = _turn_log(vault)[which]
    data = path.read_bytes()
    path.unlink()
    if how != "deleted":
        others = data.replace(b'"n": ', b'"n": 7')
        bodies = {"emptied": b"", "garbled": b"\xff" * 99, "cut": data[:-9]}
        path.write_bytes(bodies.get(how, others))
    if cache == "deleted":
        shutil.rmtree(vault.parts.cache)
    number = int(path.name[:8])
    with open_vault() as opened:
        assert (_texts(opened), _texts(opened, "retired")) == (live, retired)
        assert opened.search("postgres").memories
        if how != "deleted":
            found = {one.subject: one.code for one in opened.doctor()}
            assert found[path.relative_to(vault.root).as_posix()] == "damaged_transaction"
        elif which != -1:
            assert "missing_transaction" in _codes(opened)
        with pytest.raises((NotFound, StorageError, BadInput)):
            opened.undo(str(number))
        opened.remember("The shop has two doors.")
        opened.undo()
        assert _texts(opened) == live
        # one less or none, two more, and what a lost change did to files counts as an edit by hand
        assert len(opened.log()) - count in (1, 2, 3)
        if how != "deleted":
            assert path.read_bytes() == bodies.get(how, others), "evidence is not overwritten"
    with open_vault() as again:
        assert _texts(again) == live
        again.rebuild()
        assert _texts(again) == live


def test_words_cannot_be_purged_while_a_transaction_cannot_be_read(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    """It may hold them: a purge that leaves some behind must not say that it is done."""
    path = _turn_log(vault)[0]
    data = path.read_bytes()
    path.write_bytes(data[:-9])
    with open_vault() as opened:
        memory = opened.search("postgres").memories[0]
        with pytest.raises(StorageError) as refused:
            opened.purge(memory.id)
        assert path.name in str(refused.value)
        assert _texts(opened) >= {_TEXT}
        path.write_bytes(data)
        opened.purge(memory.id)
        assert _TEXT not in _texts(opened)


def test_a_damaged_pending_transaction_is_named_and_reading_goes_on(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    path = vault.root / "state" / "pending" / "00000099.json"
    path.write_bytes(b"{ torn")
    with open_vault() as opened:
        assert opened.search("postgres").memories
        with pytest.raises(StorageError) as refused:
            opened.remember("The shop has two doors.")
        assert "00000099.json" in str(refused.value)
        assert "stuck" in _codes(opened)
        path.unlink()
        opened.remember("The shop has two doors.")
        assert opened.doctor() == []


def test_garbage_in_the_pending_folder_is_told_of_and_in_nobodys_way(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    pending = vault.root / "state" / "pending"
    (pending / "notes.txt").write_text("mine", encoding="utf-8")
    (pending / "notes.json").write_text("mine", encoding="utf-8")
    (pending / "folder").mkdir()
    (pending / "00000077-0.tmp").write_text(
        "staged for a transaction that never was", encoding="utf-8"
    )
    with open_vault() as opened:
        opened.remember("The shop has two doors.")
        found = {one.subject for one in opened.doctor() if one.code == "unreadable"}
        assert found == {f"state/pending/{name}" for name in ("notes.txt", "notes.json", "folder")}
    assert sorted(path.name for path in pending.iterdir()) == ["folder", "notes.json", "notes.txt"]


def _garble_line(path: Path, number: int) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number] = lines[number].replace(b'"text":"', b'"text":"!', 1)
    path.write_bytes(b"".join(lines))


@pytest.mark.parametrize("cache", ["kept", "deleted"])
def test_a_garbled_line_of_the_turn_journal_is_told_of_and_loses_no_other(
    cache: str, vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    with open_vault() as whole:
        takes_every_turn(whole).capture(turns(3))
        live = _texts(whole)
    _garble_line(vault.root / "state" / "turns" / "00000001.jsonl", 1)
    if cache == "deleted":
        shutil.rmtree(vault.parts.cache)
    with open_vault() as opened:
        assert _texts(opened) == live
        assert opened.search("valve").turns
        found = {one.code: one.severity for one in opened.doctor()}
        assert found == {"damaged_turns": "error"}
        takes_every_turn(opened).flush()
        said = {turn.text for turn in turns(3)}
        assert said <= _texts(opened)
        report, _ = opened.import_files("jsonl", vault.root.parent / "talk.jsonl")
        assert report.new_turns == 0, "the transcript still shows it"


def test_a_purge_reaches_what_was_torn_and_what_is_damaged(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    """Half a line, put aside, and a line that cannot be read hold the words as well."""
    path = vault.root / "state" / "turns" / "00000001.jsonl"
    unwanted, kept = turns(2)
    with open_vault() as opened:
        takes_every_turn(opened).capture([kept])
        line = encode(unwanted, 99)
        with path.open("ab") as stream:
            stream.write(line[:-5])
        assert opened.capture([unwanted]).new == 1
        opened.flush()
        damaged = encode(unwanted, 100).replace(b'"role":"user"', b'"role":"uzer"')
        data = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([data[0], damaged, *data[1:]]))
    assert list(path.parent.glob("*.torn"))
    shutil.rmtree(vault.parts.cache)
    word = unwanted.text.split()[1]
    with open_vault() as opened:
        memory = next(one for one in opened.parts.lookup.listing(Filter(), 100) if word in one.text)
        opened.purge(memory.id)
        opened.search("valve")
        assert kept.text in _texts(opened)
    assert where(vault.root, word) == []
    assert where(vault.parts.cache.parent, word) == []


@pytest.mark.parametrize(
    "tail", [b'{"crc":"0000', b"\n", b"\0" * 4096, b"garbage\nmore garbage\n", b"\xff"]
)
def test_a_torn_tail_of_the_turn_journal_is_put_aside(
    tail: bytes, vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    path = vault.root / "state" / "turns" / "00000001.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + tail)
    with open_vault() as opened:
        live = _texts(opened)
        assert opened.capture(turns(2)).new == 2
        assert opened.doctor() == []
        assert live <= _texts(opened)
    assert path.read_bytes().startswith(whole)
    assert (path.parent / f"{path.name}.torn").read_bytes() == tail


def test_turns_of_a_journal_that_was_cut_are_captured_again(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    path = vault.root / "state" / "turns" / "00000001.jsonl"
    with open_vault() as opened:
        live = _texts(opened)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    with open_vault() as opened:
        assert _texts(opened) == live
        assert opened.capture(turns(2)).new == 2
        report, _ = opened.import_files("jsonl", vault.root.parent / "talk.jsonl")
        assert report.new_turns == 0
        assert opened.doctor() == []


def test_a_number_that_is_too_large_for_anything_is_damage(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    path = vault.root / "state" / "turns" / "00000001.jsonl"
    turn = turns(1)[0]
    path.write_bytes(path.read_bytes() + encode(turn, 10**30) + encode(turn, -1))
    shutil.rmtree(vault.parts.cache)
    with open_vault() as opened:
        assert opened.search("postgres").memories
        opened.remember("The shop has two doors.")
        assert opened.doctor() == []


@pytest.mark.parametrize(
    "text", [b"", b"null", b"[]", b"[" * 99_999, b'{"a": 1}', b'{"a": {"offset": -1}}', b"\xff"]
)
def test_cursors_that_are_none_only_cost_a_reading(
    text: bytes, vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    (vault.root / "state" / "cursors.json").write_bytes(text)
    with open_vault() as opened:
        report, _ = opened.import_files("jsonl", vault.root.parent / "talk.jsonl")
        assert (report.turns, report.new_turns) == (4, 0)
        assert opened.import_files("jsonl", vault.root.parent / "talk.jsonl")[0].turns == 0


def test_a_dead_letter_of_garbage_does_not_keep_the_rest_from_going_on(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    (vault.root / "state" / "dead-letter" / "x.json").write_bytes(b"\xff garbage")
    with open_vault() as opened:
        assert opened.retry() == 0
        assert opened.doctor() == []


def test_a_catalog_without_room_is_an_error_and_then_works_again(
    vault: Vault, open_vault: Callable[..., Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = sqlite3.connect

    def narrow(*arguments: object, **named: object) -> sqlite3.Connection:
        database = real(*arguments, **named)  # type: ignore[call-overload]
        database.execute("pragma max_page_count = 1")  # SQLite takes the present size for it
        return database  # type: ignore[no-any-return]

    monkeypatch.setattr(sqlite3, "connect", narrow)
    with open_vault() as opened:
        with pytest.raises(EngramError) as refused:
            for number in range(60):
                opened.remember(f"The shop has {number} doors. " + "x" * 900)
        assert isinstance(refused.value, StorageError)
        said = len(opened.log()) if refused.value else 0
        assert said > 2
    monkeypatch.undo()
    with open_vault() as again:
        journalled = {entry.turn.text for entry in again.parts.turn_log.entries()}
        again.flush()
        again.remember("The shop has two windows.")
        assert again.doctor() == []
        doors = {text for text in journalled if "doors" in text}
        assert doors <= _texts(again)


@pytest.mark.parametrize("garbled", [b"valwe", b"vallve"])
def test_a_pending_turn_whose_line_is_damaged_stays_pending(
    garbled: bytes, open_vault: Callable[..., Vault]
) -> None:
    first, second, third = turns(3)
    with open_vault("another") as before:
        ingest.take_in([first, second, third], before.parts)
        path = before.root / "state" / "turns" / "00000001.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b"valve", garbled)
    path.write_bytes(b"".join(lines))
    with takes_every_turn(open_vault("another")) as opened:
        assert opened.flush().turns == 2
        assert _texts(opened) == {first.text, third.text}
        later = turns(1, first=7)
        opened.capture(later)
        opened.flush()
        assert _texts(opened) == {first.text, third.text, later[0].text}
        assert {one.code for one in opened.doctor()} == {"damaged_turns"}
