"""Schedule of all timers: names with intervals -> the names that are due.

Pure but for the clock that is passed in. A timer that was late is due once, not once for each
interval missed. `pace` stretches every interval (on battery); a timer asked for with `soon` does
not wait longer than asked.
"""

from __future__ import annotations

from collections.abc import Callable


class Schedule:
    """Timers by name, in the order in which they were added; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._every: dict[str, float] = {}
        self._next: dict[str, float] = {}
        self.pace = 1.0

    def every(self, name: str, seconds: float, *, first: float | None = None) -> None:
        """Add a timer that is due each so many seconds, from `first` on (by default one interval).

        An infinite interval makes it due only on request.
        """
        self._every[name] = seconds
        self._next[name] = self._clock() + (seconds * self.pace if first is None else first)

    def drop(self, name: str) -> None:
        """Remove a timer."""
        self._every.pop(name, None)
        self._next.pop(name, None)

    def soon(self, name: str, seconds: float = 0.0) -> None:
        """Make a timer due in so many seconds at the latest."""
        self._next[name] = min(self._next[name], self._clock() + seconds)

    def later(self, name: str, seconds: float) -> None:
        """Make a timer due in so many seconds and not before."""
        self._next[name] = self._clock() + seconds

    def all_soon(self) -> None:
        """Make every timer due now, as after a sleep of unknown length."""
        now = self._clock()
        self._next = dict.fromkeys(self._next, now)

    def due(self) -> list[str]:
        """The timers that are due; each starts its interval again."""
        now = self._clock()
        found = [name for name, at in self._next.items() if at <= now]
        for name in found:
            self._next[name] = now + self._every[name] * self.pace
        return found

    def rest(self) -> float:
        """Seconds until the next timer is due."""
        return max(0.0, min(self._next.values(), default=0.0) - self._clock())
