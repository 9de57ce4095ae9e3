"""The rounds: every task of the daemon on one schedule, done one after the other in one thread.

Turns hints, timers and what the person paused into the work of feeds and keepers. Guarantees: a
task that fails is logged by its code, counted, and tried again after a pause that grows from one
second to five minutes; the others go on; what it was to take in stays where it is. Everything that
tells the time is handed in, so that a day can be lived through in a moment.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from engram.capture import sources
from engram.daemon import pauses
from engram.daemon.dirt import Dirt
from engram.daemon.feeds import Fed, Feed
from engram.daemon.keeper import Keeper
from engram.daemon.logbook import Logbook
from engram.daemon.notebook import Notebook
from engram.daemon.power import on_battery
from engram.daemon.schedule import Schedule
from engram.daemon.spool import Poke, give_back, take
from engram.daemon.watch import Watch
from engram.model.errors import EngramError, Locked, StorageError
from engram.model.instant import Instant
from engram.ports import Clock
from engram.settings.load import load
from engram.settings.places import Places
from engram.settings.registry import Registry
from engram.settings.values import DaemonSettings
from engram.vault import Vault

#: a path is looked at once nothing has happened to it for so long, seconds
QUIET = 0.15
#: how often it is looked whether folders came or went, whether turns are due, whether boxes have
#: been silent, and whether it is night, seconds
_LOOK, _TICK, _BOXES, _NIGHT = 10.0, 10.0, 60.0, 120.0
#: intervals are so much longer on battery
_SLOWER = 3.0
#: the clock on the wall and the one that never goes back part by more only over a sleep, seconds
_JUMP = 60.0
#: the longest pause of a task that fails, seconds
_LONGEST = 300.0
#: the errors that are remembered
_ERRORS = 10


Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Times:
    """What tells the time: instants, seconds that never go back, seconds that a person may set."""

    clock: Clock
    steady: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


@dataclass(slots=True)
class Trouble:
    """A task that fails: how often in a row, and as what."""

    count: int = 0
    code: str = ""

    @property
    def pause(self) -> float:
        """How long it is left alone, seconds."""
        return min(2.0 ** min(self.count - 1, 20), _LONGEST)


@dataclass(slots=True)
class Rounds:
    """The work of one daemon: `step` does what is due, `rest` says how long nothing will be."""

    target: Path
    places: Places
    environment: Mapping[str, str]
    times: Times
    log: Logbook
    dirt: Dirt
    watch: Watch
    battery: Callable[[], bool] = on_battery
    settings: DaemonSettings = field(default_factory=DaemonSettings)
    feeds: dict[str, Feed] = field(default_factory=dict)
    keepers: dict[Path, Keeper] = field(default_factory=dict)
    troubles: dict[str, Trouble] = field(default_factory=dict)
    errors: list[tuple[Instant, str, str]] = field(default_factory=list)
    last_event: Instant = ""
    slow: bool = False
    paused: pauses.Paused = pauses.Paused()
    schedule: Schedule = field(init=False)
    notes: Notebook = field(init=False)
    _tasks: dict[str, Callable[[], float | None]] = field(default_factory=dict)
    _held: list[Poke] = field(default_factory=list)
    _apart: float = field(init=False)

    def __post_init__(self) -> None:
        self.schedule = Schedule(self.times.steady)
        self.notes = Notebook(self.state)
        self._apart = self.times.wall() - self.times.steady()
        self.paused = pauses.read(self.state)

    @property
    def state(self) -> Path:
        """The person's state folder."""
        return self.places.state_dir

    # -- who is looked after -------------------------------------------------------------------

    def begin(self) -> None:
        """Take everything up, as the settings say. Raises ConfigError and BadInput for them."""
        self._arrange(load(None, self.environment, home=self.places).settings.daemon)
        self._task("look", self._look, _LOOK)
        self._task("spool", self._spool, _LOOK)
        self._task("rescan", self._rescan, self.settings.rescan_minutes * 60)
        with suppress(StorageError):  # it is looked at from time to time as well
            hooks = self.state / "hooks"
            hooks.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.watch.add(hooks, recursive=False)

    def reload(self) -> None:
        """Take the settings up anew; broken ones change nothing and are reported."""
        try:
            self._arrange(load(None, self.environment, home=self.places).settings.daemon)
        except EngramError as error:
            self.fail("reload", error)
            return
        self.troubles.pop("reload", None)
        self._task("rescan", self._rescan, self.settings.rescan_minutes * 60)
        for keeper in self.keepers.values():
            try:
                keeper.reload()
            except EngramError as error:
                self.fail(f"reload {keeper.root}", error)
        self.log.note("reloaded", sources=" ".join(self.feeds))

    def _arrange(self, settings: DaemonSettings) -> None:
        """The feeds of the chosen sources. Raises BadInput for a source that there is none of."""
        chosen = {name: sources.source(name) for name in settings.sources}
        self.settings = settings
        for name in [name for name in self.feeds if name not in chosen]:
            self.feeds.pop(name).leave(self.watch)
            self._forget(f"feed {name}")
        for name, source in chosen.items():
            if name not in self.feeds:
                found = source.discover(self.places.home, self.environment)
                self.feeds[name] = Feed(source, found, self.notes, self.times.clock)
                self._task(f"feed {name}", partial(self._feed, name), math.inf)
        self.notes.keep_only("sources", frozenset(chosen))
        if "look" in self._tasks:
            self.schedule.soon("look")

    def _look(self) -> None:
        """Notice vaults and folders that came or went, and whether power did."""
        self.slow = self.battery()
        self.schedule.pace = _SLOWER if self.slow else 1.0
        registered = [entry.path for entry in Registry(self.places).entries()]
        for root in [root for root in self.keepers if root not in registered]:
            self.keepers.pop(root).let_go(self.watch)
            for what in ("edits", "inbox", "extract", "boxes", "night", "build"):
                self._forget(f"{what} {root}")
        for root in registered:
            if root not in self.keepers:
                self._keep(root)
            self._look_after(self.keepers[root])
        for name, feed in self.feeds.items():
            came, deaf = feed.look(self.watch)
            for error in deaf:
                self.fail(f"watch {name}", error)
            if came or len(feed):
                self.schedule.soon(f"feed {name}")

    def _keep(self, root: Path) -> None:
        keeper = Keeper(root, self._open, self.notes, self.times.clock, self.times.steady)
        self.keepers[root] = keeper
        self._task(f"edits {root}", partial(self._edits, keeper), math.inf)
        self._task(f"inbox {root}", partial(self._inbox, keeper), math.inf)
        self._task(f"extract {root}", partial(self._extract, keeper), _TICK)
        self._task(f"boxes {root}", partial(self._boxes, keeper), _BOXES)
        self._task(f"night {root}", partial(self._night, keeper), _NIGHT)
        self._task(f"build {root}", partial(self._build, keeper), _NIGHT)

    def _open(self, root: Path) -> Vault:
        return Vault.open(root, environment=self.environment, clock=self.times.clock)

    def _look_after(self, keeper: Keeper) -> None:
        task = f"open {keeper.root}"
        try:
            changed = keeper.look(self.watch)
        except EngramError as error:
            changed = keeper.vault is not None
            if self.troubles.get(task, Trouble()).code != error.code:
                self.fail(task, error)
        else:
            self.troubles.pop(task, None)
        if changed:
            self.log.note("vault_opened" if keeper.vault else "vault_away", vault=str(keeper.root))
            self._look_through(keeper)

    def _look_through(self, keeper: Keeper) -> None:
        for what in ("edits", "inbox", "extract", "boxes"):
            self.schedule.soon(f"{what} {keeper.root}")
        if keeper.root == self.target:
            for name in self.feeds:
                self.schedule.soon(f"feed {name}")

    def _task(self, name: str, work: Callable[[], float | None], seconds: float) -> None:
        self._tasks[name] = work
        self.schedule.every(name, seconds, first=0.0)

    def _forget(self, name: str) -> None:
        self._tasks.pop(name, None)
        self.troubles.pop(name, None)
        self.schedule.drop(name)

    # -- what is due ---------------------------------------------------------------------------

    def step(self, go_on: Callable[[], bool] = lambda: True) -> None:
        """Look at the hints, then do what is due, as long as it is to go on."""
        self._notice()
        for name in self.schedule.due():
            if not go_on():
                self.schedule.soon(name)
            elif name in self._tasks:
                self._do(name)

    def rest(self) -> float:
        """Seconds until something is due, if no hint comes."""
        quiet = self.dirt.rest(QUIET)
        due = self.schedule.rest()
        return due if quiet is None else min(due, quiet)

    def _notice(self) -> None:
        apart = self.times.wall() - self.times.steady()
        if abs(apart - self._apart) > _JUMP:
            self._apart = apart
            self.log.note("clock_jumped")
            self.schedule.all_soon()
            self._rescan()
        paused = pauses.read(self.state)
        if paused != self.paused:
            self.paused = paused
            self.log.note("paused" if paused != pauses.Paused() else "resumed")
            give_back(self.state, self._held)
            self._held = []
            self._rescan()
        if self.dirt.take_lost():
            self.log.note("events_lost", "warning")
            self._rescan()
        for path in self.dirt.take_quiet(QUIET):
            self._route(path)

    def _route(self, path: Path) -> None:
        for name, feed in self.feeds.items():
            if feed.note(path):
                self._happened(f"feed {name}")
        for keeper in self.keepers.values():
            what = keeper.note(path)
            if what == "settings":
                with suppress(EngramError):
                    keeper.reload()
            elif what:
                self._happened(f"{what} {keeper.root}")
            elif path == keeper.root:
                self.schedule.soon("look")
        if path.parent == self.state / "hooks":
            self.schedule.soon("spool")

    def _happened(self, task: str) -> None:
        self.last_event = self.times.clock.now()
        self._want(task)

    def _want(self, task: str) -> None:
        if task not in self.troubles:  # what fails waits for its pause, whatever happens
            self.schedule.soon(task)

    def _do(self, name: str) -> None:
        again = self.attempt(name, self._tasks[name])
        if name in self.troubles:
            self.schedule.later(name, self.troubles[name].pause)
        elif again is not None:
            self.schedule.soon(name, again)

    def attempt(self, name: str, work: Callable[[], Result]) -> Result | None:
        """Do a piece of work, and go on if it fails; None when it did."""
        try:
            done = work()
        except Exception as error:  # noqa: BLE001 - the daemon goes on, whatever a task does
            self.fail(name, error)
            return None
        if self.troubles.pop(name, None) is not None:
            self.log.note("recovered", task=name)
        return done

    def fail(self, name: str, error: Exception) -> None:
        """Log and count what went wrong."""
        trouble = self.troubles.setdefault(name, Trouble())
        trouble.count += 1
        trouble.code = error.code if isinstance(error, EngramError) else type(error).__name__
        if not isinstance(error, Locked):
            self.errors = [*self.errors, (self.times.clock.now(), name, trouble.code)][-_ERRORS:]
        level = "warning" if isinstance(error, EngramError | OSError) else "error"
        self.log.note(
            "failed", level, task=name, code=trouble.code, where=_where(error),
            again_in=round(trouble.pause),
        )  # fmt: skip

    # -- the tasks -----------------------------------------------------------------------------

    def _rescan(self) -> None:
        for name, feed in self.feeds.items():
            feed.rescan()
            self._want(f"feed {name}")
        for keeper in self.keepers.values():
            self._look_through(keeper)

    def _feed(self, name: str) -> float | None:
        keeper = self.keepers.get(self.target)
        if self.paused.covers(name) or keeper is None or not keeper.is_here(self.watch):
            return None
        fed = self.feeds[name].take(keeper.here)
        if fed.turns:
            keeper.busy()
        self._tell("took", fed, source=name)
        return 0.0 if fed.more else None

    def _edits(self, keeper: Keeper) -> None:
        if self._works(keeper) and (count := keeper.edits()):
            self.log.note("settled", vault=str(keeper.root), files=count)

    def _inbox(self, keeper: Keeper) -> float | None:
        if self.paused.covers("inbox") or not self._works(keeper):
            return None
        fed = keeper.inbox()
        self._tell("took", fed, source="inbox")
        return 1.0 if fed.more else None

    def _extract(self, keeper: Keeper) -> None:
        if self._works(keeper) and ((outcome := keeper.extract()).turns or outcome.failed):
            self.log.note(
                "extracted", vault=str(keeper.root), turns=outcome.turns,
                memories=outcome.memories, failed=outcome.failed,
            )  # fmt: skip

    def _boxes(self, keeper: Keeper) -> None:
        if self._works(keeper) and (count := keeper.boxes()):
            self.log.note("sealed", vault=str(keeper.root), boxes=count)

    def _night(self, keeper: Keeper) -> None:
        if self._works(keeper) and (done := keeper.night(self.settings.idle_minutes)) is not None:
            self.log.note("consolidated", vault=str(keeper.root), steps=len(done.steps))

    def _build(self, keeper: Keeper) -> None:
        if self._works(keeper) and keeper.build():
            self.log.note("index_built", vault=str(keeper.root))

    def _works(self, keeper: Keeper) -> bool:
        return not self.paused.everything and keeper.is_here(self.watch)

    def _tell(self, event: str, fed: Fed, **details: str) -> None:
        if fed.files or fed.problems:
            counts = {"files": fed.files, "turns": fed.turns, "memories": fed.memories}
            more = {"unreadable": fed.problems} if fed.problems else {}
            self.log.note(event, **details, **counts, **more)

    def _spool(self) -> None:
        """Take in the transcripts that hooks said had grown."""
        if self.paused.everything:
            return
        pokes = take(self.state)
        while pokes:
            poke = pokes[0]
            if self.paused.covers(poke.source):
                self._held.append(poke)
            elif (keeper := self.keepers.get(Path(poke.vault))) and Path(poke.path).is_file():
                try:
                    report, outcome = keeper.here.import_files(
                        poke.source, Path(poke.path), live=True
                    )
                except BaseException:
                    give_back(self.state, [*pokes[1:], poke])
                    raise
                if report.new_turns:
                    keeper.busy()
                fed = Fed(report.files, report.new_turns, outcome.memories, len(report.problems))
                self._tell("took", fed, source=poke.source)
            pokes = pokes[1:]

    def close(self, reason: str, *, anew: bool = False) -> None:
        """Seal what is open, give back what was not done, let everything go.

        `anew`: a task was broken off, so what it worked on is opened again.
        """
        give_back(self.state, self._held)
        self._held = []
        for keeper in self.keepers.values():
            if keeper.is_here(self.watch):
                try:
                    if anew:
                        keeper.reload()
                    count = keeper.boxes(reason)
                    self.log.note("sealed", vault=str(keeper.root), boxes=count)
                except (EngramError, OSError) as error:
                    self.fail(f"boxes {keeper.root}", error)
            keeper.let_go(self.watch)


def _where(error: Exception) -> str:
    """Module and line in which an error arose; its words may be somebody's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f"{Path(trace.tb_frame.f_code.co_filename).stem}:{trace.tb_lineno}"
