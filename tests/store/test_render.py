"""The pen: memories, boxes and entities -> changes of files, in the vault's own format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engram.model.box import Box
from engram.model.change import Change
from engram.model.entity import Entity
from engram.model.errors import Conflict, NotFound
from engram.model.memory import Memory
from engram.model.step import Page
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.files.content_file import read_content
from engram.store.files.memory_file import read_memory, render_memory
from engram.store.files.render import FileRenderer
from tests.kit import box, entity

PATH = "facts/2026-03-06/fact-a.md"
MEMORY = Memory(
    id="fact-a", category="fact", text="The shop uses Postgres.", path=PATH,
    created="2026-03-06T10:10:00Z", confidence=0.8, project="shop",
    sources=("test-000000000000#^m0123456789",),
)  # fmt: skip


@pytest.fixture
def disk(tmp_path: Path) -> VaultDisk:
    return VaultDisk(tmp_path)


def stored(disk: VaultDisk, memory: Memory = MEMORY) -> bytes:
    body = render_memory(memory)
    disk.put(memory.path, body)
    return body


def test_new_memories_are_whole_files_in_the_order_given(disk: VaultDisk) -> None:
    other = replace(MEMORY, id="fact-b", created="2026-02-01T00:00:00Z", path="")
    made = FileRenderer(disk).changes([replace(MEMORY, path=""), other], [])
    assert [change.path for change in made] == [PATH, "facts/2026-02-01/fact-b.md"]
    for change, memory in zip(made, (MEMORY, other), strict=True):
        assert change.before is None and change.after is not None
        assert read_memory(change.path, change.after).memory == replace(memory, path=change.path)


def test_a_new_memory_that_is_archived_lies_in_the_archive(disk: VaultDisk) -> None:
    (made,) = FileRenderer(disk).changes([replace(MEMORY, status="archived")], [])
    assert made.path == "archive/2026-03-06/fact-a.md"


def test_an_amended_memory_keeps_every_byte_that_is_not_its_key(disk: VaultDisk) -> None:
    own = stored(disk).replace(b"project: shop\n", b"project: shop # mine\nmood: calm\n")
    own += b"\nMy own words.  \n"
    disk.put(PATH, own)
    after = replace(MEMORY, confidence=0.9)
    (change,) = FileRenderer(disk).changes([], [(MEMORY, after)])
    expected = own.replace(b"confidence: 0.8\n", b"confidence: 0.9\n")
    assert change == Change(PATH, own, expected, "confirmed")
    assert own != expected


def test_a_change_of_status_says_so(disk: VaultDisk) -> None:
    stored(disk)
    after = replace(MEMORY, status="superseded", superseded_by=("fact-b",))
    (change,) = FileRenderer(disk).changes([], [(MEMORY, after)])
    assert change.why == "superseded" and b"[[fact-b]]" in (change.after or b"")


def test_nothing_to_change_is_no_change(disk: VaultDisk) -> None:
    stored(disk)
    assert FileRenderer(disk).changes([], [(MEMORY, MEMORY)]) == []


def test_archiving_moves_the_file_and_keeps_its_name_and_folder(disk: VaultDisk) -> None:
    path = "facts/mine/Where it is.md"
    memory = replace(MEMORY, path=path)
    body = stored(disk, memory)
    gone, come = FileRenderer(disk).changes([], [(memory, replace(memory, status="archived"))])
    assert gone == Change(path, body, None, "archived")
    assert (come.path, come.before) == ("archive/mine/Where it is.md", None)
    read = read_memory(come.path, come.after or b"").memory
    assert read == replace(memory, status="archived", path=come.path)


def test_what_comes_out_of_the_archive_goes_to_its_day(disk: VaultDisk) -> None:
    memory = replace(MEMORY, path="archive/2026-03-06/fact-a.md", status="archived")
    body = stored(disk, memory)
    gone, come = FileRenderer(disk).changes([], [(memory, replace(memory, status="active"))])
    assert gone == Change(memory.path, body, None, "active") and come.path == PATH
    assert read_memory(come.path, come.after or b"").memory.status == "active"


def test_a_file_that_is_gone_is_not_made_up(disk: VaultDisk) -> None:
    with pytest.raises(NotFound):
        FileRenderer(disk).changes([], [(MEMORY, replace(MEMORY, status="retired"))])


@pytest.mark.parametrize("damaged", [b"---\nid: [\nx: {\n---\ntext\n", b"---\nid: never closed\n"])
def test_a_header_that_cannot_be_read_is_not_patched(disk: VaultDisk, damaged: bytes) -> None:
    disk.put(PATH, damaged)
    memory = read_memory(PATH, damaged).memory
    with pytest.raises(Conflict) as refused:
        FileRenderer(disk).changes([], [(memory, replace(memory, status="retired"))])
    assert "editor" in refused.value.hint
    assert disk.read(PATH) == damaged


# -- boxes and entities -------------------------------------------------------------------------

KIM = entity("person-kim", "fact-1")


def written(disk: VaultDisk, page: Page, path: str) -> Page:
    """The page as it is read from a file that a person put there."""
    (made,) = FileRenderer(disk).pages([(None, page)])
    disk.put(path, (made.after or b"") + b"\nMy own words.\n")
    found = read_content(path, disk.read(path) or b"").content
    assert isinstance(found, Box | Entity)
    return found


@pytest.mark.parametrize(
    ("page", "path"),
    [
        (box("box-a", "fact-1"), "boxes/2026-03-06/box-a.md"), (KIM, "entities/person-kim.md"),
        (replace(KIM, path="entities/Kim.md"), "entities/Kim.md"),
    ],
)  # fmt: skip
def test_a_new_page_is_a_whole_file_at_its_place(disk: VaultDisk, page: Page, path: str) -> None:
    (made,) = FileRenderer(disk).pages([(None, page)])
    assert (made.path, made.before) == (path, None)
    assert read_content(path, made.after or b"").content == replace(page, path=path)


@pytest.mark.parametrize(
    ("page", "fields"),
    [(box("box-a", "fact-1"), {"trace": "t"}), (KIM, {"merged_into": "person-kimmy"})],
)
def test_a_page_is_changed_where_a_person_put_it_and_keeps_their_words(
    disk: VaultDisk, page: Page, fields: dict[str, str]
) -> None:
    path = f"{layout.page_path(page).partition('/')[0]}/Mine.md"
    before = written(disk, page, path)
    after = replace(before, **fields)  # type: ignore[arg-type]
    (change,) = FileRenderer(disk).pages([(before, after)])
    assert (change.path, change.before) == (path, disk.read(path))
    assert change.after is not None and b"My own words.\n" in change.after
    assert read_content(path, change.after).content == after
    assert FileRenderer(disk).pages([(before, before), (None, None)]) == []
    (gone,) = FileRenderer(disk).pages([(before, None)])
    assert (gone.path, gone.before) == (path, disk.read(path))
    assert gone.after is not None and b"My own words.\n" in gone.after
    assert b"fact-1" not in gone.after


def test_a_page_that_is_gone_or_of_another_kind_is_refused(disk: VaultDisk) -> None:
    missing = replace(KIM, path="entities/person-kim.md")
    for after in (None, replace(missing, name="K")):
        with pytest.raises(NotFound):
            FileRenderer(disk).pages([(missing, after)])
    before = written(disk, KIM, missing.path)
    with pytest.raises(Conflict):
        FileRenderer(disk).pages([(before, box("box-a"))])


@pytest.mark.parametrize("page", [box("box-a", "fact-1"), KIM])
def test_a_page_whose_header_cannot_be_read_is_not_patched(disk: VaultDisk, page: Page) -> None:
    path = layout.page_path(page)
    disk.put(path, b"---\nid: [\nx: {\n---\ntext\n")
    before = replace(page, path=path)
    changed = replace(before, **({"trace": "t"} if isinstance(page, Box) else {"name": "K"}))  # type: ignore[arg-type]
    with pytest.raises(Conflict) as refused:
        FileRenderer(disk).pages([(before, changed)])
    assert "editor" in refused.value.hint
