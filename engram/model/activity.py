"""Activity of a vault: what was said, learnt, refused and paid for, by week, project and model.

Values only; `queries/weekly_activity` counts them. A week begins on Monday, in the vault's time
zone. What was said before or after the days that were asked for is in none of these numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engram.model.instant import Day


@dataclass(frozen=True, slots=True)
class WeekActivity:
    """The week of a Monday. `turns` were said in it, `memories` learnt from what was said in it;
    `tokens` and `usd` (US dollars) were used in it, whatever the requests were about."""

    monday: Day
    turns: int = 0
    memories: int = 0
    tokens: int = 0
    usd: float = 0.0


@dataclass(frozen=True, slots=True)
class ProjectActivity:
    """One project; `project` is empty for what belongs to none."""

    project: str
    turns: int
    memories: int


@dataclass(frozen=True, slots=True)
class ModelSpending:
    """Requests to one model, their tokens of both directions, and US dollars."""

    model: str
    requests: int
    tokens: int
    usd: float


@dataclass(frozen=True, slots=True)
class Activity:
    """All of it, from the day `since` to before the day `before`.

    `weeks` has every week in between, in order; `projects` and `models` the largest first;
    `refused` how many candidates by code, by the time of their turn. `earliest` is the day of the
    oldest turn or memory of all, empty where there is none.
    """

    since: Day
    before: Day
    weeks: tuple[WeekActivity, ...] = ()
    projects: tuple[ProjectActivity, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)
    models: tuple[ModelSpending, ...] = ()
    earliest: Day = ""

    @property
    def turns(self) -> int:
        """Turns of all weeks."""
        return sum(week.turns for week in self.weeks)

    @property
    def memories(self) -> int:
        """Memories of all weeks."""
        return sum(week.memories for week in self.weeks)
