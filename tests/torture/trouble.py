"""`make torture`: a full disk, a read-only one, no permission, and a vault that is moved away.

Each is done to the running daemon while an agent goes on speaking. It says what is wrong, goes on
by itself when it is over, and has lost nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engram.vault import Vault
from tests.accounting import account, said
from tests.background import Background, say, settle_down

#: a full disk is made of a small one; a file that root may not touch of a right that it gives up
_SMALL = ["mount", "-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs"]
_WITHOUT_RIGHTS = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


@contextmanager
def _disk(folder: Path) -> Iterator[Path]:
    """A small disk of its own, mounted at a folder; skips where nobody may mount."""
    folder.mkdir()
    if not shutil.which("mount") or subprocess.run([*_SMALL, str(folder)], check=False).returncode:
        pytest.skip("only where a small disk can be mounted")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


class Episode:
    """A daemon beside a vault, and a conversation that goes on."""

    def __init__(self, daemon: Background) -> None:
        self.daemon = daemon
        self.count = 0

    def say(self, count: int = 20) -> None:
        """More turns."""
        say(self.daemon.projects, "session", range(self.count, self.count + count))
        self.count += count

    def say_and_wait(self) -> None:
        """More turns, which arrive."""
        self.say()
        self.daemon.wait_until_done(range(self.count))

    def check(self, what: str, told: object, began: float) -> None:
        """Everything is accounted for; prints what the daemon told of it."""
        waited = time.monotonic() - began
        environment = self.daemon.environment
        self.daemon.stop()
        with Vault.open(self.daemon.root, environment=environment) as after:
            after.flush()
            assert after.doctor() == []
        account(self.daemon.root, [said(number) for number in range(self.count)], settled=True)
        errors = [row for row in self.daemon.log() if row["level"] == "error"]
        assert not errors, errors[:3]
        print(f"{what}: told as {told}, over {waited:.0f} s after it was", file=sys.stderr)


@contextmanager
def _episode(
    home: Path, root: Path, environment: dict[str, str], prefix: tuple[str, ...] = ()
) -> Iterator[Episode]:
    Vault.create(root, environment=environment).close()
    with Background(home, root, environment, prefix) as daemon:
        daemon.start()
        daemon.wait_until_it_runs()
        episode = Episode(daemon)
        episode.say_and_wait()
        yield episode


def _failing(daemon: Background) -> dict[str, str]:
    """What does not go at present, by the daemon's own word."""
    daemon.wait_for(lambda: daemon.heartbeat.failing)
    return daemon.heartbeat.failing


def test_a_full_disk_is_told_and_outlived(tmp_path: Path, environment: dict[str, str]) -> None:
    with _disk(tmp_path / "disk") as disk, _episode(tmp_path, disk / "v", environment) as episode:
        _fill(disk / "filler")
        episode.say(200)
        told = _failing(episode.daemon)
        assert set(told.values()) == {"StorageError"}
        (disk / "filler").unlink()
        began = time.monotonic()
        episode.say_and_wait()
        episode.check("full disk", told, began)


def _fill(path: Path) -> None:
    """To the last block."""
    with open(path, "wb", buffering=0) as stream:
        for size in (65_536, 4096, 1):
            try:
                while stream.write(b"x" * size):
                    pass
            except OSError:
                continue


def test_a_read_only_disk_is_told_and_outlived(tmp_path: Path, environment: dict[str, str]) -> None:
    with _disk(tmp_path / "disk") as disk, _episode(tmp_path, disk / "v", environment) as episode:
        _remount(disk, "ro")
        episode.say()
        told = _failing(episode.daemon)
        assert set(told.values()) == {"StorageError"}
        _remount(disk, "rw")
        began = time.monotonic()
        episode.say_and_wait()
        episode.check("read-only disk", told, began)


def _remount(disk: Path, how: str) -> None:
    end = time.monotonic() + 30
    command = ["mount", "-o", f"remount,{how}", str(disk)]
    while subprocess.run(command, capture_output=True, check=False).returncode:
        assert time.monotonic() < end  # a file is open for writing this very moment
        time.sleep(0.05)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_lost_permission_is_told_and_outlived(tmp_path: Path, environment: dict[str, str]) -> None:
    mighty = os.getuid() == 0
    if mighty and not shutil.which("setpriv"):
        pytest.skip("root may do everything")
    prefix = tuple(_WITHOUT_RIGHTS) if mighty else ()
    root = tmp_path / "vault"
    with _episode(tmp_path, root, environment, prefix) as episode:
        folders = [root, *(path for path in sorted(root.rglob("*")) if path.is_dir())]
        for folder in folders:
            folder.chmod(0o500)
        episode.say()
        told = _failing(episode.daemon)
        assert set(told.values()) == {"StorageError"}
        for folder in folders:
            folder.chmod(0o700)
        began = time.monotonic()
        episode.say_and_wait()
        episode.check("no permission", told, began)


def test_a_vault_that_is_moved_away_is_waited_for(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root, elsewhere = tmp_path / "vault", tmp_path / "elsewhere"
    with _episode(tmp_path, root, environment) as episode:
        daemon = episode.daemon
        root.rename(elsewhere)
        episode.say()
        daemon.wait_for(lambda: daemon.heartbeat.away)
        told = daemon.heartbeat.away
        assert told == {str(root): "NotFound"}
        assert not root.exists()
        elsewhere.rename(root)
        began = time.monotonic()
        episode.say_and_wait()
        episode.check("moved away", "away", began)


def test_another_vault_in_its_place_is_let_alone(
    tmp_path: Path, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    root, elsewhere = tmp_path / "mine", tmp_path / "elsewhere"
    with open_vault("other") as other:
        theirs = other.root
    with _episode(tmp_path, root, environment) as episode:
        daemon = episode.daemon
        # what is under way goes by paths: nobody can swap folders below it without a trace
        settle_down(daemon.pid)
        root.rename(elsewhere)
        theirs.rename(root)
        before = set(root.rglob("*"))
        episode.say()
        daemon.wait_for(lambda: daemon.heartbeat.away)
        told = dict(daemon.heartbeat.away)
        time.sleep(1)
        assert set(root.rglob("*")) - before == set()
        root.rename(theirs)
        elsewhere.rename(root)
        began = time.monotonic()
        episode.say_and_wait()
        episode.check("another in its place", told, began)
