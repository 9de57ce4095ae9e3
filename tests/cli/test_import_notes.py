"""`engram import markdown FOLDER`: what is nobody's notes stays out, and much is asked about."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from tests.cli.shop import Shop


def notes(shop: Shop, count: int) -> None:
    for number in range(count):
        shop.write(f"notes/diary/{number}.md", f"I decided to paint boat {number} blue.\n")


def what_nobody_wrote(shop: Shop) -> None:
    shop.write("notes/web/node_modules/left/guide.md", "I prefer packages.\n")
    shop.write("notes/env/pyvenv.cfg", "")
    shop.write("notes/env/lib/guide.md", "I prefer environments.\n")
    shop.write("notes/lib/site-packages/x/guide.md", "I prefer wheels.\n")
    shop.write("notes/other/engram.toml", "")
    shop.write("notes/other/facts/guide.md", "I prefer vaults.\n")
    shop.write("notes/.trash/guide.md", "I prefer hidden things.\n")
    shop.write("notes/LICENSE.md", "I prefer licences.\n")
    shop.write("notes/CHANGELOG-1.0.md", "I prefer changes.\n")


REASONS = (
    "a Python environment", "another vault", "hidden", "licences and changelogs", "packages",
)  # fmt: skip


def test_what_is_nobodys_notes_is_left_out_with_a_line_a_reason(shop: Shop) -> None:
    notes(shop, 2)
    what_nobody_wrote(shop)
    for arguments in (["markdown", "notes", "--dry-run"], ["markdown", "notes"]):
        ran = shop.run("import", *arguments)
        assert ran.code == 0 and "2 new turns of 2 from 2 files" in ran.out
        assert [line for line in ran.err.splitlines() if line.startswith("left out: ")] == [
            line for reason in REASONS for line in ran.err.splitlines() if f"({reason})" in line
        ]
    assert "left out: 2 paths (packages), such as lib/site-packages" in ran.err


def test_auto_leaves_out_the_same(shop: Shop) -> None:
    notes(shop, 2)
    what_nobody_wrote(shop)
    (row,) = json.loads(shop.run("import", "auto", "notes", "--dry-run", "--json").out)
    assert (row["source"], row["files"]) == ("markdown", 2)


def test_a_folder_that_is_named_itself_is_read(shop: Shop) -> None:
    what_nobody_wrote(shop)
    ran = shop.run("import", "markdown", "notes/lib/site-packages")
    assert ran.code == 0 and "took in 1 new turn" in ran.out


@pytest.mark.skipif(shutil.which("git") is None, reason="asks git")
def test_what_git_ignores_is_left_out_but_for_what_it_tracks(shop: Shop) -> None:
    notes(shop, 1)
    shop.write("notes/.gitignore", "build/\n*.draft.md\n!keep.draft.md\n")
    for name in ("build/a.md", "deep/b.draft.md", "keep.draft.md", "kept.draft.md"):
        shop.write(f"notes/{name}", f"I prefer the name {name}.\n")
    subprocess.run(["git", "init", "-q", "notes"], cwd=shop.folder, check=True)
    subprocess.run(["git", "add", "-f", "kept.draft.md"], cwd=shop.folder / "notes", check=True)
    ran = shop.run("import", "markdown", "notes", "--dry-run")
    assert "3 new turns of 3 from 3 files" in ran.out
    assert "left out: 2 paths (ignored by git), such as build" in ran.err
    ran = shop.run("import", "markdown", "notes/build", "--dry-run")
    assert "1 new turn of 1 from 1 file" in ran.out


@pytest.mark.skipif(shutil.which("git") is None, reason="asks git")
def test_nothing_that_a_repository_names_is_run(shop: Shop) -> None:
    notes(shop, 1)
    subprocess.run(["git", "init", "-q", "notes"], cwd=shop.folder, check=True)
    monitor = f"touch {shop.folder / 'ran'}"
    subprocess.run(
        ["git", "config", "core.fsmonitor", monitor], cwd=shop.folder / "notes", check=True
    )
    assert shop.run("import", "markdown", "notes", "--dry-run").code == 0
    assert not (shop.folder / "ran").exists()


def test_a_repository_that_git_cannot_read_is_named(shop: Shop) -> None:
    notes(shop, 1)
    shop.write("notes/.git/HEAD", "nothing\n")
    ran = shop.run("import", "markdown", "notes", "--dry-run")
    assert ran.code == 0 and "git did not say what it ignores in" in ran.err


def test_above_fifty_files_nobody_is_surprised(shop: Shop) -> None:
    notes(shop, 51)
    shop.write("notes/top.md", "I prefer tea.\n")
    turns = json.loads(shop.run("status", "--json").out)["turns"]
    ran = shop.run("import", "markdown", "notes")
    assert ran.code == 1 and "52 files lie below notes" in ran.err and "--yes" in ran.err
    listed = "diary: 51 files, such as 0.md\nthe folder itself: 1 file, such as top.md\n"
    assert ran.out == listed
    assert shop.run("import", "markdown", "notes", "--dry-run").out.startswith(listed)
    assert json.loads(shop.run("status", "--json").out)["turns"] == turns
    ran = shop.run("import", "markdown", "notes", "--yes", "--no-extract")
    assert ran.code == 0 and ran.out.startswith("took in 52 new turns")
