"""Clocks: the system's, or the fixed one that ENGRAM_CLOCK sets (tests, demos, replays)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime

from engram.model.errors import ConfigError
from engram.model.instant import Instant, instant_of


class SystemClock:
    """Now, in whole seconds of UTC."""

    def now(self) -> Instant:
        """The present."""
        return instant_of(datetime.now(UTC))

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def seconds(self) -> float:
        """What durations are measured by: seconds that only go on."""
        return time.monotonic()


class FixedClock:
    """A clock that always shows one instant."""

    def __init__(self, instant: Instant) -> None:
        self._instant = instant_of(instant)

    def now(self) -> Instant:
        """Always the same instant."""
        return self._instant

    def sleep(self, seconds: float) -> None:
        """Return at once: time does not pass."""

    def seconds(self) -> float:
        """Always the same: nothing takes any time."""
        return 0.0


def clock_of(environment: Mapping[str, str]) -> SystemClock | FixedClock:
    """FixedClock when ENGRAM_CLOCK is set, else SystemClock; raises ConfigError for no instant."""
    wanted = environment.get("ENGRAM_CLOCK", "")
    if not wanted:
        return SystemClock()
    try:
        return FixedClock(wanted)
    except ValueError as error:
        raise ConfigError(
            f"ENGRAM_CLOCK={wanted!r} is not a time", "write it like 2026-03-06T10:10:00Z"
        ) from error
