"""Hand edits: every way in which people and their editors change a folder of notes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engram.model.text import sha256_bytes
from engram.store.base.disk import VaultDisk
from engram.store.catalog.catalog import FileRow
from engram.store.commits.scan import Scan, compare, content_files, edits, read_batch, scan
from engram.vault import Adapters, Vault
from tests.kit import LIGHT

A, B = "facts/2026-03-06/a.md", "facts/2026-03-06/b.md"


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: nothing is searched here."""
    return LIGHT


def note(identifier: str, text: str = "The shop uses tabs.") -> str:
    head = f"id: {identifier}\ncategory: fact\nstatus: active\ncreated: 2026-03-06T12:00:00Z"
    return f"---\n{head}\n---\n{text}\n"


@pytest.fixture
def disk(tmp_path: Path) -> VaultDisk:
    root = tmp_path / "notes"
    (root / "facts/2026-03-06").mkdir(parents=True)
    return VaultDisk(root)


def write(disk: VaultDisk, path: str, text: str) -> Path:
    place = disk.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return place


def row(disk: VaultDisk, path: str, identifier: str = "") -> FileRow:
    """The row of a file as it is now."""
    status = os.lstat(disk.root / path)
    digest = sha256_bytes((disk.root / path).read_bytes())
    name = identifier or Path(path).stem
    return FileRow(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, digest, name)


def marks(rows: dict[str, FileRow]) -> dict[str, list[int]]:
    return {path: list(one[1:4]) for path, one in rows.items()}


def looked(disk: VaultDisk, *rows: FileRow) -> tuple[Scan, list[tuple[str, str]]]:
    known = {one.path: one for one in rows}
    found = scan(disk, known)
    seen, events = edits(found, known)
    subjects = [(event.subject, dict(event.details)["what"]) for event in events]
    assert len(seen) == len(found.changed) + len(found.gone)
    return found, subjects


# -- what is looked at --------------------------------------------------------------------------


def test_only_notes_in_the_content_folders_are_looked_at(disk: VaultDisk, tmp_path: Path) -> None:
    for path in (
        A, "archive/2026-01-01/old.md", "facts/mine/deep/er/note.md", "facts/Zoë's note.md",
        "boxes/2026-03-06/b.md", "entities/e.md", "summaries/s.md",
    ):  # fmt: skip
        write(disk, path, "x")
    for path in (
        "facts/a.txt", "facts/.hidden.md", "facts/.trash/a.md", "facts/a.md~", "facts/a.md.tmp",
        "facts/a (conflicted copy 2026-03-06).md", "facts/a.sync-conflict-20260306-101000-X.md",
        "facts/a (1).md", "profile.md", "transcripts/2026-03-06/t.md",
        "facts/1/2/3/4/5/6/7/8/9/too deep.md",
    ):  # fmt: skip
        write(disk, path, "x")
    outside = write(VaultDisk(tmp_path), "outside/o.md", "x")
    (disk.root / "facts/link.md").symlink_to(outside)
    (disk.root / "facts/linked").symlink_to(outside.parent)
    (disk.root / "facts/folder.md").mkdir()
    os.mkfifo(disk.root / "facts/pipe.md")
    assert list(content_files(disk)) == [
        A, "facts/Zoë's note.md", "facts/mine/deep/er/note.md", "archive/2026-01-01/old.md",
        "boxes/2026-03-06/b.md", "entities/e.md", "summaries/s.md",
    ]  # fmt: skip


def test_a_vault_without_the_folders_is_clean(tmp_path: Path) -> None:
    assert scan(VaultDisk(tmp_path), {}).clean


# -- kinds of edits -----------------------------------------------------------------------------


def test_nothing_changed_is_clean(disk: VaultDisk) -> None:
    write(disk, A, note("a"))
    found, subjects = looked(disk, row(disk, A))
    assert found.clean and subjects == [] and found.touched == []


def test_a_new_file_is_created(disk: VaultDisk) -> None:
    write(disk, A, note("a"))
    found, subjects = looked(disk)
    assert subjects == [("a", "created")] and found.changed == {A: note("a").encode()}


def test_changed_bytes_are_an_edit(disk: VaultDisk) -> None:
    place = write(disk, A, note("a"))
    before = row(disk, A)
    place.write_text(note("a", "It uses spaces."), encoding="utf-8")
    assert looked(disk, before)[1] == [("a", "edited")]


def test_an_edit_that_keeps_size_and_time_is_seen(disk: VaultDisk) -> None:
    place = write(disk, A, note("a", "one"))
    before = row(disk, A)
    place.write_text(note("a", "two"), encoding="utf-8")
    os.utime(place, ns=(before.mtime_ns, before.mtime_ns))
    assert looked(disk, before)[1] == [("a", "edited")]


def test_a_file_that_was_only_touched_is_no_edit(disk: VaultDisk) -> None:
    place = write(disk, A, note("a"))
    before = row(disk, A)
    os.utime(place, ns=(1, 1))
    found, subjects = looked(disk, before)
    assert found.clean and subjects == [] and found.touched == [row(disk, A)]


def test_a_file_that_is_gone_was_removed(disk: VaultDisk) -> None:
    place = write(disk, A, note("a"))
    before = row(disk, A)
    place.unlink()
    found, subjects = looked(disk, before)
    assert found.gone == [A] and subjects == [("a", "removed")]


def test_a_rename_is_a_move_even_with_an_edit(disk: VaultDisk) -> None:
    place = write(disk, A, note("a"))
    before = row(disk, A)
    place.rename(disk.root / B)
    assert looked(disk, before)[1] == [("a", "moved")]
    write(disk, B, note("a", "It uses spaces."))
    assert looked(disk, before)[1] == [("a", "moved")]


def test_a_copy_is_a_creation(disk: VaultDisk) -> None:
    place = write(disk, A, note("a"))
    before = row(disk, A)
    shutil.copy(place, disk.root / B)
    assert looked(disk, before)[1] == [("a", "created")]


def test_a_note_without_a_header_is_named_by_its_file(disk: VaultDisk) -> None:
    write(disk, "facts/Where is the key.md", "Under the mat.\n")
    assert looked(disk)[1] == [("where-is-the-key-69456b75", "created")]


def test_a_file_that_cannot_be_read_is_reported_and_not_taken_for_gone(
    disk: VaultDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(disk, A, note("a"))
    before = row(disk, A, "a")
    write(disk, A, note("a", "changed"))

    def shut(path: object, *_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", shut)
    found = scan(disk, {A: before})
    assert list(found.refused) == [A] and found.gone == [] and found.changed == {}


def test_a_budget_ends_the_look_at_known_files_and_all_new_ones_are_found(disk: VaultDisk) -> None:
    for number in range(5):
        write(disk, f"facts/{number}.md", note(str(number)))
    known = ["facts/0.md", "facts/1.md", "facts/2.md"]
    rows = {path: FileRow(path, 0, 0, 0, "", "a") for path in known}
    looks = iter([False, False, True])
    found = compare(disk, marks(rows), lambda: next(looks))
    assert not found.complete and found.gone == []
    assert (found.differing, found.new) == (known[:2], ["facts/3.md", "facts/4.md"])


def test_files_are_read_in_batches_and_a_moved_one_is_never_taken_for_removed(
    disk: VaultDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.store.commits.scan.BATCH", 2)
    for name in ("a", "b", "c", "d", "e"):
        write(disk, f"facts/now/{name}.md", note(name))
    rows = {f"facts/was/{name}.md": FileRow(f"facts/was/{name}.md", 1, 1, 1, "x", name)
            for name in ("c", "e", "gone")}  # fmt: skip
    rest, told = compare(disk, marks(rows)), []
    while rest:
        read, rest = read_batch(disk, rows.get, rest)
        told.append([(one.subject, dict(one.details)["what"]) for one in edits(read, rows)[1]])
    assert told == [
        [("a", "created"), ("b", "created")],
        [("c", "moved"), ("d", "created")],
        [("e", "moved"), ("gone", "removed")],
    ]


def test_a_moved_file_is_told_with_its_batch_though_edited_ones_are_left(
    disk: VaultDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.store.commits.scan.BATCH", 2)
    for name in ("a", "b", "c"):
        write(disk, f"facts/{name}.md", note(name))
    rows = {f"facts/{name}.md": FileRow(f"facts/{name}.md", 1, 1, 1, "x", name) for name in "bc"}
    rows["facts/was.md"] = FileRow("facts/was.md", 1, 1, 1, "x", "a")
    read, rest = read_batch(disk, rows.get, compare(disk, marks(rows)))
    told = [(one.subject, dict(one.details)["what"]) for one in edits(read, rows)[1]]
    assert told == [("a", "moved"), ("b", "edited")] and rest.differing == ["facts/c.md"]


def test_a_folder_that_changes_between_look_and_reading_loses_nothing(disk: VaultDisk) -> None:
    for name in ("a", "b"):
        write(disk, f"facts/{name}.md", note(name))
    rows = {"facts/was.md": FileRow("facts/was.md", 1, 1, 1, "x", "was")}
    found = compare(disk, marks(rows))
    (disk.root / "facts/a.md").unlink()
    write(disk, "facts/was.md", note("was"))
    read, rest = read_batch(disk, rows.get, found)
    assert (list(read.changed), read.gone, len(rest)) == (["facts/b.md"], [], 0)


# -- taken up by the vault ----------------------------------------------------------------------


def known(vault: Vault) -> dict[str, tuple[str, str]]:
    return {
        memory.id: (memory.path.rpartition("/")[2], memory.text)
        for memory in vault.parts.catalog.memories()
    }


def errors(vault: Vault) -> list[str]:
    return [finding.code for finding in vault.doctor() if finding.severity == "error"]


def events(vault: Vault, name: str) -> list[str]:
    return [dict(event.details)["what"] for _, _, event in vault.parts.catalog.log.events(name)]


def test_edits_are_taken_up_and_recorded(vault: Vault) -> None:
    place = write(vault.parts.disk, A, note("a"))
    vault.doctor()
    place.write_text(note("a", "It uses spaces."), encoding="utf-8")
    vault.doctor()
    place.rename(vault.root / B)
    vault.doctor()
    assert known(vault) == {"a": ("b.md", "It uses spaces.")}
    (vault.root / B).unlink()
    assert errors(vault) == []
    assert known(vault) == {} and events(vault, "a") == ["created", "edited", "moved", "removed"]
    assert vault.parts.disk.read("state/fact-hashes.txt") == b""


def test_another_id_in_the_header_is_another_memory(vault: Vault) -> None:
    write(vault.parts.disk, A, note("a"))
    vault.doctor()
    write(vault.parts.disk, A, note("renamed"))
    assert errors(vault) == []
    assert known(vault) == {"renamed": ("a.md", "The shop uses tabs.")}
    assert events(vault, "a") == ["created", "removed"] and events(vault, "renamed") == ["edited"]


def test_two_files_that_swap_their_names_swap_their_homes(vault: Vault) -> None:
    one, other = (
        write(vault.parts.disk, A, note("a", "one")),
        write(vault.parts.disk, B, note("b", "two")),
    )
    vault.doctor()
    one.rename(one.with_name("c"))
    other.rename(one)
    one.with_name("c").rename(other)
    assert errors(vault) == []
    assert known(vault) == {"a": ("b.md", "one"), "b": ("a.md", "two")}


def test_a_copy_is_reported_until_one_of_the_two_goes(vault: Vault) -> None:
    place = write(vault.parts.disk, B, note("b"))
    vault.doctor()
    copy = Path(shutil.copy(place, vault.root / A))
    assert errors(vault) == ["duplicate_id"]
    # a new catalog comes to the same answer
    vault.rebuild()
    assert errors(vault) == ["duplicate_id"] and known(vault)["b"][0] == "b.md"
    place.unlink()
    assert errors(vault) == [] and known(vault)["b"][0] == "a.md"
    copy.unlink()
    assert errors(vault) == [] and known(vault) == {}


def test_a_copy_that_takes_over_from_an_ended_original_owns_its_hash(vault: Vault) -> None:
    place = write(vault.parts.disk, B, note("b"))
    vault.doctor()
    shutil.copy(place, vault.root / A)
    vault.forget("b")
    assert vault.parts.disk.read("state/fact-hashes.txt") == b""
    place.unlink()
    assert errors(vault) == [] and known(vault)["b"][0] == "a.md"
    assert vault.parts.projections.views.hashes.read() == vault.parts.catalog.live_hashes() != []


def test_a_copy_that_gets_an_id_of_its_own_is_a_memory(vault: Vault) -> None:
    place = write(vault.parts.disk, A, note("a"))
    vault.doctor()
    shutil.copy(place, vault.root / B)
    vault.doctor()
    write(vault.parts.disk, B, note("b"))
    assert errors(vault) == [] and set(known(vault)) == {"a", "b"}


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_in_place_of_notes_is_reported_and_stops_nothing(
    vault: Vault, tmp_path: Path, what: str
) -> None:
    place = write(vault.parts.disk, A, note("a"))
    vault.doctor()
    elsewhere = tmp_path / "elsewhere"
    moved = place if what == "file" else place.parent
    moved.rename(elsewhere)
    moved.symlink_to(elsewhere)
    assert errors(vault) == ["unreadable"] and known(vault) == {}
    vault.rebuild()
    assert errors(vault) == ["unreadable"] and known(vault) == {}
    moved.unlink()
    elsewhere.rename(moved)
    assert errors(vault) == [] and set(known(vault)) == {"a"}


def test_a_folder_in_place_of_a_note_stops_nothing(vault: Vault) -> None:
    place = write(vault.parts.disk, A, note("a"))
    vault.doctor()
    place.unlink()
    place.mkdir()
    assert errors(vault) == [] and known(vault) == {}


def test_what_came_and_went_needs_no_time(disk: VaultDisk) -> None:
    write(disk, A, note("a"))
    rows = {A: row(disk, A)}
    gone = "facts/2026-03-06/was.md"
    rows[gone] = rows[A]._replace(path=gone)
    write(disk, B, note("b"))
    found = compare(disk, marks(rows), lambda: True)
    assert (found.new, found.gone, found.complete) == ([B], [gone], False)


def test_many_short_looks_from_anywhere_see_every_edit(disk: VaultDisk) -> None:
    paths = [f"facts/2026-03-06/m{number}.md" for number in range(10)]
    for path in paths:
        write(disk, path, note(Path(path).stem))
    rows = {path: row(disk, path) for path in paths}
    for path in paths:
        write(disk, path, note(Path(path).stem, "Edited by hand."))
    seen: set[str] = set()
    for tenth in range(10):
        ticks = iter([False, True])
        seen |= set(compare(disk, marks(rows), lambda: next(ticks), tenth / 10).differing)  # noqa: B023
    assert seen == set(paths)


def test_what_was_removed_or_moved_while_there_was_no_catalog_is_recorded(vault: Vault) -> None:
    first, other = write(vault.parts.disk, A, note("a")), write(vault.parts.disk, B, note("b"))
    vault.doctor()
    vault.close()
    shutil.rmtree(vault.parts.cache)
    first.unlink()
    other.rename(other.with_name("c.md"))
    assert errors(vault) == []
    assert known(vault) == {"b": ("c.md", "The shop uses tabs.")}
    assert events(vault, "a") == ["created", "removed"] and events(vault, "b")[-1] == "moved"
