"""Task runner: tasks by name on one schedule; the error of one does not end the others.

Turns what a task raises into its code, a count, and a pause that grows from one second to five
minutes, which no event shortens; the others go on. Guarantees: of an error only its code and the
line it came from are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from engram.daemon.schedule import Schedule
from engram.daemon.state.event_log import EventLog, Level
from engram.model.errors import EngramError, Locked
from engram.model.instant import Instant
from engram.model.ports import Clock

#: the longest pause of a failing task, seconds
_LONGEST = 300.0
#: how many errors are remembered
_ERRORS = 10

#: a task; it may return in how many seconds it is to run again
Task = Callable[[], float | None]
Result = TypeVar("Result")


@dataclass(slots=True)
class TaskFailure:
    """Failures of a task: how many in a row, and the code of the last."""

    count: int = 0
    code: str = ""

    @property
    def pause(self) -> float:
        """How long the task is not run, seconds."""
        return min(2.0 ** min(self.count - 1, 20), _LONGEST)


class TaskRunner:
    """The tasks of one daemon; `steady` is a monotonic clock in seconds."""

    def __init__(self, clock: Clock, steady: Callable[[], float], log: EventLog) -> None:
        self.schedule = Schedule(steady)
        self.failures: dict[str, TaskFailure] = {}
        self.errors: list[tuple[Instant, str, str]] = []
        self._clock = clock
        self._log = log
        self._tasks: dict[str, Task] = {}

    def add(self, name: str, task: Task, seconds: float) -> None:
        """Run a task now, and each so many seconds; infinite: only on request."""
        self._tasks[name] = task
        self.schedule.every(name, seconds, first=0.0)

    def drop(self, name: str) -> None:
        """Remove a task."""
        self._tasks.pop(name, None)
        self.failures.pop(name, None)
        self.schedule.drop(name)

    def want(self, name: str, seconds: float = 0.0) -> None:
        """Run a task in so many seconds at the latest, but not in the pause after a failure."""
        if name in self._tasks and name not in self.failures:
            self.schedule.soon(name, seconds)

    def do_due(self, go_on: Callable[[], bool]) -> None:
        """Run the tasks that are due, one after the other, as long as `go_on` says so."""
        for name in self.schedule.due():
            if name not in self._tasks:
                continue
            if not go_on():
                self.schedule.soon(name)
                continue
            again = self.attempt(name, self._tasks[name])
            if name in self.failures:
                self.schedule.later(name, self.failures[name].pause)
            elif again is not None:
                self.schedule.soon(name, again)

    def attempt(self, name: str, work: Callable[[], Result]) -> Result | None:
        """Run a function; None when it raised, which is logged and counted."""
        try:
            done = work()
        except Exception as error:  # noqa: BLE001 - the daemon goes on, whatever a task raises
            self.fail(name, error)
            return None
        self.settle(name)
        return done

    def settle(self, name: str) -> None:
        """A task that failed succeeds again."""
        if self.failures.pop(name, None) is not None:
            self._log.note("recovered", task=name)

    def fail(self, name: str, error: Exception) -> None:
        """Log and count an error."""
        failure = self.failures.setdefault(name, TaskFailure())
        failure.count += 1
        failure.code = error.code if isinstance(error, EngramError) else type(error).__name__
        if not isinstance(error, Locked):  # another process writes: no error, only a wait
            self.errors = [*self.errors, (self._clock.now(), name, failure.code)][-_ERRORS:]
        level: Level = "warning" if isinstance(error, EngramError | OSError) else "error"
        self._log.note(
            "failed", level, task=name, code=failure.code, where=_where(error),
            again_in=round(failure.pause),
        )  # fmt: skip


def _where(error: Exception) -> str:
    """Module and line in which an error arose; its message may quote content."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f"{Path(trace.tb_frame.f_code.co_filename).stem}:{trace.tb_lineno}"
