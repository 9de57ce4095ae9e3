"""Spool of hook notifications: a transcript has grown -> one line in the user's state folder.

A hook has no time to read a transcript, and must not wait for a lock or a model: it records where
the transcript lies, and `engram hook catch-up` (or the daemon) imports it later. Nothing is lost
without it: a transcript can be imported at any time. Guarantees: a line is appended in one write
and holds no word of a conversation; the file is readable for the user alone and bounded in size. A
notification is taken once, and put back when its import fails.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

#: an unread spool stops growing here, bytes: its lines repeat each other
_MOST_BYTES = 262_144
_FOLDER, _SPOOL, _TROUBLE = "hooks", "spool.jsonl", "trouble.jsonl"
#: the event of a conversation that has ended
ENDED = "session-end"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class TranscriptNotice:
    """Notification that a transcript has grown: its source, its path and its vault."""

    time: str
    event: str
    source: str
    path: str
    vault: str


def spool(state: Path, notice: TranscriptNotice) -> None:
    """Append a notification."""
    _append(state / _FOLDER / _SPOOL, asdict(notice))


def record_failure(state: Path, time: str, event: str, code: str) -> None:
    """Record a failed hook: when, which, and its error code; no content."""
    _append(state / _FOLDER / _TROUBLE, {"time": time, "event": event, "code": code})


def hook_failures(state: Path) -> tuple[int, Path]:
    """How many hooks failed since the file was last removed, and the file."""
    path = state / _FOLDER / _TROUBLE
    return len(_lines(path)), path


def noted(state: Path) -> list[TranscriptNotice]:
    """The notifications that wait to be taken, one a transcript and vault."""
    return _notices(state / _FOLDER / _SPOOL)


def take(state: Path) -> list[TranscriptNotice]:
    """Take all notifications, one a transcript and vault, and remove them.

    Of two processes that take at once only one gets each of them.
    """
    path = state / _FOLDER / _SPOOL
    mine = path.with_name(f"{_SPOOL}.{os.getpid()}")
    try:
        os.replace(path, mine)
    except FileNotFoundError:
        return []
    try:
        return _notices(mine)
    finally:
        mine.unlink(missing_ok=True)


def put_back(state: Path, notices: Iterable[TranscriptNotice]) -> None:
    """Put notifications back whose import failed."""
    for notice in notices:
        spool(state, notice)


def _append(path: Path, row: dict[str, str]) -> None:
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    handle = os.open(path, _FLAGS, 0o600)
    try:
        if os.fstat(handle).st_size < _MOST_BYTES:
            os.write(handle, json.dumps(row).encode("ascii") + b"\n")
    finally:
        os.close(handle)


def _notices(path: Path) -> list[TranscriptNotice]:
    found: dict[tuple[str, str, str], TranscriptNotice] = {}
    for line in _lines(path):
        with suppress(ValueError, TypeError):
            row = json.loads(line)
            notice = TranscriptNotice(
                **{name: str(row[name]) for name in TranscriptNotice.__slots__ if name in row}
            )
            found[notice.source, notice.path, notice.vault] = notice
    return list(found.values())


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except OSError:
        return []
