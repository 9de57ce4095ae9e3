"""Event log of the daemon: one JSON line an event, without any content of conversations.

Turns a level, the name of an event and its details (counts, codes, names of sources, folders) into
`{"time", "level", "event", ...}` in a rotated file, and into a plain line for the terminal.
Guarantees: content is never logged, the file is readable for the user alone and bounded, and a full
disk ends nothing.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Literal

from engram.model.ports import Clock

Level = Literal["info", "warning", "error"]
#: bytes of one file, and the number of files
MOST_BYTES, FILES = 5_000_000, 3
#: details that a plain line shows in another way, or not at all
_SAID_OTHERWISE = frozenset({"time", "level", "event", "machine"})
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)


class EventLog(logging.Handler):
    """One log; also the handler of the program's own warnings, of which it keeps only the origin.

    `echo` is called with each event as a plain line; `machine` stands in each row, so that logs of
    several machines can be brought together.
    """

    def __init__(
        self, path: Path, clock: Clock, echo: Callable[[str], None], machine: str = ""
    ) -> None:
        super().__init__(logging.WARNING)
        self._machine = {"machine": machine} if machine else {}
        self._path = path
        self._clock = clock
        self._echo = echo

    def note(self, event: str, level: Level = "info", **details: str | int) -> None:
        """Append an event."""
        now = self._clock.now()
        row: dict[str, str | int] = {
            "time": now,
            "level": level,
            "event": event,
            **details,
            **self._machine,
        }
        with suppress(OSError):  # a full disk is in the status; there is nowhere else to report it
            self._append(json.dumps(row).encode("ascii") + b"\n")
        self._echo(plain(row))

    def emit(self, record: logging.LogRecord) -> None:
        """A warning of the program itself: its message may quote content, so it is left out."""
        self.note("warned", "warning", where=f"{record.name}:{record.lineno}")

    def _append(self, line: bytes) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._path, _FLAGS, 0o600)
        try:
            full = os.fstat(handle).st_size + len(line) > MOST_BYTES
            if not full:
                os.write(handle, line)
        finally:
            os.close(handle)
        if full:
            names = [self._path, *(_older(self._path, age) for age in range(1, FILES))]
            for newer, older in reversed(list(pairwise(names))):
                with suppress(FileNotFoundError):
                    os.replace(newer, older)
            self._append(line)


def read_log(path: Path) -> Iterator[dict[str, str | int]]:
    """The events of a log and of its rotated files, oldest first; torn lines are left out."""
    for name in [*(_older(path, age) for age in range(FILES - 1, 0, -1)), path]:
        try:
            lines = name.read_bytes().splitlines()
        except OSError:
            continue
        yield from rows_of(lines)


def rows_of(lines: list[bytes]) -> Iterator[dict[str, str | int]]:
    """The events of some lines."""
    for line in lines:
        with suppress(ValueError):
            row = json.loads(line)
            if isinstance(row, dict) and "event" in row:
                yield row


def plain(row: dict[str, str | int]) -> str:
    """`2026-03-06T12:00:00Z took source=codex turns=3`."""
    rest = {name: value for name, value in row.items() if name not in _SAID_OTHERWISE}
    level = str(row.get("level", "info"))
    head = [str(row.get("time", "")), *([] if level == "info" else [f"{level}:"])]
    return " ".join([*head, str(row["event"]), *(f"{name}={rest[name]}" for name in rest)])


def _older(path: Path, age: int) -> Path:
    return path.with_name(f"{path.name}.{age}")
