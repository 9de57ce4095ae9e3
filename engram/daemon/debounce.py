"""Debouncer: paths that events named, released once nothing was written to them for a moment.

Turns hints (events get lost and come twice) into the paths to look at, each once, when nothing has
been written to it for a while, or at least every few seconds where writing never ends. `lose` says
that hints were lost: then everything has to be scanned. Safe for one thread that marks and one that
takes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

#: a path that is written to without a pause is released so long after its first mark, seconds
_MOST = 5.0


class Debouncer:
    """The paths to look at; `clock` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        #: when a path was marked first and last
        self._marked: dict[Path, tuple[float, float]] = {}
        self._lost = False
        self._guard = threading.Lock()
        self._wake = threading.Event()

    def mark(self, path: Path) -> None:
        """A path may have changed, now."""
        now = self._clock()
        with self._guard:
            self._marked[path] = (self._marked.get(path, (now, now))[0], now)
        self._wake.set()

    def lose(self) -> None:
        """Hints were lost: a full scan is needed."""
        with self._guard:
            self._lost = True
        self._wake.set()

    def wake(self) -> None:
        """End a `wait` although no path was marked."""
        self._wake.set()

    def wait(self, seconds: float) -> None:
        """Block until a path is marked, or for so many seconds."""
        self._wake.wait(seconds)
        self._wake.clear()

    def take_lost(self) -> bool:
        """Whether hints were lost since the last call."""
        with self._guard:
            lost, self._lost = self._lost, False
        return lost

    def take_quiet(self, quiet: float) -> list[Path]:
        """Remove and return the marked paths that did not change for `quiet` seconds, sorted."""
        now = self._clock()
        with self._guard:
            ripe = sorted(
                path for path, at in self._marked.items() if _release_time(at, quiet) <= now
            )
            for path in ripe:
                del self._marked[path]
        return ripe

    def rest(self, quiet: float) -> float | None:
        """Seconds until a marked path will have been unchanged for `quiet`; None without any."""
        with self._guard:
            times = [_release_time(at, quiet) for at in self._marked.values()]
        return max(0.0, min(times) - self._clock()) if times else None

    def __len__(self) -> int:
        """How many paths are marked."""
        with self._guard:
            return len(self._marked)


def _release_time(at: tuple[float, float], quiet: float) -> float:
    """When a path that was marked first and last at these times is released."""
    return min(at[1] + quiet, at[0] + _MOST)
