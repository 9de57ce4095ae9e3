"""Follow a folder of transcripts in the foreground: new turns are captured at once.

Watchdog's events only mark files as changed (they get lost in storms and on network drives); stat
and cursor decide, a full scan runs at the start and every minute, and a ticker fires the time
trigger without new traffic (design 5.11). Ends on SIGINT and SIGTERM after the current turn, with
everything durable. A file that cannot be read is reported once and tried again when it changes.
"""

from __future__ import annotations

import signal
import stat
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from engram.capture import sources
from engram.capture.follow import belongs, walk
from engram.daemon.debounce import Debouncer
from engram.daemon.watch import FolderWatch
from engram.model.errors import BadInput, EngramError
from engram.vault import Vault

#: a file is read once nothing has been written to it for this long, seconds
_QUIET = 0.15
#: how often triggers are checked, and how often the whole folder is scanned, seconds
_TICK, _RESCAN = 1.0, 60.0


class Tail:
    """One followed folder. Use as a context; `run` returns when a signal asked for the end."""

    def __init__(
        self, vault: Vault, source: str, folder: Path, talk: Callable[[str], None]
    ) -> None:
        if not folder.is_dir():
            raise BadInput(
                f"{folder} is not a folder", "give the folder that holds the transcripts"
            )
        self._vault = vault
        self._source = source
        self._folder = folder
        self._talk = talk
        self._debouncer = Debouncer()
        self._watch = FolderWatch(self._debouncer)
        self._stats: dict[Path, tuple[int, int]] = {}
        self._ended = False
        self._reported: set[str] = set()

    def __enter__(self) -> Tail:
        # watch first, then scan: nothing written in between is missed
        self._watch.__enter__()
        self._watch.add(self._folder)
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.__exit__()

    def run(self) -> None:
        """Until SIGINT or SIGTERM: capture, extract by trigger, rescan."""
        before = {
            number: signal.signal(number, self._end) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            next_scan = 0.0
            while not self._ended:
                now = time.monotonic()
                if self._debouncer.take_lost() or now >= next_scan:
                    self.scan()
                    next_scan = now + _RESCAN
                self.take_dirty()
                self._extract_due()
                rest = self._debouncer.rest(_QUIET)
                self._debouncer.wait(_TICK if rest is None else rest)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def scan(self) -> None:
        """Capture every file whose stat changed since it was last read."""
        for path in walk(self._folder, sources.source(self._source)):
            self._take(path)

    def take_dirty(self) -> None:
        """Capture the files that events named and that did not change for a moment."""
        source = sources.source(self._source)
        for path in self._debouncer.take_quiet(_QUIET):
            if belongs(path.name, source):
                self._take(path)

    def _take(self, path: Path) -> None:
        try:
            status = path.lstat()
        except OSError:
            return
        if not stat.S_ISREG(status.st_mode):
            return  # an event may name a link or a pipe: neither is followed
        stamp = (status.st_size, status.st_mtime_ns)
        if self._stats.get(path) == stamp:
            return
        try:
            report, outcome = self._vault.import_files(self._source, path, live=True)
        except EngramError as error:
            self._report(f"{path.name}: {error}")
            return
        self._stats[path] = stamp
        for name, problem in report.problems:
            self._report(f"{name}: {problem}")
        if report.new_turns:
            self._talk(f"{path.name}: {report.new_turns} new turns, {outcome.memories} memories")

    def _extract_due(self) -> None:
        try:
            outcome = self._vault.tick()
        except EngramError as error:
            self._report(str(error))
            return
        if outcome.turns:
            self._talk(f"extracted {outcome.turns} turns, {outcome.memories} memories")

    def _report(self, problem: str) -> None:
        if problem not in self._reported:
            self._reported.add(problem)
            self._talk(f"warning: {problem}")

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._ended = True
        self._debouncer.wake()
