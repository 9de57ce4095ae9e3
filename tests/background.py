"""The real daemon as a process, and the transcripts that it watches.

`Background` starts, kills and stops `engram daemon run` with a home of its own; `say` appends turns
to a transcript as Claude Code writes them. `python -m tests.background FOLDER FIRST COUNT SESSIONS
SECONDS` is the agent at work: it says so many numbered turns in so many conversations, evenly over
so many seconds, now and then with half a line first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from engram.daemon.run import log_file
from engram.daemon.state.event_log import read_log
from engram.daemon.state.heartbeat import Heartbeat, read_heartbeat
from engram.daemon.state.instance_lock import InstanceLock
from engram.model.instant import Instant, instant_of
from tests.accounting import Said, said

_REPOSITORY = Path(__file__).parents[1]
#: how long anything is waited for, seconds; generous, because machines are busy
_PATIENCE = 120.0


class Background:
    """The daemon of one test's person, who has one vault. As a context it leaves no process."""

    def __init__(
        self, home: Path, root: Path, environment: Mapping[str, str], prefix: Sequence[str] = ()
    ) -> None:
        """`home` holds `.claude/projects` and, as the environment says, the user's files.

        `prefix` is a command that runs it.
        """
        self.home = home
        self.root = root
        clean = {key: value for key, value in os.environ.items() if not key.startswith("ENGRAM_")}
        self.environment = {
            **clean, "PYTHONPATH": str(_REPOSITORY), "XDG_RUNTIME_DIR": str(home / "run"),
            "ENGRAM_VAULT": str(root), "ENGRAM_DAEMON_SOURCES": "claude-code", **environment,
        }  # fmt: skip
        self.state = Path(environment["ENGRAM_HOME"])
        self.projects = home / ".claude" / "projects" / "-work-shop"
        self.projects.mkdir(parents=True, exist_ok=True)
        self._prefix = prefix
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Background:
        return self

    def __exit__(self, *_: object) -> None:
        if self.alive:
            self.kill()

    @property
    def pid(self) -> int:
        """Of the daemon that runs."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it; it is not waited for."""
        with open(self.home / "stderr", "ab") as errors:
            self._process = subprocess.Popen(
                [*self._prefix, sys.executable, "-m", "engram", "daemon", "run"],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
            )  # fmt: skip

    def wait_until_it_runs(self) -> None:
        """Until it sits in its seat and has told of it."""
        self.wait_for(
            lambda: InstanceLock(self.state).holder() == self.pid and self.heartbeat.pid == self.pid
        )

    def signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """As the power would go."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> float:
        """Ask it to end, which must be without an error; seconds until it was gone."""
        assert self._process is not None
        began = time.monotonic()
        self._process.terminate()
        assert self._process.wait(30) == 0, self.said()
        return time.monotonic() - began

    @property
    def alive(self) -> bool:
        """Whether it has not ended by itself."""
        return self._process is not None and self._process.poll() is None

    @property
    def heartbeat(self) -> Heartbeat:
        """What it tells of itself."""
        return read_heartbeat(self.state) or Heartbeat()

    def log(self) -> list[dict[str, Any]]:
        """What it has written down."""
        return list(read_log(log_file(self.state)))

    def events(self, name: str) -> list[dict[str, Any]]:
        """The rows of its log of one name."""
        return [row for row in self.log() if row["event"] == name]

    def said(self) -> str:
        """The end of what it has said on its standard error."""
        path = self.home / "stderr"
        return path.read_text("utf-8", "replace")[-3000:] if path.exists() else ""

    def wait_for(self, condition: Callable[[], object], patience: float = _PATIENCE) -> None:
        """Until it holds."""
        end = time.monotonic() + patience
        while not condition():
            assert self.alive, self.said()
            assert time.monotonic() < end, f"{self.heartbeat}\n{self.said()}"
            time.sleep(0.1)

    def wait_until_done(self, numbers: Iterable[int]) -> None:
        """Until the words of these turns are in the journal."""
        wanted = {said(number).token.encode("ascii") for number in numbers}

        def done() -> bool:
            segments = b"".join(path.read_bytes() for path in self.root.glob("state/turns/*.jsonl"))
            return all(token in segments for token in wanted)

        self.wait_for(done)


# -- the processes of a system ------------------------------------------------------------------


def cpu_seconds(pid: int) -> float:
    """Of user and system, since it began."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int, what: str = "VmHWM") -> float:
    """The most memory that a process ever had (or `VmRSS`: has now)."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:")) / 1024


def settle_down(pid: int, patience: float = _PATIENCE, quiet: float = 2.0) -> None:
    """Wait until a process uses next to no time any more."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        before = cpu_seconds(pid)
        time.sleep(quiet)
        if cpu_seconds(pid) - before <= 0.02 * quiet:
            return
    raise AssertionError(f"process {pid} does not come to rest")


# -- the agent ----------------------------------------------------------------------------------


def line_of(one: Said, session: str, time: Instant = "") -> bytes:
    """A turn as a line of a transcript, said now or at this time."""
    now = instant_of(time or datetime.now(UTC))
    row = {
        "type": one.role, "uuid": f"{session}-{one.token}", "sessionId": session,
        "cwd": "/work/shop", "timestamp": now, "version": "2.1.0", "isSidechain": False,
        "message": {"role": "user", "content": one.text},
    }  # fmt: skip
    if one.role == "assistant":
        row["message"] = {
            "id": f"msg_{one.token}", "role": "assistant", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": one.text}],
        }  # fmt: skip
    return json.dumps(row).encode("ascii") + b"\n"


def say(folder: Path, session: str, numbers: Iterable[int], time: Instant = "") -> Path:
    """Append turns to the transcript of a session."""
    path = folder / f"{session}.jsonl"
    with open(path, "ab", buffering=0) as stream:
        stream.write(b"".join(line_of(said(number), session, time) for number in numbers))
    return path


def speaker(
    folder: Path, first: int, count: int, sessions: int, seconds: float
) -> subprocess.Popen[bytes]:
    """An agent as a process of its own."""
    arguments = [str(folder), str(first), str(count), str(sessions), str(seconds)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.background", *arguments],
        env={**os.environ, "PYTHONPATH": str(_REPOSITORY)},
    )


def speak(folder: Path, first: int, count: int, sessions: int, seconds: float) -> None:
    """Say so many turns, from this number on, evenly over the time."""
    streams = [
        open(folder / f"session-{first}-{number}.jsonl", "ab", buffering=0)  # noqa: SIM115 - many
        for number in range(sessions)
    ]
    began = time.monotonic()
    for number in range(first, first + count):
        place = number % sessions
        line = line_of(said(number), f"session-{first}-{place}")
        _write(streams[place], line, in_halves=number % 13 == 0)
        late = began + seconds * (number - first + 1) / count - time.monotonic()
        if late > 0:
            time.sleep(late)
    for stream in streams:
        stream.close()


def _write(stream: IO[bytes], line: bytes, *, in_halves: bool) -> None:
    middle = len(line) // 2 if in_halves else 0
    if middle:
        stream.write(line[:middle])
        time.sleep(0.001)
    stream.write(line[middle:])


if __name__ == "__main__":
    _, folder, *numbers, seconds = sys.argv
    speak(Path(folder), *map(int, numbers), float(seconds))
