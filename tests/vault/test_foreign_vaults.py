"""Folders of other memory programs, dropped into `facts/`: adopted as they are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.vault import Vault
from tests.foreign import DROPPED, FOREIGN, drop_into
from tests.store.test_foreign_note import LEFT_OUT


@pytest.fixture
def adopted(vault: Vault) -> Vault:
    """A vault into which all of them were dropped."""
    drop_into(vault.root / "facts")
    vault.ready_to_read()
    return vault


def test_no_byte_of_a_foreign_note_is_changed(adopted: Vault) -> None:
    adopted.consolidate()
    for form in FOREIGN.iterdir():
        for path in form.rglob("*"):
            dropped = adopted.root / "facts" / path.relative_to(FOREIGN)
            assert path.is_dir() or dropped.read_bytes() == path.read_bytes(), path


def test_every_note_is_a_memory_but_those_that_are_none(adopted: Vault) -> None:
    found = {memory.path for memory in adopted.parts.catalog.memories()}
    assert found == {f"facts/{name}" for name in DROPPED.keys() - LEFT_OUT.keys()}


def test_a_second_machine_gives_them_the_same_ids(
    adopted: Vault, open_vault: Callable[..., Vault]
) -> None:
    other = open_vault("other")
    shutil.copytree(adopted.root / "facts", other.root / "facts", dirs_exist_ok=True)
    other.ready_to_read()
    ids = [
        {one.id: one.path for one in vault.parts.catalog.memories()} for vault in (adopted, other)
    ]
    assert ids[0] == ids[1]


def test_doctor_tells_of_what_is_no_memory_in_one_line_a_kind(adopted: Vault) -> None:
    (adopted.root / "facts" / "huge.md").write_bytes(b"tea " * 300_000)
    found = [one for one in adopted.doctor() if one.code == "no_memory"]
    assert len(found) == len({*LEFT_OUT.values(), "too large"})
    assert all(one.severity == "warning" for one in found)
    said = "\n".join(one.message for one in found)
    assert "3 files are left as no memory (template): facts/basic_memory/notes/schema.md" in said
    assert "(larger than 1,000,000 bytes: too large for one memory): facts/huge.md" in said


def test_what_is_found_in_them_is_found(adopted: Vault) -> None:
    hits = {
        "weighing machine kilos": "facts/remnic/facts/2026-03-07/fact-1772870400000-1a2b.md",
        "how hot must the oven be": "facts/basic_memory/projects/Sourdough Bakery.md",
        "rent of a berth": "facts/obsidian/Boats/Rent.md",
        "boat shed rent paid": "facts/obsidian/Boat shed.md",
    }
    for asked, path in hits.items():
        paths = [hit.file for hit in adopted.search(asked)]
        assert path in paths[:2], asked


def test_a_day_that_only_the_file_tells_is_about_one(vault: Vault) -> None:
    path = vault.root / "facts" / "mine" / "Tea.md"
    path.parent.mkdir()
    path.write_text("The tea is in the tin.\n", encoding="utf-8")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (memory,) = vault.list()
    assert memory.said_on() == "about 2023-11-14" and memory.date_guessed
    os.utime(path, (1_710_000_000, 1_710_000_000))
    (memory,) = vault.list()
    assert memory.said_on() == "about 2024-03-09"
    assert path.read_text(encoding="utf-8") == "The tea is in the tin.\n"


def test_a_note_that_the_program_must_change_keeps_its_id(vault: Vault) -> None:
    path = vault.root / "facts" / "mine" / "Tea.md"
    path.parent.mkdir()
    path.write_text("---\ntags: [tin]\n---\nThe tea is in the tin.\n", encoding="utf-8")
    (memory,) = vault.list()
    vault.retire([memory.id])
    assert f"id: {memory.id}\n" in path.read_text(encoding="utf-8")


def test_a_readme_becomes_a_memory_when_it_is_renamed(vault: Vault) -> None:
    path = vault.root / "facts" / "README.md"
    path.write_text("The key hangs behind the clock.\n", encoding="utf-8")
    assert vault.list() == []
    path.rename(path.with_name("Key.md"))
    (memory,) = vault.list()
    Path(path.with_name("Key.md")).write_bytes(b"")
    assert memory.text == "The key hangs behind the clock." and vault.list() == []
