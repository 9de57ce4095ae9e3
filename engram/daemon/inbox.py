"""Inbox of a vault: files dropped into `inbox/` are imported, then moved to `inbox/taken/`.

Turns Markdown, text and JSON lines into turns, each file as one import that `undo` takes back.
Guarantees: a file is moved only after the vault has its content; a file that is still being written
is left until it stops changing; after a crash in between it is read again, and known content is not
imported twice. A file that cannot be read stays where it is until it changes. Links are not
followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from engram.capture.follow import head_of
from engram.capture.sources import recognise
from engram.daemon.source_worker import SourceResult
from engram.model.errors import BadInput
from engram.store.base import layout
from engram.vault import Vault

INBOX, TAKEN = "inbox", "inbox/taken"
#: file types that are imported, and the source to read each with where its first bytes say nothing
KINDS = {".md": "markdown", ".txt": "text", ".jsonl": "jsonl"}
#: a file is imported when it has not changed for so long, seconds
_REST = 1.0

Stamp = tuple[int, int]


class Inbox:
    """The inbox of one vault; `seconds` is a monotonic clock."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._seen: dict[str, tuple[Stamp, float]] = {}
        self._refused: dict[str, Stamp] = {}

    def take(self, vault: Vault) -> SourceResult:
        """Import the files that stopped changing; `more` when others are still being written."""
        turns = memories = files = problems = 0
        waiting = False
        for name, stamp in self._files(vault.root):
            if self._refused.get(name) == stamp:
                continue
            if not self._rests(name, stamp):
                waiting = True
                continue
            path = vault.root / INBOX / name
            report, outcome = vault.import_files(_kind(path), path)
            if report.problems:
                self._refused[name] = stamp
                problems += 1
            elif _stamp(path) == stamp:
                self._put_away(vault, name)
                files += 1
            turns += report.new_turns
            memories += outcome.memories
        return SourceResult(files, turns, memories, problems, waiting)

    def _files(self, root: Path) -> list[tuple[str, Stamp]]:
        try:
            names = sorted(os.listdir(root / INBOX))
        except OSError:
            return []
        found = []
        for name in names:
            known = os.path.splitext(name)[1].lower() in KINDS
            stamp = _stamp(root / INBOX / name) if known else None
            storable = not layout.is_foreign_name(name) and layout.is_storable(name)
            if stamp is not None and storable:
                found.append((name, stamp))
        here = {name for name, _ in found}
        self._seen = {name: seen for name, seen in self._seen.items() if name in here}
        return found

    def _rests(self, name: str, stamp: Stamp) -> bool:
        before, since = self._seen.get(name, (None, 0.0))
        if before != stamp:
            self._seen[name] = (stamp, self._seconds())
            return False
        return self._seconds() - since >= _REST

    def _put_away(self, vault: Vault, name: str) -> None:
        stem, suffix = os.path.splitext(name)
        number, free = 1, name
        while vault.parts.disk.size(f"{TAKEN}/{free}") is not None:
            number += 1
            free = f"{stem}-{number}{suffix}"
        vault.parts.disk.rename(f"{INBOX}/{name}", f"{TAKEN}/{free}")
        vault.parts.disk.sync([INBOX, TAKEN])


def _kind(path: Path) -> str:
    """The source that reads a file: by its first bytes, else by its name."""
    suffix = path.suffix.lower()
    try:
        found = recognise(head_of(path), suffix)
    except BadInput:
        found = None
    return KINDS[suffix] if found is None else found.name


def _stamp(path: Path) -> Stamp | None:
    """Size and modification time of a regular file; None for anything else, a link included."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None
