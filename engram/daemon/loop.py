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
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engram.capture import sources
from engram.daemon.debounce import Debouncer
from engram.daemon.free_memory import relieve
from engram.daemon.power import on_battery
from engram.daemon.source_worker import SourceResult, SourceWorker
from engram.daemon.spool import TranscriptPoke, give_back, take
from engram.daemon.state import pause
from engram.daemon.state.event_log import EventLog
from engram.daemon.state.last_runs import LastRuns
from engram.daemon.tasks import TaskRunner
from engram.daemon.vault_worker import VaultWorker
from engram.daemon.watch import FolderWatch
from engram.model.errors import EngramError, StorageError
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
_LOOK, _TICK, _BOXES, _NIGHT = 10.0, 10.0, 60.0, 120.0
#: intervals are so much longer on battery
_SLOWER = 3.0
#: the wall clock and the monotonic one differ by more only after the machine slept, seconds
_JUMP = 60.0
#: turns after which freed memory is returned to the system
_MUCH = 500
#: the tasks of each vault
_DUTIES = ("edits", "inbox", "extract", "boxes", "night", "build")


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
    ) -> None:
        self.target = target
        self.tasks = TaskRunner(times.clock, times.steady, log)
        self.feeds: dict[str, SourceWorker] = {}
        self.keepers: dict[Path, VaultWorker] = {}
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
        self._notes = LastRuns(self._state)
        self._settings = DaemonSettings()
        self._held: list[TranscriptPoke] = []
        self._much = 0
        self._apart = times.wall() - times.steady()
        self.paused = pause.read(self._state)

    # -- vaults and sources ---------------------------------------------------------------------

    def begin(self) -> None:
        """Start all workers as the settings say. Raises ConfigError and BadInput for them."""
        self._arrange()
        self.tasks.add("look", self._look, _LOOK)
        self.tasks.add("spool", self._spool, _LOOK)
        with suppress(StorageError):  # a folder that cannot be watched is polled by a timer
            hooks = self._state / "hooks"
            hooks.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.watch.add(hooks, recursive=False)

    def reload(self) -> None:
        """Read the settings again; invalid ones change nothing and are reported."""
        try:
            self._arrange()
        except EngramError as error:
            self.tasks.fail("reload", error)
            return
        self.tasks.settle("reload")
        for worker in self.keepers.values():
            self._renew(worker)
        self._log.note("reloaded", sources=" ".join(self.feeds))

    def _renew(self, worker: VaultWorker) -> None:
        try:
            worker.reload()
        except EngramError as error:
            self.tasks.fail(f"reload {worker.root}", error)
        else:
            self.tasks.settle(f"reload {worker.root}")

    def _arrange(self) -> None:
        """A worker for each configured source. Raises ConfigError, BadInput for an unknown one."""
        settings = load(None, self._environment, home=self._places).settings.daemon
        chosen = {name: sources.source(name) for name in settings.sources}
        self._settings = settings
        for name in [name for name in self.feeds if name not in chosen]:
            self.feeds.pop(name).leave(self.watch)
            self.tasks.drop(f"feed {name}")
        for name, source in chosen.items():
            if name not in self.feeds:
                found = source.discover(self._places.home, self._environment)
                self.feeds[name] = SourceWorker(source, found, self._notes, self._times.clock)
                self.tasks.add(f"feed {name}", partial(self._feed, name), math.inf)
        self._notes.keep_only("sources", frozenset(chosen))
        self.tasks.add("rescan", self._rescan, settings.rescan_minutes * 60)
        self.tasks.want("look")

    def _look(self) -> None:
        """Notice vaults and folders that came or went, and a change of power supply."""
        self.slow = self._battery()
        self.tasks.schedule.pace = _SLOWER if self.slow else 1.0
        registered = [entry.path for entry in Registry(self._places).entries()]
        for root in [root for root in self.keepers if root not in registered]:
            self.keepers.pop(root).let_go(self.watch)
            for duty in (*_DUTIES, "open"):
                self.tasks.drop(f"{duty} {root}")
        for root in registered:
            if root not in self.keepers:
                self._keep(root)
            self._look_after(self.keepers[root])
        for name, feed in self.feeds.items():
            came, deaf = feed.look(self.watch)
            for error in deaf:
                self.tasks.fail(f"watch {name}", error)
            if came or len(feed):
                self.tasks.want(f"feed {name}")

    def _keep(self, root: Path) -> None:
        open_vault = partial(Vault.open, environment=self._environment, clock=self._times.clock)
        worker = VaultWorker(root, open_vault, self._notes, self._times.clock, self._times.steady)
        self.keepers[root] = worker
        self.tasks.add(f"edits {root}", partial(self._edits, worker), math.inf)
        self.tasks.add(f"inbox {root}", partial(self._inbox, worker), math.inf)
        self.tasks.add(f"extract {root}", partial(self._extract, worker), _TICK)
        self.tasks.add(f"boxes {root}", partial(self._boxes, worker), _BOXES)
        self.tasks.add(f"night {root}", partial(self._night, worker), _NIGHT)
        self.tasks.add(f"build {root}", partial(self._build, worker), _NIGHT)

    def _look_after(self, worker: VaultWorker) -> None:
        task = f"open {worker.root}"
        before = worker.vault
        try:
            worker.look(self.watch)
        except EngramError as error:
            known = self.tasks.troubles.get(task)
            if known is None or known.code != error.code:  # reported once, not at each check
                self.tasks.fail(task, error)
        else:
            self.tasks.settle(task)
        if worker.vault is not before:
            self._log.note("vault_opened" if worker.vault else "vault_away", vault=str(worker.root))
            self._look_through(worker)

    def _look_through(self, worker: VaultWorker) -> None:
        for duty in ("edits", "inbox", "extract", "boxes"):
            self.tasks.want(f"{duty} {worker.root}")
        if worker.root == self.target:
            for name in self.feeds:
                self.tasks.want(f"feed {name}")

    # -- what is due ---------------------------------------------------------------------------

    def step(self, go_on: Callable[[], bool] = lambda: True) -> None:
        """Read the hints, then do what is due, as long as `go_on` says so."""
        self._notice()
        self.tasks.do_due(go_on)

    def rest(self) -> float:
        """Seconds until something is due, if no hint comes."""
        quiet = self.debouncer.rest(QUIET)
        due = self.tasks.schedule.rest()
        return due if quiet is None else min(due, quiet)

    def _notice(self) -> None:
        apart = self._times.wall() - self._times.steady()
        if abs(apart - self._apart) > _JUMP:
            self._apart = apart
            self._log.note("clock_jumped")
            self.tasks.schedule.all_soon()
            self._rescan()
        paused = pause.read(self._state)
        if paused != self.paused:
            self.paused = paused
            self._log.note("paused" if paused != pause.Paused() else "resumed")
            self._give_back()
            self._rescan()
        if self.debouncer.take_lost():
            self._log.note("events_lost", "warning")
            self._rescan()
        for path in self.debouncer.take_quiet(QUIET):
            self._route(path)

    def _route(self, path: Path) -> None:
        for name, feed in self.feeds.items():
            if feed.note(path):
                self._happened(f"feed {name}")
        for worker in self.keepers.values():
            what = worker.note(path)
            if what == "settings":
                self._renew(worker)
            elif what:
                self._happened(f"{what} {worker.root}")
            elif path == worker.root:
                self.tasks.want("look")
        if path.parent == self._state / "hooks":
            self.tasks.want("spool")

    def _happened(self, task: str) -> None:
        self.last_event = self._times.clock.now()
        self.tasks.want(task)

    # -- the tasks -----------------------------------------------------------------------------

    def _rescan(self) -> None:
        for name, feed in self.feeds.items():
            feed.rescan()
            self.tasks.want(f"feed {name}")
        for worker in self.keepers.values():
            self._look_through(worker)

    def _feed(self, name: str) -> float | None:
        worker = self.keepers.get(self.target)
        if self.paused.covers(name) or worker is None or not worker.is_here(self.watch):
            return None
        fed = self.feeds[name].take(worker.here)
        if fed.turns:
            worker.busy()
        self._tell(fed, name)
        self._much += fed.turns
        if not fed.more and self._much >= _MUCH:
            self._much = 0
            relieve()
        return 0.0 if fed.more else None

    def _edits(self, worker: VaultWorker) -> None:
        if self._works(worker) and (count := worker.edits()):
            self._log.note("settled", vault=str(worker.root), files=count)

    def _inbox(self, worker: VaultWorker) -> float | None:
        if self.paused.covers("inbox") or not self._works(worker):
            return None
        fed = worker.inbox()
        self._tell(fed, "inbox")
        return 1.0 if fed.more else None

    def _extract(self, worker: VaultWorker) -> None:
        if self._works(worker) and ((outcome := worker.extract()).turns or outcome.failed):
            self._log.note(
                "extracted", vault=str(worker.root), turns=outcome.turns,
                memories=outcome.memories, failed=outcome.failed,
            )  # fmt: skip

    def _boxes(self, worker: VaultWorker) -> None:
        if self._works(worker) and (count := worker.boxes()):
            self._log.note("sealed", vault=str(worker.root), boxes=count)

    def _night(self, worker: VaultWorker) -> None:
        if self._works(worker) and (done := worker.night(self._settings.idle_minutes)) is not None:
            self._log.note("consolidated", vault=str(worker.root), steps=len(done.steps))

    def _build(self, worker: VaultWorker) -> None:
        if self._works(worker) and worker.build():
            self._log.note("index_built", vault=str(worker.root))
            relieve()

    def _works(self, worker: VaultWorker) -> bool:
        return not self.paused.everything and worker.is_here(self.watch)

    def _tell(self, fed: SourceResult, source: str) -> None:
        if fed.files or fed.problems:
            self._log.note(
                "took", source=source, files=fed.files, turns=fed.turns, memories=fed.memories,
                unreadable=fed.problems,
            )  # fmt: skip

    def _spool(self) -> None:
        """Import the transcripts that hooks reported as grown."""
        if self.paused.everything:
            return
        pokes = take(self._state)
        while pokes:
            poke, *pokes = pokes
            if self.paused.covers(poke.source):
                self._held.append(poke)
                continue
            try:
                self._follow(poke)
            except BaseException:
                give_back(self._state, [*pokes, poke])
                raise

    def _follow(self, poke: TranscriptPoke) -> None:
        worker, path = self.keepers.get(Path(poke.vault)), Path(poke.path)
        if worker is None or not path.is_file():
            return  # the vault is no longer registered, or the transcript is gone
        report, outcome = worker.here.import_files(poke.source, path, live=True)
        if report.new_turns:
            worker.busy()
        problems = len(report.problems)
        self._tell(
            SourceResult(report.files, report.new_turns, outcome.memories, problems), poke.source
        )

    def _give_back(self) -> None:
        give_back(self._state, self._held)
        self._held = []

    def close(self, reason: str, *, anew: bool = False) -> None:
        """Seal open boxes, put unfinished requests back, close everything.

        `anew`: a task was interrupted, so its vault is opened again first.
        """
        self._give_back()
        for worker in self.keepers.values():
            if worker.is_here(self.watch):
                if anew:
                    self._renew(worker)
                count = self.tasks.attempt(f"boxes {worker.root}", partial(worker.boxes, reason))
                if count:
                    self._log.note("sealed", vault=str(worker.root), boxes=count)
            worker.let_go(self.watch)
