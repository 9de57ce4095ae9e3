"""Single-instance lock of the daemon: held for its whole life, with the pid of the holder.

Guarantees: at most one process of the user holds it; a killed process frees it, whatever its note
still says, and the note is believed only while the lock is held. Refuses a second holder (Locked).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from engram.model.errors import Locked
from engram.store.base.lock import WriterLock

FOLDER = "daemon"
#: how long to try: a process that only asks for the holder has the lock for a moment, seconds
_PATIENCE = 0.5


class InstanceLock:
    """The lock in a user's state folder."""

    def __init__(self, state: Path) -> None:
        self._path = state / FOLDER / "lock"

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold the lock until the block ends. Raises Locked when another process does."""
        with ExitStack() as stack:
            try:
                stack.enter_context(WriterLock(self._path, _PATIENCE).hold())
            except Locked as error:
                raise Locked(
                    f"the daemon is running already (process {self.holder()})",
                    "`engram daemon status` shows it, `engram daemon stop` ends it",
                ) from error
            self._note({"pid": os.getpid()})
            try:
                yield
            finally:
                self._note({})

    def holder(self) -> int:
        """The process that holds the lock, 0 for none."""
        if not self._path.exists():
            return 0
        try:
            with WriterLock(self._path, 0.0).hold():
                return 0
        except Locked:
            return self._noted()

    def _note(self, note: dict[str, int]) -> None:
        # through another handle: flock belongs to the one that took it
        self._path.write_text(json.dumps(note) + "\n", encoding="ascii")

    def _noted(self) -> int:
        try:
            note = json.loads(self._path.read_bytes())
            return int(note.get("pid", 0))
        except (OSError, ValueError, AttributeError, TypeError):
            return 0  # it has taken the lock and not yet written its note
