"""One schedule for all timers: names with their intervals -> which of them are due.

Pure but for the clock that it is handed. A timer that was late is due once, not as often as it was
missed. When the clock jumped (the machine slept) everything is due, so that nothing waits for the
rest of its interval after a night.
"""

from __future__ import annotations

from collections.abc import Callable

#: a longer gap between two looks than this is no slow task but a sleep, seconds
_SLEPT = 120.0


class Schedule:
    """Timers by name, in the order in which they were given; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._every: dict[str, float] = {}
        self._next: dict[str, float] = {}
        self._looked = clock()

    def every(self, name: str, seconds: float, *, first: float | None = None) -> None:
        """Let a timer be due each so many seconds, from `first` on (by default one interval)."""
        self._every[name] = seconds
        self._next[name] = self._clock() + (seconds if first is None else first)

    def soon(self, name: str) -> None:
        """Let a timer be due now."""
        self._next[name] = self._clock()

    def due(self) -> list[str]:
        """The timers whose time has come; each begins its interval anew."""
        now = self._clock()
        slept = now - self._looked > _SLEPT
        self._looked = now
        found = [name for name, at in self._next.items() if slept or at <= now]
        for name in found:
            self._next[name] = now + self._every[name]
        return found

    def rest(self) -> float:
        """Seconds until the next timer is due."""
        return max(0.0, min(self._next.values(), default=0.0) - self._clock())
