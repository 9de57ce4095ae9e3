"""A time expression in a text, and the calendar days that it means (the seed's TemporalReference).

    "we met last week", said on 2023-06-09 -> 2023-05-29..2023-06-04, granularity "week",
    also 2023-06-02..2023-06-08

Both days of a span belong to it. Source: seed 004 (reasoning layer).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from engram.model.instant import Day

Role = Literal["point", "since", "deadline"]
Granularity = Literal["day", "weekend", "week", "month", "quarter", "season", "year", "span"]

#: the confidence of an expression that has one reading only
CERTAIN = 0.9


class TimeSpan(NamedTuple):
    """`expression` is the words at `offset` of the text, resolved from the day `anchor`.

    `role_hint`: "deadline" after by, before, until, due; "since" after since, or for what still
    lasts; else "point". `confidence` is 0..1; `rule` names the form that was recognised; `also` are
    other readings, each (first day, last day).
    """

    start: Day
    end: Day
    expression: str
    offset: int
    role_hint: Role = "point"
    anchor: Day = ""
    granularity: Granularity = "day"
    confidence: float = 1.0
    rule: str = ""
    also: tuple[tuple[Day, Day], ...] = ()

    @property
    def widest(self) -> tuple[Day, Day]:
        """The span over all readings."""
        readings = ((self.start, self.end), *self.also)
        return min(first for first, _ in readings), max(last for _, last in readings)
