"""The words of a question -> what kind of answer it wants, and which days and persons it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from engram.language.when import find_times

if TYPE_CHECKING:
    from engram.model.instant import Day
    from engram.model.time_span import TimeSpan

Wanted = Literal["date", "duration", ""]

_WHEN = re.compile(r"\s*(?:when|since when|what (?:day|date|time|month|year)|how long ago)\b", re.I)


class Asked(NamedTuple):
    """`wanted` is empty for a question that asks for no time.

    `direction`: -1 for what was (did), 1 for what will be, 0 where the question does not tell.
    `unit` is the calendar unit that it names ("which year"), `spans` the days ("in July"),
    `persons` the names, as they are written.
    """

    wanted: Wanted = ""
    direction: int = 0
    unit: str = ""
    spans: tuple[TimeSpan, ...] = ()
    persons: tuple[str, ...] = ()


def what_is_asked(question: str, today: Day) -> Asked:
    """What a question wants; never raises."""
    wanted: Wanted = "date" if _WHEN.match(question) else ""
    return Asked(wanted, spans=tuple(find_times(question, today)))
