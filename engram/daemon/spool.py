"""Pokes: a host's word that a transcript has grown -> one line in the person's state folder.

A hook has no time to read a transcript, and must not wait for a lock or a model: it writes down
where the transcript lies, and `engram hook catch-up` (or whatever keeps the vault up) takes it in
later. Nothing is lost without it: a transcript can be imported at any time. Guarantees: a line is
appended in one write and holds no word of a conversation; the file is the person's alone and never
grows beyond a bound. What is taken is taken once, and given back when taking in fails.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

#: a spool that nobody reads stops here, bytes: each line says the same as the one before it
_MOST_BYTES = 262_144
_FOLDER, _SPOOL, _TROUBLE = "hooks", "spool.jsonl", "trouble.jsonl"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class TranscriptPoke:
    """One transcript that has grown: of which source, where it lies, for which vault."""

    time: str
    event: str
    source: str
    path: str
    vault: str


def spool(state: Path, poke: TranscriptPoke) -> None:
    """Write a poke down."""
    _append(state / _FOLDER / _SPOOL, asdict(poke))


def note_trouble(state: Path, time: str, event: str, code: str) -> None:
    """Count a hook that failed: when, which, and the stable name of why; no words of anybody."""
    _append(state / _FOLDER / _TROUBLE, {"time": time, "event": event, "code": code})


def troubles(state: Path) -> tuple[int, Path]:
    """How many hooks failed since the file was last removed, and the file."""
    path = state / _FOLDER / _TROUBLE
    return len(_lines(path)), path


def take(state: Path) -> list[TranscriptPoke]:
    """What was poked, one poke a transcript and vault; it is no longer there.

    What two take at once goes to one of them.
    """
    path = state / _FOLDER / _SPOOL
    mine = path.with_name(f"{_SPOOL}.{os.getpid()}")
    try:
        os.replace(path, mine)
    except FileNotFoundError:
        return []
    try:
        return _pokes(mine)
    finally:
        mine.unlink(missing_ok=True)


def give_back(state: Path, pokes: Iterable[TranscriptPoke]) -> None:
    """Pokes that could not be followed: for the next one who takes."""
    for poke in pokes:
        spool(state, poke)


def _append(path: Path, row: dict[str, str]) -> None:
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    handle = os.open(path, _FLAGS, 0o600)
    try:
        if os.fstat(handle).st_size < _MOST_BYTES:
            os.write(handle, json.dumps(row).encode("ascii") + b"\n")
    finally:
        os.close(handle)


def _pokes(path: Path) -> list[TranscriptPoke]:
    found: dict[tuple[str, str, str], TranscriptPoke] = {}
    for line in _lines(path):
        with suppress(ValueError, TypeError):
            row = json.loads(line)
            poke = TranscriptPoke(
                **{name: str(row[name]) for name in TranscriptPoke.__slots__ if name in row}
            )
            found[poke.source, poke.path, poke.vault] = poke
    return list(found.values())


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except OSError:
        return []
