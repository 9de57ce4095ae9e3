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
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import chain, count
from pathlib import Path

#: an unread spool stops growing here, bytes: its lines repeat each other
_MOST_BYTES = 262_144
FOLDER = "hooks"
#: what the last catch-up did
LAST = f"{FOLDER}/catch-up.json"
_SPOOL, _TROUBLE, _LOCK = "spool.jsonl", "trouble.jsonl", "taking.lock"
#: the events of a conversation that begins, and of one that has ended
STARTED, ENDED = "session-start", "session-end"
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
    _append(state / FOLDER / _SPOOL, asdict(notice))


def record_failure(state: Path, time: str, event: str, code: str) -> None:
    """Record a failed hook: when, which, and its error code; no content."""
    _append(state / FOLDER / _TROUBLE, {"time": time, "event": event, "code": code})


def hook_failures(state: Path) -> tuple[int, Path]:
    """How many hooks failed since the file was last removed, and the file."""
    path = state / FOLDER / _TROUBLE
    return len(_lines(path)), path


def noted(state: Path) -> list[TranscriptNotice]:
    """The notifications that wait to be taken or are being taken, one a transcript and vault."""
    return _notices(_files(state))


def something_waits(state: Path) -> bool:
    """Whether there is any notification; the quick answer."""
    try:
        return any(name.startswith(_SPOOL) for name in os.listdir(state / FOLDER))
    except OSError:
        return False


@contextmanager
def taken(state: Path, patience: float = 0.0) -> Iterator[list[TranscriptNotice]]:
    """All notifications, one a transcript and vault; those still in the list at the end wait on.

    Raises Locked where another process takes them, after `patience` seconds.
    """
    # imported here: a hook only appends
    from engram.model.errors import Locked
    from engram.store.base.lock import WriterLock

    folder = state / FOLDER
    with ExitStack() as stack:
        try:
            stack.enter_context(WriterLock(folder / _LOCK, patience).hold(patience))
        except Locked as error:
            raise Locked(
                "another process takes in what agents noted",
                "`engram status` shows when it is done",
            ) from error
        names = (folder / f"{_SPOOL}.{number}" for number in count())
        with suppress(FileNotFoundError):
            os.replace(folder / _SPOOL, next(path for path in names if not path.exists()))
        # what a killed process had taken is there too: nobody else is here
        files = _files(state)[:-1]
        waiting = _notices(files)
        try:
            yield waiting
        finally:
            _keep(files, waiting)


def _keep(files: list[Path], waiting: list[TranscriptNotice]) -> None:
    """What waits on stays before what was appended meanwhile, which may tell more of it."""
    # imported here: a hook only appends
    from engram.settings.user_files import replace

    kept = files[:1] if waiting else []
    for path in kept:
        lines = (json.dumps(asdict(one)).encode("ascii") + b"\n" for one in waiting)
        replace(path, b"".join(lines))
    for path in files[len(kept) :]:
        path.unlink(missing_ok=True)


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


def _files(state: Path) -> list[Path]:
    """What was taken, and then what was appended since."""
    folder = state / FOLDER
    return [*sorted(folder.glob(f"{_SPOOL}.[0-9]*")), folder / _SPOOL]


def _notices(files: Iterable[Path]) -> list[TranscriptNotice]:
    """The last notification of each transcript and vault."""
    found: dict[tuple[str, str, str], TranscriptNotice] = {}
    for line in chain.from_iterable(map(_lines, files)):
        with suppress(ValueError, TypeError):
            row = json.loads(line)
            notice = TranscriptNotice(
                **{name: str(row[name]) for name in TranscriptNotice.__slots__ if name in row}
            )
            key = notice.source, notice.path, notice.vault
            if key not in found or found[key].time <= notice.time:
                found[key] = notice
    return list(found.values())


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except OSError:
        return []
