"""Conflict copies in a vault: taken in where that is sure, put to the person where it is not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.store.base import layout
from engram.store.merge.conflict_copies import conflict_copies
from engram.vault import Vault
from tests.kit import box, entity, turns, where, write_pages

NAMES = [
    "{stem}.sync-conflict-20260306-101000-ABCDEFG.md", "{stem} (conflicted copy 2026-03-06).md",
    "{stem} (Mara's conflicted copy).md", "{stem} (1).md", "{stem} 2.md",
]  # fmt: skip
OLDER = "{stem}.md.orig"
TEXT = "The oven door sticks; lift it before pulling."


def copy_of(path: Path, name: str = NAMES[0]) -> Path:
    return path.with_name(name.format(stem=path.stem))


def remembered(vault: Vault) -> Path:
    return vault.root / vault.remember(TEXT).memory.path


def texts(vault: Vault) -> list[str]:
    return [memory.text for memory in vault.parts.catalog.memories()]


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_of_any_tool_is_taken_in_and_comes_back_with_undo(vault: Vault, name: str) -> None:
    path = remembered(vault)
    before = path.read_bytes()
    copy = copy_of(path, name)
    other = before.replace(b"sources:\n", b'tags:\n  - oven\nsources:\n  - "[[test-a#^mb]]"\n')
    copy.write_bytes(other)
    done = vault.reunite()
    assert [(one.path, one.why) for one in done.apart] == [(str(copy.relative_to(vault.root)), "")]
    assert not copy.exists() and b"- oven" in path.read_bytes()
    assert b"test-a#^mb" in path.read_bytes()
    assert vault.reunite().apart == ()
    vault.undo(str(done.transaction))
    assert copy.read_bytes() == other and path.read_bytes() == before
    assert [one.why for one in vault.reunite().apart] == [
        "it was taken in before, and that was undone"
    ]


@pytest.mark.parametrize("name", NAMES)
def test_other_words_stay_apart_and_are_asked_about_once(vault: Vault, name: str) -> None:
    path = remembered(vault)
    copy = copy_of(path, name)
    copy.write_bytes(path.read_bytes().replace(b"sticks", b"jams"))
    words = copy.read_bytes()
    done = vault.reunite()
    assert done.apart[0].why and done.transaction
    assert b"status: needs-review" in path.read_bytes()
    assert b"status_reason: conflict copy" in path.read_bytes()
    assert copy.read_bytes() == words and texts(vault) == [TEXT]
    assert "conflict_copy" in {found.code for found in vault.doctor()}
    vault.restore(path.stem)
    assert vault.reunite().transaction == 0
    vault.consolidate()
    assert b"status: active" in path.read_bytes() and copy.exists()


def test_an_older_version_that_a_merge_tool_left_is_told_of_and_nothing_more(
    vault: Vault,
) -> None:
    path = remembered(vault)
    before = path.read_bytes()
    copy = copy_of(path, OLDER)
    copy.write_bytes(before.replace(b"kind: note", b"kind: note\ntags: [old]"))
    done = vault.reunite()
    assert done.transaction == 0 and "older" in done.apart[0].why
    assert path.read_bytes() == before and copy.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_what_is_no_file_is_left_alone(vault: Vault, tmp_path: Path) -> None:
    path = remembered(vault)
    outside = tmp_path / "outside.md"
    outside.write_bytes(path.read_bytes())
    copy_of(path).symlink_to(outside)
    linked = path.with_name("linked.md")
    linked.symlink_to(outside)
    copy_of(linked).write_bytes(outside.read_bytes().replace(path.stem.encode(), b"linked"))
    copy_of(path, NAMES[1]).mkdir()
    shown = next((vault.root / "transcripts").rglob("*.md"))
    os.mkfifo(copy_of(shown))
    done = vault.reunite()
    assert len(done.apart) == 3 and all(one.why for one in done.apart)
    assert outside.read_bytes() == path.read_bytes() and done.transaction == 0


def test_a_dry_run_writes_nothing(vault: Vault) -> None:
    path = remembered(vault)
    copy = copy_of(path)
    copy.write_bytes(path.read_bytes().replace(b"confidence: 0.95", b"confidence: 0.5"))
    done = vault.reunite(dry_run=True)
    assert done.transaction == 0 and len(done.apart) == 1 and copy.exists()


def test_a_copy_goes_into_the_file_also_where_a_person_moved_it(vault: Vault) -> None:
    path = remembered(vault)
    copy = copy_of(path)
    copy.write_bytes(path.read_bytes().replace(b"---\n", b"---\nmood: good\n", 1))
    moved = path.rename(path.parent.parent / "oven.md")
    assert vault.reunite().apart[0].original == "facts/oven.md"
    assert b"mood: good" in moved.read_bytes() and not copy.exists()


def test_a_copy_whose_file_is_gone_stays(vault: Vault) -> None:
    path = remembered(vault)
    copy = path.rename(copy_of(path))
    assert vault.reunite().apart[0].why == "the file that it is a copy of is not there"
    assert copy.exists() and texts(vault) == []


def test_copies_of_pages_and_transcripts_are_taken_in_as_well(vault: Vault) -> None:
    made = box("box-00c0ffee", "fact-a"), entity("tool-oven", "fact-a")
    write_pages(vault, *((None, page) for page in made))
    vault.capture(turns(2))
    shown = next((vault.root / "transcripts").rglob("*.md"))
    paths = [vault.root / layout.page_path(page) for page in made]
    for path in paths:
        data = path.read_bytes().replace(b"---\n", b"---\nmine: yes\n", 1)
        copy_of(path).write_bytes(data)
    whole = shown.read_bytes()
    copy_of(shown).write_bytes(whole)
    shown.write_bytes(whole[: whole.rindex(b"**user**")])
    done = vault.reunite()
    assert [one.why for one in done.apart] == ["", "", ""]
    assert all(b"mine: yes" in path.read_bytes() for path in paths)
    assert shown.read_bytes() == whole and conflict_copies(vault.root) == []


def test_a_purge_reaches_what_a_transaction_holds_of_a_copy(vault: Vault) -> None:
    path = remembered(vault)
    copy_of(path).write_bytes(path.read_bytes().replace(b"---\n", b"---\nmood: good\n", 1))
    vault.reunite()
    assert where(vault.root / "state" / "journal", TEXT)
    vault.purge(path.stem)
    assert where(vault.root, TEXT) == []


@pytest.mark.parametrize("name", [*NAMES, OLDER])
def test_a_purge_takes_the_copies_with_it(vault: Vault, name: str) -> None:
    path = remembered(vault)
    shown = next((vault.root / "transcripts").rglob("*.md"))
    vault.consolidate()
    for one in (path, shown, *(vault.root / "boxes").rglob("*.md")):
        copy_of(one, name).write_bytes(b"<<<<<<< HEAD\n" + one.read_bytes())
    vault.purge(path.stem)
    assert where(vault.root, TEXT) == []


def test_a_vault_is_asked_about_a_state_that_travels(
    open_vault: Callable[..., Vault],
) -> None:
    vault = open_vault()
    (vault.root / "state" / "turns" / "00000001.sync-conflict-20260306-101000-A.jsonl").touch()
    (vault.root / ".stfolder").mkdir()
    assert {found.code for found in vault.doctor()} >= {"state_travels"}
    assert len([found for found in vault.doctor() if found.code == "state_travels"]) == 1
    (vault.root / ".stignore").unlink()
    assert len([found for found in vault.doctor() if found.code == "state_travels"]) == 2


@pytest.mark.parametrize(("mark", "name"), [(".stfolder", ".stignore"), (".git", ".gitignore")])
def test_an_older_vault_is_asked_to_keep_its_inbox_at_home(
    vault: Vault, mark: str, name: str
) -> None:
    (vault.root / mark).mkdir()
    assert vault.doctor() == []
    file = vault.root / name
    lines = file.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line.strip("/") != "inbox"]
    file.write_text("\n".join(kept) + "\n", encoding="utf-8")
    (found,) = vault.doctor()
    assert (found.code, found.subject) == ("inbox_travels", name)
    assert f"`echo inbox >> {name}`" in found.fix
    file.write_text("\n".join([*kept, "inbox"]) + "\n", encoding="utf-8")
    assert vault.doctor() == []
