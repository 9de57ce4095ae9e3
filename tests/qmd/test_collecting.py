"""Which folders are collections, what is said about them, and the file where that stands."""

from __future__ import annotations

import os
import stat

import pytest

from engram.surfaces.qmd.yaml_text import read
from tests.qmd.desk import Desk


def test_adding_indexes_at_once(bare: Desk) -> None:
    ran = bare.run("collection", "add", "notes")
    assert ran.code == 0
    assert "Indexed: 6 new, 0 updated, 0 unchanged, 0 removed" in ran.out
    assert bare.run("collection", "list").out.startswith(
        "Collections (1):\n\nnotes (qmd://notes/)\n"
    )
    assert read(bare.config.read_text(encoding="utf-8")) == {
        "collections": {"notes": {"path": str(bare.notes), "pattern": "**/*.md"}}
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["collection", "add"], "Usage: qmd collection add"),
        (["collection", "add", "nowhere"], "does not exist"),
        (["collection", "add", "notes/bread.md"], "not a directory"),
        (["collection", "add", "notes", "--name", "notes"], "already exists"),
        (["collection", "add", "notes", "--name", "again"], "already exists for this path"),
        (["collection", "rename", "nope", "x"], "Collection not found: nope"),
        (["collection", "rename", "notes", "notes"], "already exists"),
        (["collection", "remove", "nope"], "Collection not found: nope"),
        (["collection", "show", "nope"], "Collection not found: nope"),
        (["collection", "include", "nope"], "Collection not found: nope"),
        (["collection", "nonsense"], "Unknown subcommand: nonsense"),
        (["context", "add", "qmd://nope/", "text"], "Collection not found: nope"),
        (["context", "add", "/somewhere/else", "text"], "not in any indexed collection"),
        (["context", "rm", "qmd://notes/x"], "No context found"),
        (["nonsense"], "Unknown command: nonsense"),
        (["search", "x", "--format", "yaml"], "Unknown --format value: yaml"),
    ],
)
def test_refusals(machine: Desk, words: list[str], said: str) -> None:
    before = machine.config.read_bytes()
    ran = machine.run(*words)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err
    assert machine.config.read_bytes() == before


def test_renamed_and_removed(machine: Desk) -> None:
    machine.run("collection", "rename", "notes", "papers")
    assert machine.search("yawl").json[0]["file"] == "qmd://papers/boats/yawl.md"
    assert machine.search("papers").files != [] and machine.search("notes").files == ["tea.md"]
    ran = machine.run("collection", "remove", "papers")
    assert "Deleted 6 documents" in ran.out
    assert machine.search("yawl").json == []
    assert machine.run("collection", "list").out.startswith("No collections found.")


def test_contexts_are_inherited(machine: Desk) -> None:
    machine.run("context", "add", "/", "All of it")
    machine.run("context", "add", "qmd://notes/", "My notes")
    machine.run("context", "add", str(machine.notes / "boats"), "Boats,\nlarge and small")
    (row,) = machine.search("yawl").json
    assert row["context"] == "All of it\n\nMy notes\n\nBoats,\nlarge and small"
    assert "  boats\n    Boats,\nlarge and small" in machine.run("context", "list").out
    machine.run("context", "rm", "qmd://notes/boats")
    machine.run("context", "rm", "/")
    assert machine.search("yawl").json[0]["context"] == "My notes"


def test_what_nobody_here_knows_stays_in_the_file(machine: Desk) -> None:
    text = machine.config.read_text(encoding="utf-8")
    mine = "models:\n  embed: hf:some/model.gguf\n" + text + "    colour: red\n"
    machine.config.write_text(mine, encoding="utf-8")
    machine.run("collection", "exclude", "notes")
    tree = read(machine.config.read_text(encoding="utf-8"))
    assert isinstance(tree, dict) and tree["models"] == {"embed": "hf:some/model.gguf"}
    assert tree["collections"] == {
        "notes": {
            "path": str(machine.notes), "pattern": "**/*.md", "colour": "red",
            "includeByDefault": False,
        }
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", ["collections: &a {}\n", "a: b: c\n", "collections: [1]\n", "\tx: 1\n", "a: 1\na: 2\n"]
)
def test_a_file_that_is_not_understood_is_never_written_over(machine: Desk, text: str) -> None:
    machine.config.write_text(text, encoding="utf-8")
    for words in (["search", "x"], ["update"], ["collection", "exclude", "notes"], ["mcp", "stop"]):
        ran = machine.run(*words)
        assert "Traceback" not in ran.err
        assert ran.code == (0 if words[0] == "mcp" else 1)
    assert machine.config.read_text(encoding="utf-8") == text


@pytest.mark.skipif(os.name == "nt", reason="symlinks and modes of POSIX")
def test_a_linked_file_stays_a_link_and_keeps_its_mode(machine: Desk) -> None:
    real = machine.folder / "dotfiles.yml"
    machine.config.rename(real)
    real.chmod(0o640)
    machine.config.symlink_to(real)
    machine.run("collection", "exclude", "notes")
    assert machine.config.is_symlink()
    assert "includeByDefault: false" in real.read_text(encoding="utf-8")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_nothing_is_made_by_asking(bare: Desk) -> None:
    for words in (["search", "x"], ["status"], ["ls"], ["get", "x"], ["collection", "list"]):
        bare.run(*words)
    assert not (bare.folder / "config").exists() and not (bare.folder / "cache").exists()


def test_the_index_of_qmd_is_never_touched(machine: Desk) -> None:
    theirs = machine.folder / "cache" / "qmd" / "index.sqlite"
    theirs.write_bytes(b"somebody else's")
    machine.run("update")
    machine.run("cleanup")
    assert theirs.read_bytes() == b"somebody else's"
    assert machine.search("yawl").files == ["boats/yawl.md"]
