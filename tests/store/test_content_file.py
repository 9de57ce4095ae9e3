"""Reading the same bytes again: the same answer, of no other path or bytes, and bounded."""

from __future__ import annotations

import pytest

from engram.model.entity import Entity
from engram.store.files import content_file
from engram.store.files.content_file import read_content

NOTE = b"---\nid: fact-1\ncategory: fact\n---\nThe shop uses Postgres.\n"


def test_a_file_read_again_is_the_same_of_its_own_path_and_bytes_only() -> None:
    first = read_content("facts/a.md", NOTE)
    assert read_content("facts/a.md", bytes(bytearray(NOTE))) is first
    assert read_content("archive/a.md", NOTE).content.path == "archive/a.md"
    assert read_content("archive/a.md", NOTE).content.status == "archived"
    assert read_content("entities/a.md", NOTE).kind is Entity
    other = read_content("facts/a.md", NOTE.replace(b"Postgres", b"SQLite"))
    assert other.content.text == "The shop uses SQLite." and other.meaning != first.meaning


def test_what_is_kept_of_files_is_bounded_by_number_and_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = content_file._LastRead()
    monkeypatch.setattr(content_file, "_last_read", kept)
    monkeypatch.setattr(content_file, "_MOST_FILES", 3)
    monkeypatch.setattr(content_file, "_MOST_BYTES", 250)
    for number in range(9):
        body = b"%d" % number * 60
        assert read_content("facts/a.md", body) is read_content("facts/a.md", body)
        assert len(kept._files) <= 3
        assert sum(len(data) for _, data in kept._files) == kept._size <= 250
    monkeypatch.setattr(content_file, "_LONGEST", 100)
    assert read_content("facts/a.md", b"x" * 101) is not read_content("facts/a.md", b"x" * 101)
