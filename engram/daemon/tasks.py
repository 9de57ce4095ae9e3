"""The rota: tasks by name on one schedule, each done when it is due, none of them ever the end.

Turns what a task raises into its code, a count, and a pause that grows from one second to five
minutes, in which no event hurries it; the others go on. Guarantees: nothing that was raised is kept
but its code and the line it came from.
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

#: the longest pause of a task that fails, seconds
_LONGEST = 300.0
#: the errors that are remembered
_ERRORS = 10

#: what is done; it may return in how many seconds it is wanted again
Task = Callable[[], float | None]
Result = TypeVar("Result")


@dataclass(slots=True)
class TaskFailure:
    """A task that fails: how often in a row, and as what."""

    count: int = 0
    code: str = ""

    @property
    def pause(self) -> float:
        """How long it is left alone, seconds."""
        return min(2.0 ** min(self.count - 1, 20), _LONGEST)


class TaskRunner:
    """The tasks of one daemon; `steady` gives seconds that never go back."""

    def __init__(self, clock: Clock, steady: Callable[[], float], log: EventLog) -> None:
        self.schedule = Schedule(steady)
        self.troubles: dict[str, TaskFailure] = {}
        self.errors: list[tuple[Instant, str, str]] = []
        self._clock = clock
        self._log = log
        self._tasks: dict[str, Task] = {}

    def add(self, name: str, task: Task, seconds: float) -> None:
        """Do a task now, and each so many seconds; infinite: only when it is wanted."""
        self._tasks[name] = task
        self.schedule.every(name, seconds, first=0.0)

    def drop(self, name: str) -> None:
        """Never do it again."""
        self._tasks.pop(name, None)
        self.troubles.pop(name, None)
        self.schedule.drop(name)

    def want(self, name: str) -> None:
        """Do a task soon, but not in the pause of one that fails."""
        if name in self._tasks and name not in self.troubles:
            self.schedule.soon(name)

    def do_due(self, go_on: Callable[[], bool]) -> None:
        """Do what is due, one after the other, as long as it is to go on."""
        for name in self.schedule.due():
            if name not in self._tasks:
                continue
            if not go_on():
                self.schedule.soon(name)
                continue
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
        self.settle(name)
        return done

    def settle(self, name: str) -> None:
        """Something that failed does no longer."""
        if self.troubles.pop(name, None) is not None:
            self._log.note("recovered", task=name)

    def fail(self, name: str, error: Exception) -> None:
        """Log and count what went wrong."""
        trouble = self.troubles.setdefault(name, TaskFailure())
        trouble.count += 1
        trouble.code = error.code if isinstance(error, EngramError) else type(error).__name__
        if not isinstance(error, Locked):  # somebody else writes: no error, only a wait
            self.errors = [*self.errors, (self._clock.now(), name, trouble.code)][-_ERRORS:]
        level: Level = "warning" if isinstance(error, EngramError | OSError) else "error"
        self._log.note(
            "failed", level, task=name, code=trouble.code, where=_where(error),
            again_in=round(trouble.pause),
        )  # fmt: skip


def _where(error: Exception) -> str:
    """Module and line in which an error arose; its words may be somebody's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f"{Path(trace.tb_frame.f_code.co_filename).stem}:{trace.tb_lineno}"
