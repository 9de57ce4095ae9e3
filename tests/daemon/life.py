"""What tests of the daemon live with: a real process of it, and rounds whose time is a number."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engram.daemon.debounce import Debouncer
from engram.daemon.loop import DaemonLoop, TaskIntervals
from engram.daemon.state.event_log import EventLog, read_log
from engram.model.instant import instant_of
from engram.settings.paths import places_of
from engram.store.base.clock import FixedClock
from engram.vault import Vault

#: a promise about behaviour, not about speed: far more than it takes
PATIENCE = 120.0
#: the command line, with a daemon that looks every half second what came or went, not every ten
_COMMAND = """
from engram.daemon import loop
from engram.surfaces.cli.app import main
loop._LOOK = loop._TICK = 0.5
main()
"""


def until(condition: Callable[[], object], what: str) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"waited in vain for {what}")
        time.sleep(0.05)


def started(environment: Mapping[str, str], *arguments: str) -> subprocess.Popen[str]:
    """A real process of the command line."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ENGRAM_")}
    return subprocess.Popen(
        [sys.executable, "-c", _COMMAND, *arguments],
        env=clean | environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def ran(environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command that has ended."""
    process = started(environment, *arguments)
    out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


@contextmanager
def daemon(environment: Mapping[str, str], *vault: Path) -> Iterator[subprocess.Popen[str]]:
    """`engram daemon run`, until the block ends; what it says goes to its log as well.

    Without a vault it is the person's own one.
    """
    named = [word for one in vault for word in ("--vault", str(one))]
    process = started(environment, *named, "daemon", "run")
    try:
        until(lambda: "started" in events(environment) or process.poll() is not None, "its start")
        assert process.poll() is None, process.communicate()[1]
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "Traceback" not in said


def rows(environment: Mapping[str, str]) -> list[dict[str, Any]]:
    """What is in the daemon's log."""
    return list(read_log(Path(environment["ENGRAM_HOME"]) / "daemon" / "log.jsonl"))


def events(environment: Mapping[str, str]) -> list[str]:
    """The names of what happened."""
    return [str(row["event"]) for row in rows(environment)]


def watch_source(environment: Mapping[str, str], *names: str) -> None:
    """Choose the sources that the daemon watches."""
    home = Path(environment["ENGRAM_HOME"])
    home.mkdir(exist_ok=True)
    listed = ", ".join(f'"{name}"' for name in names)
    (home / "config.toml").write_text(f"[daemon]\nsources = [{listed}]\n", encoding="utf-8")


def said(text: str, number: int, session: str = "s1") -> str:
    """One line of a transcript of Claude Code."""
    row = {
        "type": "user", "uuid": f"{session}-{number}", "sessionId": session, "cwd": "/w/shop",
        "timestamp": f"2026-03-06T{number // 60 % 12:02d}:{number % 60:02d}:00Z", "version": "2.1",
        "message": {"role": "user", "content": text},
    }  # fmt: skip
    return json.dumps(row) + "\n"


class Hours(FixedClock):
    """Time as a number: it passes when a test says so, for instants and for seconds alike."""

    def __init__(self, start: float = 1_772_800_000.0) -> None:
        super().__init__(instant_of(int(start)))
        self._start = start
        self.passed = 0.0
        self.asleep = 0.0

    def steady(self) -> float:
        return self.passed

    def wall(self) -> float:
        return self._start + self.passed + self.asleep

    def go(self, seconds: float, *, asleep: bool = False) -> None:
        """Let time pass; while the machine sleeps the steady seconds stand still."""
        if asleep:
            self.asleep += seconds
        else:
            self.passed += seconds
        self._instant = instant_of(int(self.wall()))


class Blind:
    """A watch that hears nothing: events are hints, scans are truth."""

    def __init__(self) -> None:
        self.folders: list[Path] = []
        self.polled: list[Path] = []

    def add(self, folder: Path, **_: object) -> None:
        self.folders.append(folder)

    def remove(self, folder: Path) -> None:
        if folder in self.folders:
            self.folders.remove(folder)

    def holds(self, folder: Path) -> bool:
        return folder in self.folders and folder.is_dir()


class Life:
    """Rounds whose time is a number, and which hear of nothing that nobody tells them."""

    def __init__(
        self, target: Path, environment: Mapping[str, str], *, battery: bool = False,
        vault: type[Vault] = Vault,
    ) -> None:  # fmt: skip
        self.hours = Hours()
        self.debouncer = Debouncer(self.hours.steady)
        places = places_of(environment)
        self.log = EventLog(places.state_dir / "daemon" / "log.jsonl", self.hours, lambda _: None)
        times = TaskIntervals(self.hours, self.hours.steady, self.hours.wall)
        self.loop = DaemonLoop(
            target, places, environment, times, self.log, self.debouncer,
            Blind(), lambda: battery, vault,  # type: ignore[arg-type]
        )  # fmt: skip
        self.loop.begin()

    def live(self, seconds: float) -> int:
        """Go on for so long; returns how often something was due."""
        end = self.hours.passed + seconds
        steps = 0
        while True:
            self.loop.step()
            steps += 1
            rest = max(self.loop.rest(), 0.001)
            if self.hours.passed + rest >= end:
                self.hours.go(end - self.hours.passed)
                return steps
            self.hours.go(rest)

    def close(self) -> None:
        self.loop.close("shutdown")
