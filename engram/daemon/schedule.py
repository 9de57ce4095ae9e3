"""One schedule for all timers: names with their intervals -> which of them are due.

Pure but for the clock that it is handed. A timer that was late is due once, not as often as it was
missed. `pace` stretches every interval (on battery); what is asked for `soon` does not wait longer.
"""

from __future__ import annotations

from collections.abc import Callable


class Schedule:
    """Timers by name, in the order in which they were given; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._every: dict[str, float] = {}
        self._next: dict[str, float] = {}
        self.pace = 1.0

    def every(self, name: str, seconds: float, *, first: float | None = None) -> None:
        """Let a timer be due each so many seconds, from `first` on (by default one interval).

        An infinite interval is for what is only due when it is asked for.
        """
        self._every[name] = seconds
        self._next[name] = self._clock() + (seconds * self.pace if first is None else first)

    def drop(self, name: str) -> None:
        """Forget a timer."""
        self._every.pop(name, None)
        self._next.pop(name, None)

    def soon(self, name: str, seconds: float = 0.0) -> None:
        """Let a timer be due in so many seconds at the latest."""
        self._next[name] = min(self._next[name], self._clock() + seconds)

    def later(self, name: str, seconds: float) -> None:
        """Let a timer be due in so many seconds and not before."""
        self._next[name] = self._clock() + seconds

    def all_soon(self) -> None:
        """Let every timer be due now: nobody knows how long the machine slept."""
        now = self._clock()
        self._next = dict.fromkeys(self._next, now)

    def due(self) -> list[str]:
        """The timers whose time has come; each begins its interval anew."""
        now = self._clock()
        found = [name for name, at in self._next.items() if at <= now]
        for name in found:
            self._next[name] = now + self._every[name] * self.pace
        return found

    def rest(self) -> float:
        """Seconds until the next timer is due."""
        return max(0.0, min(self._next.values(), default=0.0) - self._clock())
