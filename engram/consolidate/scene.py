"""What every pass of consolidation is handed: the vault's contents, the time, and what changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engram.model.instant import Day, Instant, day_of
from engram.model.step import Step
from engram.ports import Contents, Judge, Model
from engram.settings.values import Settings


@dataclass(frozen=True, slots=True)
class Scene:
    """One consolidation.

    `changed` are the ids of the memories that were written, edited or removed since the last one;
    None stands for all: a full run. `model` is None where none may be asked.
    """

    contents: Contents
    now: Instant
    settings: Settings
    judge: Judge
    changed: frozenset[str] | None = None
    model: Model | None = None

    @property
    def today(self) -> Day:
        """The day of `now`, UTC."""
        return day_of(self.now)

    def concerns(self, identifier: str) -> bool:
        """Whether a memory is to be looked at in this run."""
        return self.changed is None or identifier in self.changed


Pass = Callable[[Scene], list[Step]]
