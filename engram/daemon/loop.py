"""The rounds: everything that the daemon looks after, and when, one thing after the other.

Turns hints, timers and what the person paused into the work of feeds (one a source) and keepers
(one a vault). Guarantees: one thread does all of it; hints only say where to look, and a full look
comes at the start, when hints were lost, after a sleep and every few minutes; what is paused is
left for later. Everything that tells the time is handed in, so that a day can be lived through in a
moment.
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
from engram.daemon.debounce import Dirt
from engram.daemon.free_memory import relieve
from engram.daemon.power import on_battery
from engram.daemon.source_worker import Fed, Feed
from engram.daemon.spool import Poke, give_back, take
from engram.daemon.state import pause
from engram.daemon.state.event_log import Logbook
from engram.daemon.state.last_runs import Notebook
from engram.daemon.tasks import Rota
from engram.daemon.vault_worker import Keeper
from engram.daemon.watch import Watch
from engram.model.errors import EngramError, StorageError
from engram.model.instant import Instant
from engram.model.ports import Clock
from engram.model.settings import DaemonSettings
from engram.settings.load import load
from engram.settings.paths import Places
from engram.settings.registry import Registry
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
#: turns after which memory is given back
_MUCH = 500
#: what is done for each vault
_DUTIES = ("edits", "inbox", "extract", "boxes", "night", "build")


@dataclass(frozen=True, slots=True)
class Times:
    """What tells the time: instants, seconds that never go back, seconds that a person may set."""

    clock: Clock
    steady: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


class Rounds:
    """The work of one daemon: `step` does what is due, `rest` says how long nothing will be."""

    def __init__(
        self, target: Path, places: Places, environment: Mapping[str, str], times: Times,
        log: Logbook, dirt: Dirt, watch: Watch, battery: Callable[[], bool] = on_battery,
    ) -> None:  # fmt: skip
        self.target = target
        self.rota = Rota(times.clock, times.steady, log)
        self.feeds: dict[str, Feed] = {}
        self.keepers: dict[Path, Keeper] = {}
        self.last_event: Instant = ""
        self.slow = False
        self.dirt = dirt
        self.watch = watch
        self._places = places
        self._state = places.state_dir
        self._environment = environment
        self._times = times
        self._log = log
        self._battery = battery
        self._notes = Notebook(self._state)
        self._settings = DaemonSettings()
        self._held: list[Poke] = []
        self._much = 0
        self._apart = times.wall() - times.steady()
        self.paused = pause.read(self._state)

    # -- who is looked after -------------------------------------------------------------------

    def begin(self) -> None:
        """Take everything up, as the settings say. Raises ConfigError and BadInput for them."""
        self._arrange()
        self.rota.add("look", self._look, _LOOK)
        self.rota.add("spool", self._spool, _LOOK)
        with suppress(StorageError):  # it is looked at from time to time as well
            hooks = self._state / "hooks"
            hooks.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.watch.add(hooks, recursive=False)

    def reload(self) -> None:
        """Take the settings up anew; broken ones change nothing and are reported."""
        try:
            self._arrange()
        except EngramError as error:
            self.rota.fail("reload", error)
            return
        self.rota.settle("reload")
        for keeper in self.keepers.values():
            self._renew(keeper)
        self._log.note("reloaded", sources=" ".join(self.feeds))

    def _renew(self, keeper: Keeper) -> None:
        try:
            keeper.reload()
        except EngramError as error:
            self.rota.fail(f"reload {keeper.root}", error)
        else:
            self.rota.settle(f"reload {keeper.root}")

    def _arrange(self) -> None:
        """A feed for each chosen source. Raises ConfigError, BadInput for one there is none of."""
        settings = load(None, self._environment, home=self._places).settings.daemon
        chosen = {name: sources.source(name) for name in settings.sources}
        self._settings = settings
        for name in [name for name in self.feeds if name not in chosen]:
            self.feeds.pop(name).leave(self.watch)
            self.rota.drop(f"feed {name}")
        for name, source in chosen.items():
            if name not in self.feeds:
                found = source.discover(self._places.home, self._environment)
                self.feeds[name] = Feed(source, found, self._notes, self._times.clock)
                self.rota.add(f"feed {name}", partial(self._feed, name), math.inf)
        self._notes.keep_only("sources", frozenset(chosen))
        self.rota.add("rescan", self._rescan, settings.rescan_minutes * 60)
        self.rota.want("look")

    def _look(self) -> None:
        """Notice vaults and folders that came or went, and whether power did."""
        self.slow = self._battery()
        self.rota.schedule.pace = _SLOWER if self.slow else 1.0
        registered = [entry.path for entry in Registry(self._places).entries()]
        for root in [root for root in self.keepers if root not in registered]:
            self.keepers.pop(root).let_go(self.watch)
            for duty in (*_DUTIES, "open"):
                self.rota.drop(f"{duty} {root}")
        for root in registered:
            if root not in self.keepers:
                self._keep(root)
            self._look_after(self.keepers[root])
        for name, feed in self.feeds.items():
            came, deaf = feed.look(self.watch)
            for error in deaf:
                self.rota.fail(f"watch {name}", error)
            if came or len(feed):
                self.rota.want(f"feed {name}")

    def _keep(self, root: Path) -> None:
        open_vault = partial(Vault.open, environment=self._environment, clock=self._times.clock)
        keeper = Keeper(root, open_vault, self._notes, self._times.clock, self._times.steady)
        self.keepers[root] = keeper
        self.rota.add(f"edits {root}", partial(self._edits, keeper), math.inf)
        self.rota.add(f"inbox {root}", partial(self._inbox, keeper), math.inf)
        self.rota.add(f"extract {root}", partial(self._extract, keeper), _TICK)
        self.rota.add(f"boxes {root}", partial(self._boxes, keeper), _BOXES)
        self.rota.add(f"night {root}", partial(self._night, keeper), _NIGHT)
        self.rota.add(f"build {root}", partial(self._build, keeper), _NIGHT)

    def _look_after(self, keeper: Keeper) -> None:
        task = f"open {keeper.root}"
        before = keeper.vault
        try:
            keeper.look(self.watch)
        except EngramError as error:
            known = self.rota.troubles.get(task)
            if known is None or known.code != error.code:  # once, not each time it is looked
                self.rota.fail(task, error)
        else:
            self.rota.settle(task)
        if keeper.vault is not before:
            self._log.note("vault_opened" if keeper.vault else "vault_away", vault=str(keeper.root))
            self._look_through(keeper)

    def _look_through(self, keeper: Keeper) -> None:
        for duty in ("edits", "inbox", "extract", "boxes"):
            self.rota.want(f"{duty} {keeper.root}")
        if keeper.root == self.target:
            for name in self.feeds:
                self.rota.want(f"feed {name}")

    # -- what is due ---------------------------------------------------------------------------

    def step(self, go_on: Callable[[], bool] = lambda: True) -> None:
        """Look at the hints, then do what is due, as long as it is to go on."""
        self._notice()
        self.rota.do_due(go_on)

    def rest(self) -> float:
        """Seconds until something is due, if no hint comes."""
        quiet = self.dirt.rest(QUIET)
        due = self.rota.schedule.rest()
        return due if quiet is None else min(due, quiet)

    def _notice(self) -> None:
        apart = self._times.wall() - self._times.steady()
        if abs(apart - self._apart) > _JUMP:
            self._apart = apart
            self._log.note("clock_jumped")
            self.rota.schedule.all_soon()
            self._rescan()
        paused = pause.read(self._state)
        if paused != self.paused:
            self.paused = paused
            self._log.note("paused" if paused != pause.Paused() else "resumed")
            self._give_back()
            self._rescan()
        if self.dirt.take_lost():
            self._log.note("events_lost", "warning")
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
                self._renew(keeper)
            elif what:
                self._happened(f"{what} {keeper.root}")
            elif path == keeper.root:
                self.rota.want("look")
        if path.parent == self._state / "hooks":
            self.rota.want("spool")

    def _happened(self, task: str) -> None:
        self.last_event = self._times.clock.now()
        self.rota.want(task)

    # -- the tasks -----------------------------------------------------------------------------

    def _rescan(self) -> None:
        for name, feed in self.feeds.items():
            feed.rescan()
            self.rota.want(f"feed {name}")
        for keeper in self.keepers.values():
            self._look_through(keeper)

    def _feed(self, name: str) -> float | None:
        keeper = self.keepers.get(self.target)
        if self.paused.covers(name) or keeper is None or not keeper.is_here(self.watch):
            return None
        fed = self.feeds[name].take(keeper.here)
        if fed.turns:
            keeper.busy()
        self._tell(fed, name)
        self._much += fed.turns
        if not fed.more and self._much >= _MUCH:
            self._much = 0
            relieve()
        return 0.0 if fed.more else None

    def _edits(self, keeper: Keeper) -> None:
        if self._works(keeper) and (count := keeper.edits()):
            self._log.note("settled", vault=str(keeper.root), files=count)

    def _inbox(self, keeper: Keeper) -> float | None:
        if self.paused.covers("inbox") or not self._works(keeper):
            return None
        fed = keeper.inbox()
        self._tell(fed, "inbox")
        return 1.0 if fed.more else None

    def _extract(self, keeper: Keeper) -> None:
        if self._works(keeper) and ((outcome := keeper.extract()).turns or outcome.failed):
            self._log.note(
                "extracted", vault=str(keeper.root), turns=outcome.turns,
                memories=outcome.memories, failed=outcome.failed,
            )  # fmt: skip

    def _boxes(self, keeper: Keeper) -> None:
        if self._works(keeper) and (count := keeper.boxes()):
            self._log.note("sealed", vault=str(keeper.root), boxes=count)

    def _night(self, keeper: Keeper) -> None:
        if self._works(keeper) and (done := keeper.night(self._settings.idle_minutes)) is not None:
            self._log.note("consolidated", vault=str(keeper.root), steps=len(done.steps))

    def _build(self, keeper: Keeper) -> None:
        if self._works(keeper) and keeper.build():
            self._log.note("index_built", vault=str(keeper.root))
            relieve()

    def _works(self, keeper: Keeper) -> bool:
        return not self.paused.everything and keeper.is_here(self.watch)

    def _tell(self, fed: Fed, source: str) -> None:
        if fed.files or fed.problems:
            self._log.note(
                "took", source=source, files=fed.files, turns=fed.turns, memories=fed.memories,
                unreadable=fed.problems,
            )  # fmt: skip

    def _spool(self) -> None:
        """Take in the transcripts that hooks said had grown."""
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

    def _follow(self, poke: Poke) -> None:
        keeper, path = self.keepers.get(Path(poke.vault)), Path(poke.path)
        if keeper is None or not path.is_file():
            return  # the vault is no longer registered, or the transcript is gone
        report, outcome = keeper.here.import_files(poke.source, path, live=True)
        if report.new_turns:
            keeper.busy()
        problems = len(report.problems)
        self._tell(Fed(report.files, report.new_turns, outcome.memories, problems), poke.source)

    def _give_back(self) -> None:
        give_back(self._state, self._held)
        self._held = []

    def close(self, reason: str, *, anew: bool = False) -> None:
        """Seal what is open, give back what was not done, let everything go.

        `anew`: a task was broken off, so what it worked on is opened again.
        """
        self._give_back()
        for keeper in self.keepers.values():
            if keeper.is_here(self.watch):
                if anew:
                    self._renew(keeper)
                count = self.rota.attempt(f"boxes {keeper.root}", partial(keeper.boxes, reason))
                if count:
                    self._log.note("sealed", vault=str(keeper.root), boxes=count)
            keeper.let_go(self.watch)
