"""Calendar arithmetic: a day and a unit -> the first and the last day of a stretch of the calendar.

    unit_of(2023-06-09, "week") -> 2023-06-05..2023-06-11      part_of(June 2023, "mid") -> 11..20

Weeks are Monday to Sunday, weekends Saturday and Sunday, seasons three whole months, winter being
named after the year that it begins in. Every stretch includes both of its days. Raises ValueError
or OverflowError for days that the calendar does not have. Pure.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta

from engram.language.calendar_words import MONTHS, SEASONS, WEEKDAYS

Days = tuple[date, date]

#: months in a calendar unit
LENGTH = {"month": 1, "season": 3, "quarter": 3, "year": 12}
ONE_DAY = timedelta(days=1)


def on(day: date) -> Days:
    """The day alone."""
    return day, day


def month_of(year: int, month: int, months: int = 1) -> Days:
    """So many whole months from the first of one."""
    first = date(year, month, 1)
    last = move(first, months - 1, "month")
    return first, last.replace(day=monthrange(last.year, last.month)[1])


def season_of(year: int, name: str) -> Days:
    """The season that begins in a year."""
    return month_of(year, SEASONS[name], 3)


def unit_of(day: date, unit: str) -> Days:
    """The calendar unit that holds a day; the weekend of its week; the day itself for a day."""
    monday = day - timedelta(days=day.weekday())
    if unit in ("month", "quarter", "year"):
        length = LENGTH[unit]
        return month_of(day.year, (day.month - 1) // length * length + 1, length)
    if unit == "weekend":
        return monday + timedelta(days=5), monday + timedelta(days=6)
    return (monday, monday + timedelta(days=6)) if unit == "week" else on(day)


def move(day: date, count: int, unit: str) -> date:
    """`count` units later; the last day of a month that has no such day."""
    if unit not in LENGTH:
        return day + timedelta(days=count * (7 if unit.startswith("week") else 1))
    year, month = divmod(day.year * 12 + day.month - 1 + count * LENGTH[unit], 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def month_number(name: str) -> int:
    """1 to 12 by the first three letters; 0 for no month."""
    return _place(MONTHS, name) + 1


def weekday_number(name: str) -> int:
    """0 (Monday) to 6 by the first three letters; -1 for no weekday."""
    return _place(WEEKDAYS, name)


def _place(names: tuple[str, ...], begun: str) -> int:
    return next((at for at, name in enumerate(names) if name[:3] == begun[:3]), -1)


def weekday_from(day: date, name: str, step: int) -> date:
    """The nearest such weekday strictly after (1) or before (-1) a day."""
    wanted = weekday_number(name)
    if step > 0:
        return day + timedelta(days=(wanted - day.weekday() - 1) % 7 + 1)
    return day - timedelta(days=(day.weekday() - wanted - 1) % 7 + 1)


def weekend_from(day: date, step: int) -> Days:
    """The nearest whole weekend strictly after (1) or before (-1) a day."""
    if step > 0:
        first = weekday_from(day, "saturday", 1)
        return first, first + ONE_DAY
    last = weekday_from(day, "sunday", -1)
    return last - ONE_DAY, last


def iso_week(year: int, number: int) -> Days:
    """A week by its number of ISO 8601."""
    monday = date.fromisocalendar(year, number, 1)
    return monday, monday + timedelta(days=6)


def part_of(days: Days, part: str) -> Days:
    """`early`, `mid` or `late`: thirds of a stretch; `first` or `second`: its halves.

    The thirds of a month end on the 10th and the 20th, its halves on the 15th; longer stretches
    are cut between months. The middle of a week is Tuesday to Thursday.
    """
    first, last = days
    length = (last - first).days + 1
    if length <= 7:
        cuts = {"early": (0, 1), "mid": (1, 3), "late": (3, 6), "first": (0, 2), "second": (3, 6)}
        start, end = (first + timedelta(days=cut) for cut in cuts[part])
        return start, min(end, last)
    if length <= 31:
        cuts = {"early": (1, 10), "mid": (11, 20), "late": (21, 31), "first": (1, 15),
                "second": (16, 31)}  # fmt: skip
        begin, until = cuts[part]
        return first.replace(day=begin), first.replace(day=min(until, length))
    months = round(length / 30.5)
    third, half = months // 3, months // 2
    skipped, kept = {
        "early": (0, third), "mid": (third, third), "late": (months - third, third),
        "first": (0, half), "second": (months - half, half),
    }[part]  # fmt: skip
    start = move(first, skipped, "month")
    return month_of(start.year, start.month, kept)
