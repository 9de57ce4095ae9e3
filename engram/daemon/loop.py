"""Main loop of the daemon: all tasks, one after the other, on one thread.

Turns hints, timers and pauses into the work of source workers (one a source) and vault workers (one
a vault). Guarantees: one thread does all of it; hints only say where to look, and a full scan is
made at the start, when hints were lost, after the machine slept and every few minutes; what is
paused is left for later. All clocks are passed in, so that a test can run a day in a moment.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engram.capture import sources
from engram.daemon.debounce import Debouncer
from engram.daemon.free_memory import trim_memory
from engram.daemon.power import on_battery
from engram.daemon.source_worker import SourceResult, SourceWorker
from engram.daemon.spool import ENDED, TranscriptNotice, noted, put_back, taken
from engram.daemon.state import pause
from engram.daemon.state.event_log import EventLog
from engram.daemon.state.last_runs import LastRuns
from engram.daemon.tasks import TaskRunner
from engram.daemon.vault_worker import VaultWorker
from engram.daemon.watch import FolderWatch
from engram.model.errors import EngramError, Locked, StorageError
from engram.model.instant import Instant
from engram.model.ports import Clock
from engram.model.settings import DaemonSettings
from engram.settings.load import load
from engram.settings.paths import UserPaths
from engram.settings.registry import Registry
from engram.vault import Vault

#: a path is read once nothing has been written to it for so long, seconds
QUIET = 0.15
#: how often to check for folders that came or went, for turns that are due, for boxes past their
#: gap and for a due consolidation, seconds
_LOOK, _TICK, _BOXES, _CONSOLIDATE = 10.0, 10.0, 60.0, 120.0
#: intervals are so much longer on battery
_SLOWER = 3.0
#: the wall clock and the monotonic one differ by more only after the machine slept, seconds
_SLEPT = 60.0
#: how long captured turns may wait for the index, seconds: a search that comes before brings it up
_INDEX = 2.0
#: turns after which freed memory is returned to the system
_MANY_TURNS = 100
#: the tasks of each vault
_VAULT_TASKS = ("edits", "inbox", "extract", "boxes", "night", "build", "vectors", "index")


@dataclass(frozen=True, slots=True)
class TaskIntervals:
    """The clocks of the loop: instants, monotonic seconds, and intervals that the settings give."""

    clock: Clock
    steady: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


class DaemonLoop:
    """The work of one daemon: `step` does what is due, `rest` says for how long nothing will be."""

    def __init__(
        self,
        target: Path,
        places: UserPaths,
        environment: Mapping[str, str],
        times: TaskIntervals,
        log: EventLog,
        debouncer: Debouncer,
        watch: FolderWatch,
        battery: Callable[[], bool] = on_battery,
        vault: type[Vault] = Vault,
    ) -> None:
        self.target = target
        self.tasks = TaskRunner(times.clock, times.steady, log)
        self.source_workers: dict[str, SourceWorker] = {}
        self.vault_workers: dict[Path, VaultWorker] = {}
        self.last_event: Instant = ""
        self.slow = False
        self.debouncer = debouncer
        self.watch = watch
        self._places = places
        self._state = places.state_dir
        self._environment = environment
        self._times = times
        self._log = log
        self._battery = battery
        self._vault = vault
        self._notes = LastRuns(self._state)
        self._settings = DaemonSettings()
        #: the stamp of the settings file that was read last
        self._configured: tuple[int, int, int] | None = None
        self._held: list[TranscriptNotice] = []
        self._turns_since_trim = 0
        self._clock_gap = times.wall() - times.steady()
        self.paused = pause.read(self._state)

    # -- vaults and sources ---------------------------------------------------------------------

    def begin(self) -> None:
        """Start all workers as the settings say. Raises ConfigError and BadInput for them."""
        self._configure()
        self.tasks.add("look", self._check_folders, _LOOK)
        self.tasks.add("spool", self._spool, _LOOK)
        with suppress(StorageError):  # a folder that cannot be watched is polled by a timer
            hooks = self._state / "hooks"
            hooks.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.watch.add(hooks, recursive=False)

    def reload(self) -> None:
        """Read the settings again; invalid ones change nothing and are reported."""
        try:
            self._configure()
        except EngramError as error:
            self.tasks.fail("reload", error)
            return
        self.tasks.settle("reload")
        for worker in self.vault_workers.values():
            self._reload_vault(worker)
        self._log.note("reloaded", sources=" ".join(self.source_workers))

    def _reload_vault(self, worker: VaultWorker) -> None:
        try:
            worker.reload()
        except EngramError as error:
            self.tasks.fail(f"reload {worker.root}", error)
        else:
            self.tasks.settle(f"reload {worker.root}")

    def _configure(self) -> None:
        """A worker for each configured source. Raises ConfigError, BadInput for an unknown one."""
        self._configured = _stamp(self._places.config_file)
        settings = load(None, self._environment, home=self._places).settings.daemon
        chosen = {name: sources.source(name) for name in settings.sources}
        self._settings = settings
        for name in [name for name in self.source_workers if name not in chosen]:
            self.source_workers.pop(name).unwatch(self.watch)
            self.tasks.drop(f"feed {name}")
        for name, source in chosen.items():
            if name not in self.source_workers:
                found = source.discover(self._places.home, self._environment)
                self.source_workers[name] = SourceWorker(
                    source, found, self._notes, self._times.clock
                )
                self.tasks.add(f"feed {name}", partial(self._capture, name), math.inf)
        self._notes.keep_only("sources", frozenset(chosen))
        self.tasks.add("rescan", self._rescan, settings.rescan_minutes * 60)
        self.tasks.want("look")

    def _check_folders(self) -> None:
        """Notice vaults and folders that came or went, and a change of power supply."""
        self.slow = self._battery()
        self.tasks.schedule.pace = _SLOWER if self.slow else 1.0
        registered = [entry.path for entry in Registry(self._places).entries()]
        for root in [root for root in self.vault_workers if root not in registered]:
            self.vault_workers.pop(root).close_vault(self.watch)
            for task_name in (*_VAULT_TASKS, "open"):
                self.tasks.drop(f"{task_name} {root}")
        for root in registered:
            if root not in self.vault_workers:
                self._add_vault(root)
            self._check_vault(self.vault_workers[root])
        for name, source_worker in self.source_workers.items():
            came, unwatched = source_worker.look(self.watch)
            for error in unwatched:
                self.tasks.fail(f"watch {name}", error)
            if came or len(source_worker):
                self.tasks.want(f"feed {name}")

    def _add_vault(self, root: Path) -> None:
        clock = self._times.clock
        open_vault = partial(self._vault.open, environment=self._environment, clock=clock)
        worker = VaultWorker(root, open_vault, self._notes, clock, self._times.steady)
        self.vault_workers[root] = worker
        self.tasks.add(f"edits {root}", partial(self._edits, worker), math.inf)
        self.tasks.add(f"inbox {root}", partial(self._inbox, worker), math.inf)
        self.tasks.add(f"extract {root}", partial(self._extract, worker), _TICK)
        self.tasks.add(f"boxes {root}", partial(self._boxes, worker), _BOXES)
        self.tasks.add(f"night {root}", partial(self._consolidate, worker), _CONSOLIDATE)
        self.tasks.add(f"build {root}", partial(self._rebuild_index, worker), _CONSOLIDATE)
        self.tasks.add(f"vectors {root}", partial(self._embed, worker), _CONSOLIDATE)
        self.tasks.add(f"index {root}", partial(self._bring_up_index, worker), math.inf)

    def _check_vault(self, worker: VaultWorker) -> None:
        task = f"open {worker.root}"
        before = worker.vault
        try:
            worker.look(self.watch)
        except EngramError as error:
            known = self.tasks.failures.get(task)
            if known is None or known.code != error.code:  # reported once, not at each check
                self.tasks.fail(task, error)
        else:
            self.tasks.settle(task)
        if worker.vault is not before:
            self._log.note("vault_opened" if worker.vault else "vault_away", vault=str(worker.root))
            self._want_all(worker)

    def _want_all(self, worker: VaultWorker) -> None:
        for task_name in ("edits", "inbox", "extract", "boxes"):
            self.tasks.want(f"{task_name} {worker.root}")
        if worker.root == self.target:
            for name in self.source_workers:
                self.tasks.want(f"feed {name}")

    # -- what is due ---------------------------------------------------------------------------

    def step(self, go_on: Callable[[], bool] = lambda: True) -> None:
        """Read the hints, then do what is due, as long as `go_on` says so."""
        self._read_hints()
        self.tasks.do_due(go_on)

    def rest(self) -> float:
        """Seconds until something is due, if no hint comes."""
        quiet = self.debouncer.rest(QUIET)
        due = self.tasks.schedule.rest()
        return due if quiet is None else min(due, quiet)

    def _read_hints(self) -> None:
        if _stamp(self._places.config_file) != self._configured:
            self.reload()  # before anything is read: it may say what is not to be
        apart = self._times.wall() - self._times.steady()
        if abs(apart - self._clock_gap) > _SLEPT:
            self._clock_gap = apart
            self._log.note("clock_jumped")
            self.tasks.schedule.all_soon()
            self._rescan()
        paused = pause.read(self._state)
        if paused != self.paused:
            self.paused = paused
            self._log.note("paused" if paused != pause.Paused() else "resumed")
            self._put_back()
            self._rescan()
        if self.debouncer.take_lost():
            self._log.note("events_lost", "warning")
            self._rescan()
        for path in self.debouncer.take_quiet(QUIET):
            self._route(path)

    def _route(self, path: Path) -> None:
        for name, source_worker in self.source_workers.items():
            if source_worker.note(path):
                self._want_now(f"feed {name}")
        for worker in self.vault_workers.values():
            what = worker.note(path)
            if what == "settings":
                self._reload_vault(worker)
            elif what:
                self._want_now(f"{what} {worker.root}")
            elif path == worker.root:
                self.tasks.want("look")
        if path.parent == self._state / "hooks":
            self.tasks.want("spool")

    def _want_now(self, task: str) -> None:
        self.last_event = self._times.clock.now()
        self.tasks.want(task)

    # -- the tasks -----------------------------------------------------------------------------

    def _rescan(self) -> None:
        for name, source_worker in self.source_workers.items():
            source_worker.rescan()
            self.tasks.want(f"feed {name}")
        for worker in self.vault_workers.values():
            self._want_all(worker)

    def _capture(self, name: str) -> float | None:
        worker = self.vault_workers.get(self.target)
        if self.paused.covers(name) or worker is None or not worker.is_here(self.watch):
            return None
        captured = self.source_workers[name].take(worker.here)
        if captured.turns:
            worker.mark_used()
            self.tasks.want(f"index {worker.root}", _INDEX)
        self._report_capture(captured, name)
        self._turns_since_trim += captured.turns
        if not captured.more and self._turns_since_trim >= _MANY_TURNS:
            self._turns_since_trim = 0
            trim_memory()
        return 0.0 if captured.more else None

    def _edits(self, worker: VaultWorker) -> None:
        if self._is_active(worker) and (count := worker.edits()):
            self._log.note("settled", vault=str(worker.root), files=count)

    def _inbox(self, worker: VaultWorker) -> float | None:
        if self.paused.covers("inbox") or not self._learns(worker):
            return None
        captured = worker.inbox()
        self._report_capture(captured, "inbox")
        return 1.0 if captured.more else None

    def _extract(self, worker: VaultWorker) -> None:
        if self._learns(worker) and ((outcome := worker.extract()).turns or outcome.failed):
            self._log.note(
                "extracted", vault=str(worker.root), turns=outcome.turns,
                memories=outcome.memories, failed=outcome.failed,
            )  # fmt: skip

    def _boxes(self, worker: VaultWorker) -> None:
        if self._learns(worker) and (count := worker.boxes()):
            self._log.note("sealed", vault=str(worker.root), boxes=count)

    def _consolidate(self, worker: VaultWorker) -> None:
        if (
            self._learns(worker)
            and (done := worker.consolidate(self._settings.idle_minutes)) is not None
        ):
            self._log.note("consolidated", vault=str(worker.root), steps=len(done.steps))

    def _rebuild_index(self, worker: VaultWorker) -> None:
        if self._learns(worker) and worker.rebuild_index():
            self._log.note("index_built", vault=str(worker.root))
            trim_memory()

    def _embed(self, worker: VaultWorker) -> float | None:
        return 0.0 if self._learns(worker) and worker.embed() else None

    def _bring_up_index(self, worker: VaultWorker) -> float | None:
        if (
            worker.is_here(self.watch)
            and not worker.here.shared
            and not worker.here.bring_up_index()
        ):
            return _INDEX
        return None

    def _is_active(self, worker: VaultWorker) -> bool:
        return not self.paused.everything and worker.is_here(self.watch)

    def _learns(self, worker: VaultWorker) -> bool:
        """Whether anything is made of what is in a vault: not in one that is shared, which is read
        for hooks and no more."""
        return self._is_active(worker) and not worker.here.shared

    def _report_capture(self, captured: SourceResult, source: str) -> None:
        if captured.files or captured.problems:
            self._log.note(
                "took", source=source, files=captured.files, turns=captured.turns,
                memories=captured.memories, unreadable=captured.problems,
            )  # fmt: skip

    def _spool(self) -> None:
        """Import the transcripts that hooks reported as grown."""
        if self.paused.everything:
            return
        if not noted(self._state):
            return
        with ExitStack() as stack:
            try:
                waiting = stack.enter_context(taken(self._state))
            except Locked:
                return  # a catch-up that began before the daemon did; this is tried again
            for notice in list(waiting):
                if self.paused.covers(notice.source):
                    self._held.append(notice)
                else:
                    self._import_transcript(notice)
                waiting.remove(notice)

    def _import_transcript(self, notice: TranscriptNotice) -> None:
        worker, path = self.vault_workers.get(Path(notice.vault)), Path(notice.path)
        if worker is None or not path.is_file():
            return  # the vault is no longer registered, or the transcript is gone
        if worker.here.shared:
            return  # it became one: conversations go into the person's own
        report, outcome = worker.here.import_files(notice.source, path, live=True)
        if notice.event == ENDED:
            worker.here.close_conversation(notice.source, path)
        if report.new_turns:
            worker.mark_used()
        problems = len(report.problems)
        self._report_capture(
            SourceResult(report.files, report.new_turns, outcome.memories, problems), notice.source
        )

    def _put_back(self) -> None:
        put_back(self._state, self._held)
        self._held = []

    def close(self, reason: str, *, anew: bool = False) -> None:
        """Seal open boxes, put unfinished requests back, close everything.

        `anew`: a task was interrupted, so its vault is opened again first.
        """
        self._put_back()
        for worker in self.vault_workers.values():
            if worker.is_here(self.watch) and not worker.here.shared:
                if anew:
                    self._reload_vault(worker)
                count = self.tasks.attempt(f"boxes {worker.root}", partial(worker.boxes, reason))
                if count:
                    self._log.note("sealed", vault=str(worker.root), boxes=count)
            worker.close_vault(self.watch)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes with a file; None while there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
