"""`engram daemon run`: the process around the loop: instance lock, signals, heartbeat.

Guarantees: one daemon a user; SIGTERM and SIGINT end it within two seconds, with open boxes sealed
and everything durable; SIGHUP reloads the settings; it obeys signals before it does anything else;
it starts no process and stays in the foreground. A running task may finish after the signal; after
a moment it is interrupted wherever it stands, which a vault is made to survive (design 4.2), and
after two seconds the process ends even where the system does not give the thread back.
"""

from __future__ import annotations

import logging
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from engram import __version__
from engram.daemon.debounce import Debouncer
from engram.daemon.free_memory import share_heap
from engram.daemon.loop import DaemonLoop, TaskIntervals
from engram.daemon.rpc.server import ControlServer
from engram.daemon.state.event_log import EventLog
from engram.daemon.state.heartbeat import Heartbeat, HeartbeatFile
from engram.daemon.state.instance_lock import FOLDER, InstanceLock
from engram.daemon.state.pause import Paused
from engram.daemon.watch import FolderWatch
from engram.model.errors import EngramError
from engram.model.model_request import Spent
from engram.settings.paths import UserPaths
from engram.store.base.clock import clock_of

#: after the signal: how long a task may go on, how long sealing may take, and when the process
#: ends in any case, seconds
_FINISH, _SEAL, _LAST = 0.5, 0.9, 1.9


class _StopRequested(BaseException):
    """A signal asked for the end while a task was running."""


def log_file(state: Path) -> Path:
    """Path of the daemon's log."""
    return state / FOLDER / "log.jsonl"


class Daemon:
    """The daemon of one user; what it captures goes to the vault at `target`."""

    def __init__(
        self, target: Path, places: UserPaths, environment: Mapping[str, str],
        echo: Callable[[str], None], server: ControlServer | None = None,
    ) -> None:  # fmt: skip
        """`server` answers command lines while the daemon runs; None for no control socket."""
        self._target = target
        self._places = places
        self._environment = environment
        self._clock = clock_of(environment)
        self._since = self._clock.now()
        self._log = EventLog(log_file(places.state_dir), self._clock, echo, platform.node())
        self._debouncer = Debouncer()
        self._server = server
        self._ending = False
        self._stale = False

    def run(self) -> None:
        """Until SIGINT or SIGTERM. Raises Locked when one runs already, ConfigError, BadInput."""
        times = TaskIntervals(self._clock)
        share_heap()
        with (
            self._signals(),
            suppress(_StopRequested),
            InstanceLock(self._places.state_dir).taken(),
            self._warnings_logged(),
            FolderWatch(self._debouncer) as watch,
        ):
            loop = DaemonLoop(
                self._target,
                self._places,
                self._environment,
                times,
                self._log,
                self._debouncer,
                watch,
            )
            heartbeat = HeartbeatFile(self._places.state_dir, times.steady)
            loop.begin()
            heartbeat.offer(self._heartbeat(loop), now=True)
            self._log.note("started", pid=os.getpid(), version=__version__)
            with self._control_server(), suppress(_StopRequested):
                broken = False
                try:
                    self._run_loop(loop, heartbeat)
                except _StopRequested:
                    broken = True
                self._finish(loop, broken)
            self._log.note("stopped")

    def _run_loop(self, loop: DaemonLoop, heartbeat: HeartbeatFile) -> None:
        while not self._ending:
            if self._stale:
                self._stale = False
                loop.reload()
            loop.step(lambda: not self._ending)
            now = loop.tasks.attempt("pulse", lambda: self._heartbeat(loop))
            wait = loop.rest()
            if now is not None:
                wait = min(wait, heartbeat.offer(now))
            if not (self._ending or self._stale):
                self._debouncer.wait(wait)

    def _finish(self, loop: DaemonLoop, broken: bool) -> None:
        _alarm(_SEAL)
        try:
            loop.close("shutdown", anew=broken)
        except _StopRequested:
            # they are sealed for their gap at the next start
            self._log.note("not_sealed", "warning")
        finally:
            _alarm(0)

    def _heartbeat(self, loop: DaemonLoop) -> Heartbeat:
        workers = loop.vault_workers.values()
        home = loop.vault_workers.get(self._target)
        model = None
        if home is not None and home.vault is not None:
            model = home.vault.model_status()
        spent = model.spent if model is not None else Spent()
        watch = loop.watch
        return Heartbeat(
            pid=os.getpid(), since=self._since, version=__version__,
            last_event=loop.last_event,
            queue=len(loop.debouncer) + sum(map(len, loop.source_workers.values())),
            pending_turns=sum(worker.pending for worker in workers),
            spent_usd=spent.usd, spent_tokens=spent.tokens,
            errors=loop.tasks.errors,
            failing={name: one.code for name, one in sorted(loop.tasks.failures.items())},
            unread={
                name: worker.unread_since
                for name, worker in loop.source_workers.items()
                if worker.unread_since
            },
            sources=sorted(loop.source_workers),
            vaults=[str(worker.root) for worker in workers if worker.vault is not None],
            away={str(worker.root): worker.away for worker in workers if worker.vault is None},
            paused=_paused(loop.paused),
            watched=list(map(str, watch.folders)),
            deaf=list(map(str, watch.polled)),
            on_battery=loop.slow,
        )  # fmt: skip

    # -- signals -------------------------------------------------------------------------------

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Signals are obeyed by a thread: the main one may stand in a call that lasts."""
        handlers: dict[str, Callable[[int, FrameType | None], None]] = {
            "SIGINT": _told, "SIGTERM": _told, "SIGHUP": _told, "SIGALRM": _interrupt,
        }  # fmt: skip
        known = {name: handler for name, handler in handlers.items() if hasattr(signal, name)}
        told, tell = os.pipe()
        if hasattr(os, "set_blocking"):  # not on Windows, which does without
            os.set_blocking(tell, False)
        threading.Thread(target=self._obey, args=(told,), name="signals", daemon=True).start()
        # before the handlers: a signal that only they heard of would be lost
        signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
        before = {
            name: signal.signal(getattr(signal, name), handler) for name, handler in known.items()
        }
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(getattr(signal, name), handler)
            signal.set_wakeup_fd(-1)
            os.close(tell)

    def _obey(self, told: int) -> None:
        """Do what the signals say whose numbers the interpreter writes to a pipe."""
        while number := os.read(told, 1):
            if number[0] in (signal.SIGINT, signal.SIGTERM):
                _alarm(_FINISH)
                self._ending = True
                self._debouncer.wake()
                time.sleep(_LAST)
                os._exit(0)
            if number[0] == getattr(signal, "SIGHUP", 0):
                self._stale = True
                self._debouncer.wake()
        os.close(told)

    @contextmanager
    def _control_server(self) -> Iterator[None]:
        """The control server is open; where it cannot be, commands run in their own process."""
        try:
            if self._server is not None:
                self._server.open()
        except EngramError as error:
            self._log.note("no_door", "warning", code=error.code)
        try:
            yield
        finally:
            if self._server is not None:
                self._server.close()

    @contextmanager
    def _warnings_logged(self) -> Iterator[None]:
        """The program's own warnings go into the event log."""
        logger = logging.getLogger("engram")
        logger.addHandler(self._log)
        try:
            yield
        finally:
            logger.removeHandler(self._log)


def _paused(paused: Paused) -> list[str]:
    return sorted({*paused.sources, *(["everything"] if paused.everything else [])})


def _alarm(seconds: float) -> None:
    """Interrupt the running code in so many seconds; 0 cancels that."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _told(number: int, frame: FrameType | None) -> None:
    """The pipe tells of this signal."""


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise _StopRequested
