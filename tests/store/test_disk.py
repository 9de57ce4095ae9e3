"""The one door through which a vault's files are written: real files, real refusals."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engram.model.errors import BadInput, StorageError
from engram.store.base.disk import VaultDisk
from tests.effort import examples


@pytest.fixture
def disk(tmp_path: Path) -> VaultDisk:
    root = tmp_path / "vault"
    root.mkdir()
    return VaultDisk(root)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file beside the vault that nothing may touch."""
    path = tmp_path / "outside.txt"
    path.write_bytes(b"mine")
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def files_may_grow_to(limit: int) -> Iterator[None]:
    """A disk that is full: the kernel refuses to let any file grow further."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# -- reading and writing ------------------------------------------------------------------------


def test_what_is_put_is_read_and_nothing_else_is_left(disk: VaultDisk) -> None:
    disk.put("a/b/c.md", b"one")
    disk.put("a/b/c.md", b"two")
    assert disk.read("a/b/c.md") == b"two" and disk.size("a/b/c.md") == 3
    assert disk.names("a/b") == ["c.md"]


def test_what_is_not_there_is_none(disk: VaultDisk) -> None:
    disk.put("file", b"")
    for path in ("nothing", "no/such/folder", "file/below"):
        assert disk.read(path) is None and disk.size(path) is None
        disk.remove(path)
    assert disk.names("nothing") == disk.names("file") == []


def test_folders_and_files_are_the_owners_alone(disk: VaultDisk) -> None:
    disk.put("a/b/c.md", b"")
    disk.append("a/log", b"x")
    assert mode(disk.root / "a") == mode(disk.root / "a/b") == 0o700
    assert mode(disk.root / "a/b/c.md") == mode(disk.root / "a/log") == 0o600


def test_a_file_keeps_the_mode_that_a_person_gave_it(disk: VaultDisk) -> None:
    disk.put("a.md", b"one")
    (disk.root / "a.md").chmod(0o644)
    disk.put("a.md", b"two")
    assert mode(disk.root / "a.md") == 0o644


def test_creating_never_overwrites_and_leaves_nothing_behind(disk: VaultDisk) -> None:
    disk.create("a/b.md", b"first")
    with pytest.raises(FileExistsError):
        disk.create("a/b.md", b"second")
    assert disk.read("a/b.md") == b"first" and disk.names("a") == ["b.md"]


def test_a_group_is_staged_and_then_placed(disk: VaultDisk) -> None:
    files = [(f"stage/{number}", bytes([number])) for number in range(20)]
    disk.stage(files)
    disk.put("b/3", b"another's")
    for number in range(20):
        path = f"b/{number}"
        if number == 3:
            with pytest.raises(FileExistsError):
                disk.place(f"stage/{number}", path, fresh=True)
        else:
            disk.place(f"stage/{number}", path, fresh=True)
            assert disk.read(path) == bytes([number])
    assert disk.read("b/3") == b"another's"
    assert disk.names("stage") == ["3"]
    disk.stage([])


def test_renaming_makes_the_folder_and_replaces(disk: VaultDisk) -> None:
    disk.put("a", b"1")
    disk.put("deep/b", b"2")
    disk.rename("a", "deep/b")
    disk.rename("deep/b", "deeper/still/c")
    assert disk.read("deeper/still/c") == b"1" and disk.names("deep") == []
    with pytest.raises(StorageError):
        disk.rename("nothing", "d")


def test_appending_creates_and_grows(disk: VaultDisk) -> None:
    disk.append("logs/log", b"one\n")
    disk.append("logs/log", b"two\n", sync=False)
    assert disk.read("logs/log") == b"one\ntwo\n"


def test_names_are_sorted_and_syncing_what_is_gone_is_no_error(disk: VaultDisk) -> None:
    for name in ("b", "a", "c"):
        disk.put(f"folder/{name}", b"")
    assert disk.names("folder") == ["a", "b", "c"]
    assert disk.names("") == ["folder"]
    disk.sync(["folder", "", "gone", "folder"])


# -- a disk that fails --------------------------------------------------------------------------


def test_a_half_append_is_cut_back(disk: VaultDisk) -> None:
    disk.append("log", b"whole line\n")
    with files_may_grow_to(15), pytest.raises(StorageError):
        disk.append("log", b"a line that does not fit\n")
    assert disk.read("log") == b"whole line\n"
    disk.append("log", b"next\n")
    assert disk.read("log") == b"whole line\nnext\n"


def test_a_file_that_does_not_fit_leaves_the_old_one(disk: VaultDisk) -> None:
    disk.put("a.md", b"old")
    with files_may_grow_to(10), pytest.raises(StorageError):
        disk.put("a.md", b"much longer than ten bytes")
    assert disk.read("a.md") == b"old"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_a_folder_without_permission_is_a_storage_error(disk: VaultDisk) -> None:
    disk.put("shut/a", b"1")
    (disk.root / "shut").chmod(0)
    try:
        for deed in (disk.read, disk.size, disk.remove, disk.names):
            with pytest.raises(StorageError, match="permission"):
                deed("shut/a")
    finally:
        (disk.root / "shut").chmod(0o700)


# -- what is refused ----------------------------------------------------------------------------


def test_a_symlink_is_neither_read_nor_written_nor_removed(disk: VaultDisk, outside: Path) -> None:
    (disk.root / "link").symlink_to(outside)
    (disk.root / "folder").symlink_to(outside.parent)
    disk.put("real", b"1")
    for path in ("link", "folder/outside.txt", "folder/new"):
        for deed in (
            lambda at: disk.read(at), lambda at: disk.size(at),
            lambda at: disk.put(at, b"x"), lambda at: disk.create(at, b"x"),
            lambda at: disk.append(at, b"x"), lambda at: disk.remove(at),
            lambda at: disk.rename(at, "taken"), lambda at: disk.rename("real", at),
            lambda at: disk.sync([at]),
        ):  # fmt: skip
            with pytest.raises(BadInput):
                deed(path)
    assert outside.read_bytes() == b"mine"
    assert sorted(os.listdir(outside.parent)) == ["outside.txt", "vault"]
    assert (disk.root / "link").is_symlink()


def test_the_staging_name_of_a_file_may_not_be_a_symlink_either(
    disk: VaultDisk, outside: Path
) -> None:
    (disk.root / ".a.md.tmp").symlink_to(outside)
    with pytest.raises(BadInput):
        disk.put("a.md", b"x")
    assert outside.read_bytes() == b"mine"


def test_only_regular_files_are_read(disk: VaultDisk) -> None:
    os.mkfifo(disk.root / "pipe")
    (disk.root / "folder").mkdir()
    for path in ("pipe", "folder"):
        with pytest.raises(BadInput):
            disk.read(path)


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../outside.txt", "a/../../outside.txt", "a//b", "a/", "./a", "a/./b",
     "..", ".", "a\\..\\b", "a\0b", "\ud800"],
)  # fmt: skip
def test_a_path_that_leaves_the_vault_is_refused(disk: VaultDisk, path: str) -> None:
    for deed in (disk.path, disk.read, disk.remove, lambda at: disk.put(at, b"x")):
        with pytest.raises(BadInput):
            deed(path)


_PARTS = st.one_of(st.text(), st.sampled_from(["..", ".", "", "a", "link", "...", "~", "C:"]))


@given(st.lists(_PARTS, max_size=5).map("/".join))
@example("a" * 300)
@examples(50, shared_fixture=True)  # nothing is written
def test_any_path_lies_inside_or_is_refused(disk: VaultDisk, path: str) -> None:
    try:
        found = disk.path(path)
    except (BadInput, StorageError):
        return
    assert os.path.normpath(found) == str(found)
    assert found.is_relative_to(disk.root) and found != disk.root


def test_a_vault_that_is_gone_is_not_made_anew(disk: VaultDisk) -> None:
    disk.root.rename(disk.root.with_name("away"))
    for write in (disk.put, disk.create, disk.append):
        with pytest.raises(StorageError):
            write("facts/2026-03-06/note.md", b"words")
    assert not disk.root.exists()
