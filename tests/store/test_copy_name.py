"""What is a conflict copy, by its name, and of what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.store.base import layout
from engram.store.base.copy_name import original_name

MEMORY = "decision-20260306-101000-9c1f03aa"


@pytest.mark.parametrize(
    ("name", "original"),
    [
        ("notes.sync-conflict-20260306-101000-ABCDEFG.md", "notes.md"),
        ("a.sync-conflict-20260306-101000-ABCDEFG.sync-conflict-20260307-101000-ABCDEFG.md",
         "a.md"),
        ("x (conflicted copy 2026-03-06).md", "x.md"),
        ("x (Mara's conflicted copy).md", "x.md"),
        ("x (Mara's (old) Mac's conflicted copy 2026-03-06).md", "x.md"),
        ("x (Konfliktkopie von Mara 2026-03-06).md", "x.md"),
        ("x_conflict-20260306-101000.md", "x.md"),
        ("x_conf(1).md", "x.md"),
        ("x (1).md", "x.md"),
        ("x.md.orig", "x.md"),
        ("x_LOCAL_4711.md", "x.md"),
        (f"{MEMORY} 2.md", f"{MEMORY}.md"),
        (f"{MEMORY} copy.md", f"{MEMORY}.md"),
        (f"{MEMORY}-2 3.md", f"{MEMORY}-2.md"),
        ("box-00c0ffee 2.md", "box-00c0ffee.md"),
        ("tool-postgres 2.md", "tool-postgres.md"),
        ("claude-code-3f2a1c9d04be 2.md", "claude-code-3f2a1c9d04be.md"),
        ("00000007.sync-conflict-20260306-101000-ABCDEFG.json", "00000007.json"),
    ],
)  # fmt: skip
def test_the_copies_of_every_tool_are_known(name: str, original: str) -> None:
    assert original_name(name) == original
    assert layout.is_conflict_copy(name)
    assert layout.original_of(f"facts/a b/{name}") == f"facts/a b/{original}"
    assert layout.kind_of(f"facts/{name}") == "other"


@pytest.mark.parametrize(
    "name",
    [
        f"{MEMORY}.md", f"{MEMORY}-2.md", "box-00c0ffee.md", "tool-x-2.md", "notes 2.md",
        "Trip to Rome 2.md", "Budget (conflict of interest).md", "x_y.md", ".orig", "a.md",
        "profile.md", "the conflicted copy.md", "conflict.md", "1.md", "(1).md",
    ],
)  # fmt: skip
def test_what_a_person_calls_a_note_is_no_copy(name: str) -> None:
    assert original_name(name) == ""
    assert layout.original_of(f"facts/{name}") == f"facts/{name}"


@given(st.text(alphabet="ab2 ()._-'~orig.sync-conflict", max_size=40))
def test_no_name_is_too_odd_and_the_original_is_no_copy(name: str) -> None:
    original = original_name(name)
    assert original_name(original) == "" and (original != name or not name)
