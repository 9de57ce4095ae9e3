"""A time that a source tells -> as far as it is one of those that a question asks for.

    "The defence is on 7 June", said in May; "when will it be?"    the coming June
    "on 12 June 2023"; "when was it, in June?"                     is of the days that are named

Pure.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from engram.language.calendar_words import MONTHS, SEASONS, WEEKDAYS
from engram.recall.evidence import meet

if TYPE_CHECKING:
    from engram.model.instant import Day
    from engram.model.time_span import TimeSpan

_MONTH = re.compile(rf"\b(?:{'|'.join(month[:3] for month in MONTHS)})", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b(?:{'|'.join(day[:3] for day in WEEKDAYS)})", re.IGNORECASE)
_SEASONAL = re.compile(rf"{_MONTH.pattern}|\b(?:{'|'.join(SEASONS)})\b", re.IGNORECASE)
_SIDE_TOLD = re.compile(r"\b(?:(?:19|20)\d\d|last|next|this|past|ago)\b", re.IGNORECASE)


def in_one_piece(span: TimeSpan) -> TimeSpan:
    """Without readings that lie apart from the first: an answer is no time between two days."""
    first = (span.start, span.end)
    return span._replace(also=tuple(one for one in span.also if meet(one, first)))


def on_the_side_asked(span: TimeSpan, said: Day, direction: int) -> TimeSpan:
    """A weekday, or a date without a year, on the side of `said` to which the question looks.

    "The defence is on 7 June", said in May, may be read as last year's.
    """
    if direction <= 0 or span.end >= said or _SIDE_TOLD.search(span.expression):
        return span
    if _MONTH.search(span.expression):
        years, days = 1, 0
    elif _WEEKDAY.search(span.expression):
        years, days = 0, 7
    else:
        return span
    moved = [_moved(one, years, days) for one in ((span.start, span.end), *span.also)]
    if None in moved:
        return span
    (first, last), *also = filter(None, moved)
    return span._replace(start=first, end=last, also=tuple(also))


def _moved(span: tuple[Day, Day], years: int, days: int = 0) -> tuple[Day, Day] | None:
    """A span so much later; None for a 29 February that there is none of, and before 1970."""
    try:
        first, last = (
            day.replace(year=day.year + years) + timedelta(days=days)
            for day in map(date.fromisoformat, span)
        )
    except (ValueError, OverflowError):
        return None
    return (first.isoformat(), last.isoformat()) if first.year >= 1970 else None


def is_of(span: TimeSpan, named: TimeSpan) -> bool:
    """Whether a time lies in the days that a question names; "in June" is the June of any year."""
    days = [named.widest]
    if _SEASONAL.search(named.expression) and not _SIDE_TOLD.search(named.expression):
        years = int(span.start[:4]) - int(named.start[:4])
        # a winter begins in the year before
        days = [one for more in (years - 1, years) if (one := _moved(named.widest, more))]
    return any(meet(span.widest, one) for one in days)
