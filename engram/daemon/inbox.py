"""Inbox of a vault: files dropped into `inbox/` are imported and removed, a clean copy stays.

Turns Markdown, text and JSON lines into turns, each file as one import that `undo` takes back, and
into a copy of these turns in `inbox/taken/`, unless `capture.inbox_copies` says none. Guarantees:
nothing private, off the record or secret stays, not in a copy nor in its name; a file is removed
only after the vault has all that can be read in it, else it stays where it is until it changes, and
`doctor` names it; one that is still being written is left until it stops changing; after a crash in
between it is read again, and known content is not imported twice. Links are not followed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

from engram.capture.follow import head_of
from engram.daemon.source_worker import SourceResult
from engram.model.errors import BadInput
from engram.model.intake import ExtractionResult, ImportReport
from engram.model.turn import Turn
from engram.pipeline.inbox_files import KINDS, WHOLE_BYTES, WORD, inbox_source
from engram.store.base import layout
from engram.store.base.layout import INBOX
from engram.store.catalog.turn_rows import link_of
from engram.store.files.taken_copies import TakenCopies
from engram.vault import Vault

#: a file is imported when it has not changed for so long, seconds
_REST = 1.0

Stamp = tuple[int, int]


class Inbox:
    """The inbox of one vault; `seconds` is a monotonic clock."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._seen: dict[str, tuple[Stamp, float]] = {}
        self._refused: dict[str, Stamp] = {}
        #: what can never be taken
        self._strange: set[str] = set()

    def take(self, vault: Vault) -> SourceResult:
        """Import the files that stopped changing; `more` when others are still being written."""
        turns = memories = files = problems = 0
        waiting = False
        told = self._strange
        resting = self._files(vault.root)
        problems += len(self._strange - told)
        for name, stamp in resting:
            if self._refused.get(name) == stamp:
                continue
            if not self._rests(name, stamp):
                waiting = True
                continue
            # one lock for all of it: what is purged meanwhile must not come back as a copy
            with vault.parts.committer.lock():
                report, outcome, gone = self._take_file(vault, name, stamp)
            files += gone
            problems += not gone
            turns += report.new_turns
            memories += outcome.memories
        return SourceResult(files, turns, memories, problems, waiting)

    def _take_file(
        self, vault: Vault, name: str, stamp: Stamp
    ) -> tuple[ImportReport, ExtractionResult, bool]:
        """Import one file; returns whether it is gone from the inbox."""
        path = vault.root / INBOX / name
        kind = inbox_source(path)
        try:
            found = vault.read_file(path) if stamp[0] <= WHOLE_BYTES else None
        except BadInput:
            self._refused[name] = stamp
            return ImportReport(), ExtractionResult(), False
        safe = _safe_name(vault, path, found.removed if found else frozenset())
        if safe != name:
            vault.parts.disk.rename(f"{INBOX}/{name}", f"{INBOX}/{safe}")
            name, path = safe, path.with_name(safe)
            found = found and vault.read_file(path)
        report, outcome = vault.import_files(kind, path)
        complete = found.complete if found else not report.tally.unparsed_lines
        if report.problems or not (report.files and complete):
            self._refused[name] = stamp
            return report, outcome, False
        if _stamp(path) == stamp:
            self._put_away(vault, name, found.turns if found else [])
        return report, outcome, True

    def _files(self, root: Path) -> list[tuple[str, Stamp]]:
        try:
            names = sorted(os.listdir(root / INBOX))
        except OSError:
            return []
        found, self._strange = [], set[str]()
        for name in names:
            if layout.is_foreign_name(name) or f"{INBOX}/{name}" == layout.TAKEN:
                continue
            known = os.path.splitext(name)[1].lower() in KINDS and layout.is_storable(name)
            stamp = _stamp(root / INBOX / name) if known else None
            if stamp is not None:
                found.append((name, stamp))
            else:
                self._strange.add(name)
        here = {name for name, _ in found}
        self._seen = {name: seen for name, seen in self._seen.items() if name in here}
        return found

    def _rests(self, name: str, stamp: Stamp) -> bool:
        before, since = self._seen.get(name, (None, 0.0))
        if before != stamp:
            self._seen[name] = (stamp, self._seconds())
            return False
        return self._seconds() - since >= _REST

    def _put_away(self, vault: Vault, name: str, turns: Sequence[Turn]) -> None:
        """Remove a file; what the vault has of it stays as a copy."""
        parts = vault.parts
        if parts.settings.capture.inbox_copies == "redacted":
            captured = parts.catalog.turns.behind_links([link_of(turn) for turn in turns])
            copied = [
                replace(turn, time=row.time)
                for turn in turns
                if (row := captured.get(link_of(turn))) is not None
            ]
            if copied:
                TakenCopies(parts.disk).write(name, copied)
        parts.disk.remove(f"{INBOX}/{name}")
        parts.disk.sync([INBOX])


def _safe_name(vault: Vault, path: Path, removed: Collection[str]) -> str:
    """The name of a file, or one by its digest where it tells what was kept out of its words."""
    told = any(word in removed for word in WORD.findall(path.stem.casefold()))
    if not told and vault.parts.redactor.clean(path.stem):
        return path.name
    digest = hashlib.sha256(head_of(path)).hexdigest()[:8]
    return f"dropped-{digest}{path.suffix.lower()}"


def _stamp(path: Path) -> Stamp | None:
    """Size and modification time of a regular file; None for anything else, a link included."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None
