"""One writer at a time."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engram.model import file_lock
from engram.model.errors import Locked, StorageError
from engram.model.file_lock import take_lock
from engram.store.base import lock as lock_module
from engram.store.base.lock import WriterLock

_HOLDER = """
import sys, time
from pathlib import Path
from engram.store.base.lock import WriterLock
with WriterLock(Path(sys.argv[1]), 5).hold():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "lock"


def test_the_first_entry_is_told_from_the_nested_ones(path: Path) -> None:
    lock = WriterLock(path, 1)
    with lock.hold() as first, lock.hold() as second, lock.hold() as third:
        assert (first, second, third) == (True, False, False)
    with lock.hold() as again:
        assert again


def test_a_second_holder_waits_and_gives_up(path: Path) -> None:
    one, other = WriterLock(path, 1), WriterLock(path, 0.01)
    with one.hold(), one.hold(), pytest.raises(Locked), other.hold():
        raise AssertionError("never inside")
    with other.hold() as first:
        assert first


def test_leaving_the_inner_context_does_not_unlock(path: Path) -> None:
    one, other = WriterLock(path, 1), WriterLock(path, 0)
    with one.hold():
        with one.hold():
            pass
        with pytest.raises(Locked), other.hold():
            raise AssertionError("never inside")


def test_an_error_inside_unlocks(path: Path) -> None:
    one, other = WriterLock(path, 1), WriterLock(path, 0)
    with pytest.raises(ZeroDivisionError), one.hold():
        raise ZeroDivisionError
    with one.hold(), pytest.raises(Locked), other.hold():
        raise AssertionError("never inside")
    with other.hold() as first:
        assert first


def test_another_thread_is_another_writer(path: Path) -> None:
    lock, answers = WriterLock(path, 0.01), []

    def enter() -> None:
        try:
            with lock.hold():
                answers.append("inside")
        except Locked:
            answers.append("locked")

    with lock.hold():
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert answers == ["locked", "inside"]


def test_a_killed_process_leaves_nothing_to_clean_up(path: Path) -> None:
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(path)],
        env={"PYTHONPATH": root}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as holder:  # fmt: skip
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        with pytest.raises(Locked), WriterLock(path, 0).hold():
            raise AssertionError("never inside")
        holder.kill()
        holder.wait()
        with WriterLock(path, 5).hold() as first:
            assert first


def test_the_lock_file_is_the_owners_and_is_never_deleted(path: Path) -> None:
    with WriterLock(path, 1).hold():
        pass
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_place_where_no_lock_can_be_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for path in (tmp_path / "file" / "lock", tmp_path / "link", tmp_path):
        with pytest.raises(StorageError), WriterLock(path, 0).hold():
            raise AssertionError("never inside")
    assert not (tmp_path / "elsewhere").exists()


def test_the_folder_that_is_locked_is_not_made_anew(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    lock = WriterLock(vault / "state" / "lock", 1.0, within=vault)
    with pytest.raises(StorageError), lock.hold():
        pytest.fail("there is nothing to lock")
    assert not vault.exists()
    vault.mkdir()
    with lock.hold():
        assert (vault / "state" / "lock").exists()


def test_the_time_out_counts_only_while_nothing_moves(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b"")
    held, waiting = (os.open(tmp_path / "lock", os.O_RDWR) for _ in range(2))
    assert take_lock(held)
    moves = 0

    def moved() -> int:
        nonlocal moves
        moves += 1
        if moves == 20:
            os.close(held)
        return moves

    assert not take_lock(waiting, 0.001, lambda: 0)
    assert take_lock(waiting, 0.001, moved) and moves == 20
    os.close(waiting)


def test_those_who_wait_see_what_the_others_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_module, "_SIGN", 0.0)
    ours, theirs = WriterLock(path, 60), WriterLock(path, 60)
    refused = threading.Event()
    try_lock = file_lock._try_lock

    def tried(handle: int) -> bool:
        taken = try_lock(handle)
        if not taken:
            refused.set()
        return taken

    monkeypatch.setattr(file_lock, "_try_lock", tried)

    def seen() -> bool:
        moved = path.stat().st_mtime_ns != 0
        os.utime(path, ns=(0, 0))
        return moved

    with ours.hold():
        seen()
    with ours.hold():
        assert not seen()  # nobody waited, and nothing was done
        with ours.hold():
            assert seen()

        def enter() -> None:
            with theirs.hold():
                pass

        thread = threading.Thread(target=enter)
        thread.start()
        assert refused.wait(60)
    thread.join()
    assert seen()
