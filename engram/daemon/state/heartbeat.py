"""Heartbeat of the daemon: its present state as one small file that any process may read.

Guarantees: replaced as a whole, at most every few seconds and only when something changed, so that
an idle daemon writes nothing; never in the vault; holds counts, codes, names of sources and
folders, and no content of conversations.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from engram.daemon.state.instance_lock import FOLDER
from engram.model.errors import StorageError
from engram.model.instant import Instant
from engram.settings.user_files import replace

#: least interval of two writes, seconds
_LEAST = 3.0


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """State of the daemon. `unread` is, by source, since when its oldest unread change waits;
    `errors` are the last ones, `(time, task, code)`; `failing` the tasks that fail now, by code.

    `spent_usd` and `spent_tokens` are of today (UTC). `away` are unavailable vaults, with the code.
    """

    pid: int = 0
    since: Instant = ""
    version: str = ""
    last_event: Instant = ""
    queue: int = 0
    pending_turns: int = 0
    spent_usd: float = 0.0
    spent_tokens: int = 0
    errors: list[tuple[Instant, str, str]] = field(default_factory=list)
    failing: dict[str, str] = field(default_factory=dict)
    unread: dict[str, Instant] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)
    vaults: list[str] = field(default_factory=list)
    away: dict[str, str] = field(default_factory=dict)
    paused: list[str] = field(default_factory=list)
    watched: list[str] = field(default_factory=list)
    deaf: list[str] = field(default_factory=list)
    on_battery: bool = False


class HeartbeatFile:
    """The file; `clock` is monotonic, in seconds."""

    def __init__(self, state: Path, clock: Callable[[], float]) -> None:
        self._path = state / FOLDER / "pulse.json"
        self._clock = clock
        self._written: Heartbeat | None = None
        self._at = float("-inf")

    def offer(self, heartbeat: Heartbeat, *, now: bool = False) -> float:
        """Write it if it changed, unless the last write was just now; `now`: in any case.

        Returns in how many seconds to offer it again, infinite when there is nothing to write.
        """
        if heartbeat == self._written:
            return float("inf")
        wait = self._at + _LEAST - self._clock()
        if wait > 0 and not now:
            return wait
        self._at = self._at if now else self._clock()
        try:
            replace(self._path, json.dumps(asdict(heartbeat), indent=1).encode("ascii") + b"\n")
        except StorageError:
            return _LEAST  # the disk is full: readers see an older one
        self._written = heartbeat
        return float("inf")


def read_heartbeat(state: Path) -> Heartbeat | None:
    """The last heartbeat, also of a daemon that ended; None when there is no valid one."""
    try:
        row = json.loads((state / FOLDER / "pulse.json").read_bytes())
        return Heartbeat(**{name: row[name] for name in Heartbeat.__slots__ if name in row})
    except (OSError, ValueError, TypeError):
        return None
