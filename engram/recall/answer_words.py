"""A time that answers a question -> the words of the answer, in English.

    "last week", said on 9 June 2023       in the week before 9 June 2023 (29 May - 8 June)
    "a few years ago", said in 2023        a few years before 2023 (2017-2021)
    how long ago? 4 May 2023, asked on 23  19 days ago (4 May 2023)
    which year? 7 May 2023                 2023 (7 May)

The year is always told. Counts of more than days are rounded and say "about"; of a stretch that is
longer than what is counted both ends are given ("2-3 weeks ago"). Seasons are those of the north.
Pure.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import TYPE_CHECKING

from engram.language.calendar_words import MONTHS
from engram.model.instant import weekday_of

if TYPE_CHECKING:
    from engram.model.instant import Day
    from engram.model.time_span import TimeSpan
    from engram.recall.asked import Asked

_A_DAY = timedelta(days=1)
_SEASONS = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
_MONTHS_OF = {"month": 1, "quarter": 3, "season": 3, "year": 12}
#: days in what is counted
_LENGTHS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
#: what a time is counted in by default
_COUNTED = {"day": "day", "weekend": "day", "week": "week", "month": "month", "quarter": "month",
            "season": "month", "year": "year"}  # fmt: skip
#: from so many on the next larger unit counts
_TOO_MANY = {"day": (61, "month"), "week": (9, "month"), "month": (24, "year")}
_VAGUE = re.compile(r"\b((?:a )?few|several) (day|week|month|year)s\b", re.IGNORECASE)


def answer_words(span: TimeSpan, asked: Asked, today: Day) -> str:
    """What answers a question of `today`: a date, or the duration where one is wanted."""
    if asked.wanted == "duration":
        return _duration(span, asked, today)
    if asked.unit and span.role_hint != "deadline":
        return _of_unit(span, asked.unit) or time_in_words(span)
    return time_in_words(span)


def time_in_words(span: TimeSpan) -> str:
    """When: `7 May 2023`, `in June 2023`, `since 2016`, `by 3 May 2023`."""
    if span.role_hint == "deadline":
        return f"by {day_in_words(span.end)}"
    if span.role_hint == "since":
        return f"since {_named(span)}"
    return _vague(span) or _week(span) or _plainly(span)


def day_in_words(day: Day) -> str:
    """`7 May 2023`."""
    return _day(date.fromisoformat(day))


# -- a stretch of days ----------------------------------------------------------------------------


def _day(day: date, *, year: bool = True) -> str:
    name = f"{day.day} {_month(day)}"
    return f"{name} {day.year}" if year else name


def _month(day: date) -> str:
    return MONTHS[day.month - 1].capitalize()


def _bounds(span: TimeSpan) -> tuple[date, date]:
    return date.fromisoformat(span.start), date.fromisoformat(span.end)


def _widest(span: TimeSpan) -> tuple[date, date]:
    first, last = span.widest
    return date.fromisoformat(first), date.fromisoformat(last)


def _days(first: date, last: date, *, between: str = "-", year: bool = True) -> str:
    """`6-7 May 2023`; `29 May - 4 June 2023`; with another word: `6 and 7 May 2023`."""
    apart = between if between == "-" else f" {between} "
    if first == last:
        return _day(first, year=year)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}{apart}{_day(last, year=year)}"
    begun = _day(first, year=first.year != last.year)
    return f"{begun} {between} {_day(last, year=year)}"


def _calendar_name(first: date, last: date, granularity: str) -> str:
    """`June 2023`, `summer 2022`, `2017-2021`; empty for what is no whole months."""
    if first.day != 1 or last.day != monthrange(last.year, last.month)[1]:
        return ""
    if (first.month, last.month) == (1, 12):
        return f"{first.year}" if first.year == last.year else f"{first.year}-{last.year}"
    if (first.year, first.month) == (last.year, last.month):
        return f"{_month(first)} {first.year}"
    if granularity == "season" and first.month in _SEASONS:
        years = f"{first.year}" + (f"/{last.year % 100:02}" if last.year > first.year else "")
        return f"{_SEASONS[first.month]} {years}"
    if granularity == "quarter":
        return f"Q{(first.month + 2) // 3} {first.year}"
    if first.year == last.year:
        return f"{_month(first)}-{_month(last)} {first.year}"
    return f"{_month(first)} {first.year} - {_month(last)} {last.year}"


def _named(span: TimeSpan) -> str:
    """The days of a time, without a preposition."""
    first, last = _bounds(span)
    if span.granularity == "weekend":
        return f"the weekend of {_days(first, last)}"
    if span.granularity == "week":
        return f"the week of {_days(first, last)}"
    others = [day for day, until in span.also if day == until]
    if first == last and others:
        return f"{_day(first)} or {day_in_words(others[0])}"
    return _calendar_name(first, last, span.granularity) or _days(first, last)


def _plainly(span: TimeSpan) -> str:
    """The days of a time with the preposition that they take."""
    first, last = _bounds(span)
    name = _named(span)
    if first == last or span.granularity == "weekend":
        return name
    if name == _days(first, last):
        return f"between {_days(first, last, between='and')}"
    if span.granularity == "span" and " - " in name:
        return f"between {name.replace(' - ', ' and ')}"
    return f"in {name}"


def _week(span: TimeSpan) -> str:
    """The week before or after a day: that of the calendar, or the seven days next to it."""
    if span.granularity != "week":
        return ""
    first, last = _widest(span)
    said = date.fromisoformat(span.anchor or span.start)
    two = (last - first).days >= 7
    if said > last and (two or said - last == _A_DAY):
        place, day = "before", last + _A_DAY
    elif said < first and (two or first - said == _A_DAY):
        place, day = "after", first - _A_DAY
    else:
        return ""
    days = _days(first, last, year=not first.year == last.year == day.year)
    return f"in the week {place} {_day(day)} ({days})"


def _vague(span: TimeSpan) -> str:
    """`a few years before 2023 (2017-2021)`, as it was said."""
    vague = _VAGUE.search(span.expression)
    if vague is None or not span.end < span.anchor:
        return ""
    (first, last), said = _widest(span), date.fromisoformat(span.anchor)
    count, unit = vague[1].lower(), vague[2].lower()
    before = {"year": f"{said.year}", "month": f"{_month(said)} {said.year}"}.get(unit, _day(said))
    days = _calendar_name(first, last, "span") or _days(
        first, last, year=not first.year == last.year == said.year
    )
    return f"{count} {unit}s before {before} ({days})"


# -- the unit that was asked for ------------------------------------------------------------------


def _of_unit(span: TimeSpan, unit: str) -> str:
    """`2023 (7 May)`: the unit that holds the time; empty where none holds all of it."""
    first, last = _widest(span)
    if unit == "day":
        return f"{weekday_of(span.start)}, {_day(first)}" if first == last else ""
    start, end = _unit(first, unit)
    if last > end:
        return ""
    name = _calendar_name(start, end, unit) or f"the week of {_days(start, end)}"
    if (start, end) == (first, last):
        return name
    told = _named(span)
    if start.year == end.year:
        told = told.removesuffix(f" {end.year}")
    return f"{name} ({told})"


def _unit(day: date, unit: str) -> tuple[date, date]:
    """The first and last day of the week, month, quarter, season or year that holds a day."""
    if unit == "week":
        monday = day - day.weekday() * _A_DAY
        return monday, monday + 6 * _A_DAY
    months = _MONTHS_OF[unit]
    begun = day.year * 12 + day.month - 1 - (day.month - (unit != "season")) % months
    year, month = divmod(begun, 12)
    until_year, until_month = divmod(begun + months - 1, 12)
    length = monthrange(until_year, until_month + 1)[1]
    return date(year, month + 1, 1), date(until_year, until_month + 1, length)


# -- durations ------------------------------------------------------------------------------------


def _duration(span: TimeSpan, asked: Asked, today: Day) -> str:
    """`19 days ago (4 May 2023)`, `about 7 years (since 2016)`, `in 3 days (9 June 2023)`."""
    first, last = _widest(span)
    now, told = date.fromisoformat(today), _named(span)
    if asked.measured == "since":
        return f"since {told}"
    lasting = asked.measured == "lasting"
    if asked.measured == "finished" or first < now <= last or (lasting and first > now):
        return time_in_words(span)
    count = _count(abs(now - first).days, abs(now - last).days, span.granularity, asked.unit)
    if lasting:
        return f"{count} (since {told})"
    if first == now:
        return f"today ({told})" if last == now else time_in_words(span)
    return f"in {count} ({told})" if first > now else f"{count} ago ({told})"


def _count(one: int, other: int, granularity: str, unit: str) -> str:
    """So many days, weeks, months or years, from two counts of days: `about 3 weeks`."""
    near, far = sorted((one, other))
    middle = (near + far) / 2
    asked = unit in _LENGTHS
    if not asked:
        unit = _COUNTED.get(granularity) or _fitting(far - near)
        while unit in _TOO_MANY and middle / _LENGTHS[unit] >= _TOO_MANY[unit][0]:
            unit = _TOO_MANY[unit][1]
    length = _LENGTHS[unit]
    if middle < length / 2:
        return f"less than a {unit}"
    if far - near >= length:
        least, most = round(near / length), round(far / length)
        return f"{least}-{most} {unit}s" if least else f"up to {most} {unit}s"
    number = round(middle / length)
    about = "" if near == far == number * length else "about "
    return f"{about}{number} {unit}{'s' * (number != 1)}"


def _fitting(days: int) -> str:
    """What a stretch of so many days is counted in."""
    return "day" if days < 7 else "week" if days < 31 else "month" if days < 366 else "year"
