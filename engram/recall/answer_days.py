"""The days and lengths of time in a model's answer -> whether its sources bear them out.

A day counts that begins or ends as a reading of a cited span does, and a calendar unit that holds
one; nothing narrower, for that was never said. A length of time stands in a source, or is what lies
between two such days, or between one and the day of the question. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import combinations
from typing import TYPE_CHECKING

from engram.language.calendar_spans import unit_of
from engram.language.calendar_words import NUMBERS
from engram.language.when import find_times

if TYPE_CHECKING:
    from engram.model.instant import Day
    from engram.recall.model_question import ShownSource

_NUMBERS = {"a": 1, "an": 1, **NUMBERS}
_LENGTH = re.compile(
    rf"\b(\d{{1,6}}|{'|'.join(_NUMBERS)})[ -]"
    r"(second|minute|hour|day|week|month|year)s?\b(?: (?:ago|before|earlier|later))?",
    re.IGNORECASE,
)
#: what is left of a time when its day is taken out
_UNIT = re.compile(r"\b(?:day|week|weekend|month|year|since|before|after|until)s?\b", re.IGNORECASE)
#: a day beside which something else is dated: "the week before 9 June", "said on 9 June"
_BESIDE = re.compile(r"\b(?:before|after|of|said|told|wrote|reported|mentioned)(?: on)? $")

Length = tuple[int, str]


class CitedDays:
    """What the sources of an answer tell of days; `today` is the day of the question."""

    def __init__(self, cited: Sequence[ShownSource], today: Day) -> None:
        self._today = today
        spans = [span for one in cited for span in one.spans]
        self._said = {one.source.said for one in cited} - {""}
        self._expressions = {span.expression.casefold() for span in spans}
        own = {one.source.said for one in cited if not one.spans} - {""}
        self._readings = {(span.start, span.end) for span in spans} | {(day, day) for day in own}
        self._readings |= {span.widest for span in spans}
        self._readings |= {days for span in spans for days in span.also}
        self._starts = {start for start, _ in self._readings}
        self._ends = {end for _, end in self._readings}
        if any(span.role_hint == "since" for span in spans):
            self._ends.add(today)
        self._lengths = {length for one in cited for length in _lengths(one.text)}

    def hold(self, start: Day, end: Day) -> bool:
        """Whether a span of days is what the sources tell, or a calendar unit that has it."""
        if start in self._starts and end in self._ends:
            return True
        return _is_unit(start, end) and any(
            start <= first and last <= end for first, last in self._readings
        )

    def plain(
        self, text: str, start: Day = "", end: Day = "", *, quoting: bool = False
    ) -> str | None:
        """A text without its days and lengths of time; None where one is not borne out.

        With `start` and `end`, the days of the answer, every day of the text has one of them. Where
        it is `quoting`, words of time may be those of a source, which meant them on its own day.
        """
        for span in reversed(find_times(text, self._today, least=0)):
            at, after = span.offset, span.offset + len(span.expression)
            beside = span.start == span.end in self._said and _BESIDE.search(text[:at].casefold())
            quoted = quoting and span.expression.casefold() in self._expressions
            apart = start and not beside and (span.end < start or end < span.start)
            reckoned = any(one in self._since_today() for one in _lengths(span.expression))
            if apart or not (quoted or reckoned or beside or self.hold(*span.widest)):
                return None
            text = f"{text[:at]} {text[after:]}"
        told = self._lengths | self._reckoned()
        if any(one not in told for one in _lengths(text)):
            return None
        return _UNIT.sub(" ", _LENGTH.sub(" ", text))

    def _since_today(self) -> set[Length]:
        days = self._starts | self._ends
        return {one for day in days for one in _between(*sorted((day, self._today)))}

    def _reckoned(self) -> set[Length]:
        days = sorted(self._starts | self._ends | self._said | {self._today})
        return {one for pair in combinations(days, 2) for one in _between(*pair)}


def _lengths(text: str) -> Iterator[Length]:
    """Every length of time in a text."""
    for found in _LENGTH.finditer(text):
        number, unit = found[1].casefold(), found[2].casefold()
        count = int(number) if number.isdigit() else _NUMBERS[number]
        yield count, unit


def _between(first: Day, last: Day) -> Iterator[Length]:
    """What the time between two days may be called, whole units passed or rounded.

    Months also as those beyond whole years: "2 years and 8 months".
    """
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    days = (end - start).days
    months = (end.year - start.year) * 12 + end.month - start.month - (end.day < start.day)
    yield days, "day"
    for count, unit in ((days / 7, "week"), (days / 30.44, "month"), (days / 365.25, "year")):
        yield round(count), unit
    yield days // 7, "week"
    yield months, "month"
    yield months // 12, "year"
    yield months % 12, "month"


def _is_unit(start: Day, end: Day) -> bool:
    """Whether two days are the first and the last one of a week, month, quarter or year."""
    if end > "9999-12-26":  # the last week that is whole
        return False
    days = date.fromisoformat(start), date.fromisoformat(end)
    return any(unit_of(days[1], unit) == days for unit in ("week", "month", "quarter", "year"))


def day_in(value: object) -> Day | None:
    """A day that a model gave; '' for none, None for what is no day between 1970 and 9999."""
    if value in ("", None):
        return ""
    try:
        day = date.fromisoformat(value) if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None
    return day.isoformat() if day and day.year >= 1970 else None


def days_in(texts: Iterable[str], today: Day) -> set[tuple[Day, Day]]:
    """The spans of days that texts name."""
    return {span.widest for text in texts for span in find_times(text, today, least=0)}
