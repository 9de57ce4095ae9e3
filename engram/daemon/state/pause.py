"""Pause of capture: a small file that every step of the daemon reads.

It outlives the daemon: capture stays paused until `engram daemon resume`. A file that cannot be
parsed pauses nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engram.daemon.state.instance_lock import FOLDER
from engram.settings.user_files import replace


@dataclass(frozen=True, slots=True)
class Paused:
    """Everything, or the sources of these names."""

    everything: bool = False
    sources: frozenset[str] = frozenset()

    def covers(self, source: str) -> bool:
        """Whether a source is not to be read."""
        return self.everything or source in self.sources


def read(state: Path) -> Paused:
    """What is paused."""
    try:
        row = json.loads(_path(state).read_bytes())
        return Paused(bool(row["everything"]), frozenset(map(str, row["sources"])))
    except (OSError, ValueError, KeyError, TypeError):
        return Paused()


def pause(state: Path, sources: Iterable[str]) -> Paused:
    """Pause these sources, or without any everything; returns what is paused then."""
    before, more = read(state), frozenset(sources)
    return _write(state, Paused(before.everything or not more, before.sources | more))


def resume(state: Path, sources: Iterable[str]) -> Paused:
    """Resume these sources, or without any everything; returns what is paused then."""
    before, less = read(state), frozenset(sources)
    return _write(state, Paused(before.everything, before.sources - less) if less else Paused())


def _write(state: Path, paused: Paused) -> Paused:
    path = _path(state)
    if paused == Paused():
        path.unlink(missing_ok=True)
    else:
        row = {"everything": paused.everything, "sources": sorted(paused.sources)}
        replace(path, json.dumps(row).encode("ascii") + b"\n")
    return paused


def _path(state: Path) -> Path:
    return Path(os.fspath(state), FOLDER, "paused.json")
