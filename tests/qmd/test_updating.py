"""What an update takes in, what it leaves alone, and the commands that run before it."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.qmd.desk import Desk

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="commands are run by bash")


def test_new_changed_gone(machine: Desk) -> None:
    machine.write("new.md", "# New\n\nA dinghy.\n")
    machine.write("bread.md", "# Rye bread\n\nWith a dinghy in it.\n")
    (machine.notes / "tea.md").unlink()
    assert "Indexed: 1 new, 1 updated, 4 unchanged, 1 removed" in machine.run("update").out
    assert set(machine.search("dinghy").files) == {"new.md", "bread.md"}
    assert machine.search("brew").files == machine.search("leaven").files == []
    assert "Indexed: 0 new, 0 updated, 6 unchanged, 0 removed" in machine.run("update").out


def test_the_same_stat_with_other_words_is_seen(machine: Desk) -> None:
    place = machine.notes / "bread.md"
    before = place.stat()
    place.write_text(place.read_text().replace("leaven", "yeasts"), encoding="utf-8")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "1 updated" in machine.run("update").out


def test_what_is_no_document(bare: Desk) -> None:
    bare.write("empty.md", " \n\n")
    bare.write(".hidden/secret.md", "dinghy")
    bare.write("node_modules/readme.md", "dinghy")
    bare.write("plain.txt", "dinghy")
    outside = bare.folder / "outside.md"
    outside.write_text("dinghy", encoding="utf-8")
    (bare.notes / "link.md").symlink_to(outside)
    (bare.notes / "folder").symlink_to(bare.folder, target_is_directory=True)
    assert "Indexed: 6 new" in bare.run("collection", "add", "notes").out
    assert bare.search("dinghy").json == []


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="a file that root cannot read")
def test_a_file_that_cannot_be_read_is_named_and_kept(machine: Desk) -> None:
    (machine.notes / "bread.md").chmod(0)
    ran = machine.run("update")
    assert "0 removed" in ran.out and "unreadable file: bread.md (EACCES)" in ran.err
    assert machine.search("leaven").files == ["bread.md"]


def test_a_pipe_is_not_waited_for(machine: Desk) -> None:
    os.mkfifo(machine.notes / "pipe.md")
    assert "0 new" in machine.run("update").out


def test_a_folder_that_is_away_loses_nothing(machine: Desk) -> None:
    machine.notes.rename(machine.folder / "elsewhere")
    assert "is not there" in machine.run("update").err
    assert machine.search("leaven").files == ["bread.md"]


def test_masks_and_ignores(bare: Desk) -> None:
    bare.write("list.txt", "# Dinghies\n")
    bare.run("collection", "add", "notes", "--mask", "*.txt,boats/{yawl,ketch}.md")
    out = bare.run("ls", "notes").out
    assert [line.rpartition("/")[2] for line in out.splitlines()] == [
        "ketch.md", "yawl.md", "list.txt",
    ]  # fmt: skip


def test_cleanup_takes_away_what_is_gone(machine: Desk) -> None:
    (machine.notes / "tea.md").unlink()
    machine.run("update")
    assert "Would remove 1 inactive document records" in machine.run("cleanup", "--dry-run").out
    assert "Removed 1 inactive document records" in machine.run("cleanup").out
    assert "inactive" not in machine.run("cleanup").out
    (place,) = (machine.folder / "cache" / "qmd").glob("*.engram")
    assert b"80 degrees" not in place.read_bytes()


def test_a_damaged_index_is_made_anew_by_the_next_update(machine: Desk) -> None:
    (place,) = (machine.folder / "cache" / "qmd").glob("*.engram")
    place.write_bytes(b"no database at all, but long enough to be one" * 100)
    ran = machine.search("leaven")
    assert ran.code == 1 and "Run 'qmd update'" in ran.err
    assert "Indexed: 6 new" in machine.run("update").out
    assert machine.search("leaven").files == ["bread.md"]


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_the_index_is_the_persons_alone(machine: Desk) -> None:
    (place,) = (machine.folder / "cache" / "qmd").glob("*.engram")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


# -- commands ----------------------------------------------------------------------------------


@needs_bash
def test_a_command_runs_in_its_folder_before_the_update(machine: Desk) -> None:
    machine.run("collection", "update-cmd", "notes", "echo '# Made' > made.md; echo done")
    out = machine.run("update").out
    assert "    Running update command: echo" in out and "    done\n" in out
    assert "Indexed: 1 new" in out
    machine.run("collection", "update-cmd", "notes")
    assert "Running" not in machine.run("update").out


@needs_bash
def test_a_command_that_fails_ends_it_with_its_code(machine: Desk) -> None:
    machine.run("collection", "update-cmd", "notes", "echo no >&2; exit 9")
    machine.write("new.md", "dinghy")
    ran = machine.run("update")
    assert ran.code == 9 and "exit code 9" in ran.out and "    no\n" in ran.out
    assert machine.search("dinghy").json == []


def test_only_update_runs_commands(machine: Desk) -> None:
    machine.run("collection", "update-cmd", "notes", "touch ran.md")
    for words in (["search", "x"], ["status"], ["embed"], ["cleanup"], ["doctor"], ["ls"]):
        machine.run(*words)
    assert not (machine.notes / "ran.md").exists()


def test_the_configuration_of_a_checkout_runs_nothing_and_reads_nothing_else(bare: Desk) -> None:
    project = bare.folder / "project"
    (project / ".qmd").mkdir(parents=True)
    (project / "readme.md").write_text("# A dinghy\n", encoding="utf-8")
    (project / ".qmd" / "index.yml").write_text(
        "collections:\n  here:\n    path: .\n    update: touch ran.md\n"
        f"  there:\n    path: {bare.notes}\n",
        encoding="utf-8",
    )
    ran = bare.run("update", here=project)
    assert ran.code == 0 and "Not running the update command" in ran.out
    assert "Skipping collection 'there'" in ran.out
    assert not (project / "ran.md").exists()
    assert bare.run("ls", here=project).out.endswith(
        "here/  (1 files)\n  qmd://there/  (0 files)\n"
    )
    trusted = bare.run("update", here=project, also={"QMD_TRUST_LOCAL_CONFIG": "1"})
    assert trusted.code == 0 and (shutil.which("bash") is None or (project / "ran.md").exists())


def test_init_makes_an_index_of_the_project(bare: Desk) -> None:
    assert bare.run("init", here=bare.notes).out == "ready to go with new local index\n"
    assert bare.run("collection", "add", ".", "--name", "n", here=bare.notes).code == 0
    assert len(bare.run("search", "mizzen", "--json", here=bare.notes / "boats").json) == 3
    assert bare.search("mizzen").json == []
    home = Path(bare.environment["HOME"])
    assert "Refusing" in bare.run("init", here=home).err


def test_embed_is_done_before_it_begins(machine: Desk) -> None:
    assert machine.run("embed", "-f", "-c", "notes").code == 0
    assert machine.run("embed", "-c", "nope").err == "Collection not found: nope\n"
