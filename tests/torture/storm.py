"""`make torture`: more files at once than the kernel's queue holds events, and a slow reader.

The daemon stands still while the files are made, so that events are lost for certain (its own log
says so). What it knows in the end is compared with a listing of the folder, by content.
"""

from __future__ import annotations

import hashlib
import signal
import time
from collections.abc import Mapping
from pathlib import Path

from engram.vault import Vault
from tests.accounting import account, said
from tests.background import Background, cpu_seconds, memory_mb, say, settle_down
from tests.effort import EFFORT

_FILES = 5000 * EFFORT
_SESSIONS = 10 * EFFORT
#: for all of it, seconds
_LONGEST = 900.0
#: files of one folder
_TOGETHER = 5000
_QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
_NOTE = """---
id: note-{number}
category: fact
status: active
created: 2026-03-06T10:00:00Z
---
Shelf {number} of the cellar holds {other} oak boards.
"""


def test_a_storm_of_files_is_taken_up_whole(tmp_path: Path, environment: dict[str, str]) -> None:
    print(stormed(tmp_path, environment, _FILES, _SESSIONS))


def stormed(home: Path, environment: Mapping[str, str], files: int, sessions: int) -> str:
    """Make so many files while the daemon stands still, and let it go on; what was counted."""
    root, queue = home / "vault", int(_QUEUE.read_text("ascii"))
    Vault.create(root, environment=environment).close()
    with Background(home, root, environment) as daemon:
        daemon.start()
        daemon.wait_until_it_runs()
        for number in range(sessions):
            say(daemon.projects, f"session-{number}", [number])
        daemon.wait_until_done(range(sessions))
        # folders that it watches already: of what is made in others no event would come
        for number in range(0, files, _TOGETHER):
            (root / _day(number)).mkdir()
        settle_down(daemon.pid)
        daemon.signal(signal.SIGSTOP)
        _make(root, files)
        for number in range(sessions):
            say(daemon.projects, f"session-{number}", [number + sessions])
        began, cpu = time.monotonic(), cpu_seconds(daemon.pid)
        daemon.signal(signal.SIGCONT)
        daemon.wait_until_done(range(2 * sessions))
        with Vault.open(root, environment=environment) as reader:
            counts = reader.parts.catalog.status_counts
            daemon.wait_for(lambda: sum(counts().values()) >= files, _LONGEST)
        settle_down(daemon.pid, _LONGEST)
        seconds, cpu = time.monotonic() - began, cpu_seconds(daemon.pid) - cpu
        peak, lost = memory_mb(daemon.pid), daemon.events("events_lost")
        daemon.stop()
        errors = [row for row in daemon.log() if row["level"] == "error"]
        unsealed = daemon.events("not_sealed")
    assert (errors, unsealed) == ([], [])
    # a file makes three events: made, written, closed
    assert bool(lost) == (queue < 3 * files)
    with Vault.open(root, environment=environment) as after:
        rows = after.parts.catalog.files().values()
        assert {row.path: row.sha for row in rows} == _listing(root)
        assert after.doctor() == []
        after.flush()
    account(root, [said(number) for number in range(2 * sessions)], settled=True)
    assert peak < 300
    return (
        f"{files} files and {sessions} transcripts, queue of {queue}, events lost"
        f" {len(lost)} times: all taken up {seconds:.0f} s later with {cpu:.0f} s of CPU,"
        f" peak {peak:.0f} MB"
    )


def _make(root: Path, files: int) -> None:
    """Notes by hand."""
    for number in range(files):
        body = _NOTE.format(number=number, other=number * 7 % 1000)
        (root / _day(number) / f"note-{number}.md").write_text(body, encoding="utf-8")


def _day(number: int) -> str:
    return f"facts/2026-03-{number // _TOGETHER + 1:02d}"


def _listing(root: Path) -> dict[str, str]:
    """What is in the folders of content, by content."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for top in ("facts", "archive", "entities", "boxes", "summaries")
        for path in (root / top).rglob("*.md")
    }
