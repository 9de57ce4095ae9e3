"""Catch-up: the transcripts that hooks noted -> turns and memories, where no daemon does it.

Run by hand (`engram hook catch-up`), or by the hooks of a session as a process of its own, whose
program this module is: nobody waits for it, so it goes on at low priority, prints nothing, and ends
at its time limit wherever it stands. Guarantees: one process at a time; a transcript waits until
its import is done, also where the process is killed; what is paused waits; the background process
does nothing while a daemon runs. What came of it is kept in a small file for `engram status`, and
what failed is counted with the hooks that failed; neither holds a word of a conversation.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from engram.daemon.spool import (
    ENDED,
    LAST,
    STARTED,
    TranscriptNotice,
    noted,
    record_failure,
    taken,
)
from engram.daemon.state import pause
from engram.daemon.state.instance_lock import InstanceLock
from engram.model.errors import EngramError, Locked
from engram.model.instant import Instant, instant_of, minutes_between
from engram.model.ports import Clock
from engram.settings.paths import places_of
from engram.settings.user_files import read_small, replace
from engram.store.base.clock import clock_of
from engram.vault import Vault

#: what a failure is counted as, beside the events of hooks
EVENT = "catch-up"
#: when the background process begins no further transcript, and when it ends, seconds
_MOST, _LAST = 120.0, 600.0
#: how long another process that takes is waited for, seconds
_PATIENCE = 1.0
#: how much nicer than its parent the background process is
_NICE = 10
#: a session whose end no hook told is looked at until nothing was written for so long, minutes
_SILENCE = 24 * 60.0


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """What a catch-up did, and when: transcripts read, new turns, new memories.

    `failed` is why a transcript, or the upkeep of a vault, waits on: an error's code by path;
    `open` is how much was there, bytes, of each transcript whose session may go on.
    """

    time: Instant = ""
    files: int = 0
    turns: int = 0
    memories: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)


def catch_up(
    state: Path, environment: Mapping[str, str], most: float = float("inf"),
    tell: Callable[[str, Exception], object] = lambda path, error: None, kept: str = "",
) -> CaughtUp:  # fmt: skip
    """Import what was noted, and what is noted meanwhile; begins nothing after `most` seconds.

    `tell` is told why a transcript waits on; `kept` is a vault in which all that is due is done
    too. Raises Locked where another process catches up.
    """
    until, tried = time.monotonic() + most, set[TranscriptNotice]()

    def is_due(notice: TranscriptNotice) -> bool:
        return notice not in tried and not pause.read(state).covers(notice.source)

    with ExitStack() as stack:
        intake = _Intake(state, environment, tell, stack)
        # another hook may have noted something, and left it to this process
        while any(map(is_due, noted(state))) and time.monotonic() < until:
            with taken(state, _PATIENCE) as waiting:
                for notice in filter(is_due, list(waiting)):
                    if time.monotonic() >= until:
                        break
                    tried.add(notice)
                    if intake.take_in(notice):
                        waiting.remove(notice)
        if kept:
            intake.keep_up(kept)
        return intake.report()


def last_catch_up(state: Path) -> CaughtUp | None:
    """What the last one did that had anything to do; None where there was none."""
    with suppress(EngramError, ValueError, TypeError, KeyError):
        row = json.loads(read_small(state / LAST) or "null")
        return CaughtUp(**{name: row[name] for name in CaughtUp.__slots__})
    return None


def waiting_for(state: Path, vault: str) -> int:
    """How many transcripts hold something for a vault that was not taken in yet."""
    last = last_catch_up(state)
    known = last.open if last is not None else {}
    return sum(
        os.path.realpath(one.vault) == vault
        and (one.event != STARTED or _size(one.path) != known.get(one.path, 0))
        for one in noted(state)
    )


class _Intake:
    """Imports noted transcripts, each into its vault, which stays open until `stack` ends."""

    def __init__(
        self, state: Path, environment: Mapping[str, str],
        tell: Callable[[str, Exception], object], stack: ExitStack,
    ) -> None:  # fmt: skip
        self._state = state
        self._environment = environment
        self._tell = tell
        self._stack = stack
        self._clock: Clock = clock_of(environment)
        self._vaults: dict[str, Vault] = {}
        self._files = self._turns = self._memories = 0
        self._failed: dict[str, str] = {}
        last = last_catch_up(state)
        self._open = dict(last.open) if last is not None else {}

    def take_in(self, notice: TranscriptNotice) -> bool:
        """Import a transcript; False where it has to wait on, or its session may go on."""
        size = _size(notice.path)
        if size:
            try:
                self._import(notice)
            except Exception as error:  # noqa: BLE001 - one must not hold up the others
                self._fail(notice.path, error)
                return False
        goes_on = notice.event == STARTED and not self._is_silent(notice)
        if goes_on:
            self._open[notice.path] = size
        return not goes_on

    def keep_up(self, root: str) -> None:
        """What is due in a vault without news: hand edits, what failed before, boxes, index."""
        try:
            vault = self._opened(root)
            vault.take_up_edits()
            self._memories += vault.tick().memories
            vault.seal_boxes()
            vault.bring_up_index()
        except Exception as error:  # noqa: BLE001 - it is told with what was taken in
            self._fail(root, error)

    def report(self) -> CaughtUp:
        """What was done; kept for `last_catch_up`."""
        waiting = {one.path for one in noted(self._state) if one.event == STARTED}
        left = {path: size for path, size in self._open.items() if path in waiting}
        found = CaughtUp(
            self._clock.now(), self._files, self._turns, self._memories, self._failed, left
        )
        replace(self._state / LAST, json.dumps(asdict(found)).encode("ascii") + b"\n")
        return found

    def _import(self, notice: TranscriptNotice) -> None:
        vault, path = self._opened(notice.vault), Path(notice.path)
        report, outcome = vault.import_files(notice.source, path, live=True)
        self._memories += outcome.memories
        if notice.event == ENDED:
            # nothing follows that its turns could wait for
            self._memories += vault.extract_transcripts(report.transcripts).memories
            vault.close_conversation(notice.source, path)
        self._files += 1
        self._turns += report.new_turns

    def _opened(self, root: str) -> Vault:
        if root not in self._vaults:
            opened = Vault.open(root, environment=self._environment, clock=self._clock)
            self._vaults[root] = self._stack.enter_context(opened)
        return self._vaults[root]

    def _fail(self, path: str, error: Exception) -> None:
        self._tell(path, error)
        self._failed[path] = code_of(error)

    def _is_silent(self, notice: TranscriptNotice) -> bool:
        last = max(notice.time, _written(notice.path))
        return not last or minutes_between(last, self._clock.now()) >= _SILENCE


def code_of(error: Exception) -> str:
    """What an error is counted as: its code; of a bug its type, and where it was raised."""
    if isinstance(error, EngramError):
        return error.code
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = place.tb_frame.f_globals.get("__name__", "") if place is not None else ""
    return f"{type(error).__name__} at {where}:{place.tb_lineno if place is not None else 0}"


def _size(path: str) -> int:
    """The bytes of a regular file; 0 where there is none."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def _written(path: str) -> Instant:
    """When a file was last written to; '' for none."""
    return instant_of(os.path.getmtime(path)) if os.path.isfile(path) else ""


def unattended(root: str, environment: Mapping[str, str]) -> None:
    """Catch up for the vault of a session that began or ended, unless a daemon does, or a pause."""
    state = places_of(environment).state_dir
    if pause.read(state).everything or InstanceLock(state).holder():
        return
    try:
        catch_up(state, environment, _MOST, kept=root)
    except Locked:
        pass  # that process sees what was noted before this one began
    except Exception as error:  # noqa: BLE001 - nobody sees what a process without streams says
        record_failure(state, clock_of(environment).now(), EVENT, code_of(error))


def _process(root: str) -> None:
    limit = threading.Timer(_LAST, os._exit, (0,))
    limit.daemon = True
    limit.start()
    os.chdir(os.path.sep)  # the folder that the agent works in is not kept busy
    if hasattr(os, "nice"):  # not on Windows, where it was started so
        os.nice(_NICE)
    unattended(root, os.environ)


if __name__ == "__main__":
    _process(sys.argv[1])
