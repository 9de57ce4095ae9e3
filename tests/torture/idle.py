"""`make torture`: a daemon that has nothing to do, beside a large vault.

It uses next to no processor and memory, and writes nothing, in the vault or beside it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from watchdog.events import (
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from engram.vault import Vault
from tests.background import Background, cpu_seconds, memory_mb, settle_down
from tests.effort import EFFORT
from tests.kit import takes_every_turn, turns

_MEMORIES = 1000 * EFFORT
_SECONDS = 60.0 * EFFORT


class Writes(FileSystemEventHandler):
    """Everything that was written below a folder."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Not that somebody looked."""
        if isinstance(
            event, FileCreatedEvent | FileModifiedEvent | FileDeletedEvent | FileMovedEvent
        ):
            self.seen.append(f"{event.event_type} {os.fsdecode(event.src_path)}")


def test_a_daemon_with_nothing_to_do_does_nothing(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    print(left_alone(tmp_path, environment, _MEMORIES, _SECONDS))


def left_alone(home: Path, environment: Mapping[str, str], memories: int, seconds: float) -> str:
    """Let a daemon have nothing to do for so long; what it took."""
    root = home / "vault"
    with takes_every_turn(Vault.create(root, environment=environment)) as vault:
        for first in range(0, memories, 1000):
            vault.capture(turns(min(1000, memories - first), session=f"s{first}", first=first))
        vault.flush()
        assert len(vault.parts.catalog.files()) >= memories
    with Background(home, root, environment) as daemon:
        daemon.start()
        daemon.wait_until_it_runs()
        settle_down(daemon.pid)
        writes, observer = Writes(), Observer()
        observer.schedule(writes, str(root), recursive=True)
        observer.start()
        stats, cpu, began = _stats(home), cpu_seconds(daemon.pid), time.monotonic()
        time.sleep(seconds)
        share = (cpu_seconds(daemon.pid) - cpu) / (time.monotonic() - began)
        touched = _stats(home) ^ stats
        observer.stop()
        observer.join()
        now, peak = memory_mb(daemon.pid, "VmRSS"), memory_mb(daemon.pid)
        daemon.stop()
    assert writes.seen == []
    assert touched == set()
    assert share < 0.005
    assert now < 120
    return (
        f"{memories} memories, idle for {seconds:.0f} s: {share:.3%} of a processor,"
        f" {now:.0f} MB, {peak:.0f} MB at most, {len(writes.seen)} writes in the vault,"
        f" {len(touched)} files touched"
    )


def _stats(folder: Path) -> set[tuple[str, int, int]]:
    """Name, size and time of everything in a folder."""
    return {
        (str(path), status.st_size, status.st_mtime_ns)
        for path in folder.rglob("*")
        for status in [path.lstat()]
    }
