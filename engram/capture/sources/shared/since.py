"""High-water mark of a database source: milliseconds since 1970, kept in the reading's state.

Only what is new since the last reading is asked for, but the day before the latest time that was
seen is always read again: what is written late, or was left because it was still growing, is
found then, and digests keep copies out. A time in the future counts as now.
"""

from __future__ import annotations

from engram.capture.clean import remember
from engram.model.instant import moment_of
from engram.model.ports import SourceReading

DAY = 86_400_000
_KEY = "since"
#: More digits are no time that anything could have been read until.
_DIGITS = 15


class Since:
    """The latest time that was seen: at the last reading, and so far in this one."""

    def __init__(self, reading: SourceReading) -> None:
        self._state = reading.state
        self.now = int(moment_of(reading.clock.now()).timestamp()) * 1000
        known = self._state.get(_KEY, "")
        sound = known.isascii() and known.isdigit() and len(known) <= _DIGITS
        self._newest = int(known) if sound else 0
        #: what is older was read for good
        self.start = max(0, self._newest - DAY)

    def is_new(self, time: object) -> bool:
        """Whether what changed at that time is to be read; what has no time always is."""
        if not isinstance(time, int) or time <= 0:
            return True
        self._newest = max(self._newest, time)
        return time >= self.start

    def settle(self) -> None:
        """Note how far this reading went, when all that is new has been read."""
        remember(self._state, _KEY, str(min(self._newest, self.now)))
