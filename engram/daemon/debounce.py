"""Dirt: paths that something may have happened to, until they have been quiet for a moment.

Turns hints (events, which get lost and come twice) into the paths to look at, each once, when
nothing has been written to it for a while, or at least every few seconds where writing never ends.
`lose` says that hints were lost: then everything has to be looked at. Safe for the thread that
marks and the one that takes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

#: a path that is never quiet is looked at so long after it was first marked, seconds
_MOST = 5.0


class Debouncer:
    """What is to be looked at; `clock` gives seconds that never go back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        #: when a path was marked first and last
        self._marked: dict[Path, tuple[float, float]] = {}
        self._lost = False
        self._guard = threading.Lock()
        self._wake = threading.Event()

    def mark(self, path: Path) -> None:
        """Something may have happened to a path, now."""
        now = self._clock()
        with self._guard:
            self._marked[path] = (self._marked.get(path, (now, now))[0], now)
        self._wake.set()

    def lose(self) -> None:
        """Hints were lost: nobody knows what happened."""
        with self._guard:
            self._lost = True
        self._wake.set()

    def wake(self) -> None:
        """End a wait without any news."""
        self._wake.set()

    def wait(self, seconds: float) -> None:
        """Until there is news, or so long."""
        self._wake.wait(seconds)
        self._wake.clear()

    def take_lost(self) -> bool:
        """Whether hints were lost since this was last asked."""
        with self._guard:
            lost, self._lost = self._lost, False
        return lost

    def take_quiet(self, quiet: float) -> list[Path]:
        """The marked paths to which nothing has happened for so many seconds, sorted."""
        now = self._clock()
        with self._guard:
            ripe = sorted(path for path, at in self._marked.items() if _ripe(at, quiet) <= now)
            for path in ripe:
                del self._marked[path]
        return ripe

    def rest(self, quiet: float) -> float | None:
        """Seconds until the next marked path will have been quiet so long; None when none is."""
        with self._guard:
            times = [_ripe(at, quiet) for at in self._marked.values()]
        return max(0.0, min(times) - self._clock()) if times else None

    def __len__(self) -> int:
        """How many paths wait to be looked at."""
        with self._guard:
            return len(self._marked)


def _ripe(at: tuple[float, float], quiet: float) -> float:
    """When a path that was marked first and last at these times is to be looked at."""
    return min(at[1] + quiet, at[0] + _MOST)
