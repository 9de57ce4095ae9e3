"""Expressions that name a place in the calendar -> its days: dates, months, years, parts of them.

    "May 3-5" -> 2026-05-03..2026-05-05      "first weekend of August" -> 2026-08-01..2026-08-02

A date without a year, a month or a quarter lies where the words around it point (`time_context`).
The n-th week of a month is its n-th seven days, the last week its last seven; the other reading of
both is the calendar week. Each function raises ValueError for what is no date.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from engram.language.calendar_spans import (
    ONE_DAY,
    Days,
    iso_week,
    month_number,
    month_of,
    move,
    on,
    part_of,
    season_of,
    unit_of,
    weekday_number,
)
from engram.language.calendar_words import SEASONS
from engram.language.time_context import Reading, TimeWords, direction, nearest, role_of
from engram.language.time_patterns import COUNTS
from engram.model.time_span import CERTAIN, Granularity

#: the levels of confidence below CERTAIN: a convention that has another reading; a number of units
#: that is not told; a stretch whose ends are not told
CONVENTION, FEW, VAGUE = 0.8, 0.6, 0.5


def of_numeric(words: TimeWords) -> Reading:
    """`2026-03-06`, `06.03.2026`, `6/13/2026`."""
    first, second, third = map(int, words.parts[:3])
    if first > 31:
        return Reading(on(date(first, second, third)))
    if "." not in words.text and first <= 12 and second <= 12 and first != second:
        raise ValueError("day or month")
    day, month = (second, first) if second > 12 and "/" in words.text else (first, second)
    return Reading(on(date(third, month, day)))


def of_named(words: TimeWords) -> Reading:
    """`6 March 2026`, `March 6`, `March last year`, `March 2026`, `March`."""
    day, month, year = _date_parts(words.text, words.today)
    # 29 February may be eight years away
    most = 8 if (day, month) == (29, 2) else 1
    years = [year] if year else range(words.today.year - most, words.today.year + most + 1)
    fitting = [month_of(one, month) for one in years]
    if day:
        fitting = [on(one.replace(day=day)) for one, last in fitting if 1 <= day <= last.day]
    return Reading(nearest(words, fitting), "day" if day else "month", 1.0 if year else CERTAIN)


_NUMBER = re.compile(r"[a-z]+|\d+")


def _date_parts(text: str, today: date) -> tuple[int, int, int]:
    """Day, month and year that a text names, 0 for each that it does not."""
    day = month = year = 0
    parts = _NUMBER.findall(text.casefold())
    for at, part in enumerate(parts):
        if part.isdigit():
            if int(part) > 31:
                year = int(part)
            else:
                day = int(part)
        elif part == "year":
            year = today.year + {"last": -1, "next": 1}.get(parts[at - 1], 0)
        else:
            month = month or month_number(part)
    return day, month, year


def of_bare_month(words: TimeWords) -> Reading:
    """A month that nothing but its capital or a loose preposition shows to be one."""
    if re.match(r"['’]s (?!been\b)|\s*(?:\d|said|says|told|is my|and i\b)", words.after):
        raise ValueError("a name")
    found = of_named(words)
    return found._replace(confidence=VAGUE)


_RANGE = re.compile(r"\s*(?:-|–|—|\b(?:to|until|till|through|and)\b)\s*")


def of_range(words: TimeWords) -> Reading:
    """`May 3-5`, `from 3 to 5 May`, `between March and May 2023`, `from 2019 to 2021`."""
    text = re.sub(r"^(?:from|between) ", "", words.text.casefold())
    if iso := re.findall(r"\d{4}-\d\d-\d\d", text):
        first, last = map(date.fromisoformat, iso)
        return _ordered((first, last))
    left, right = _RANGE.split(text, maxsplit=1)
    (day, month, year), (last_day, last_month, last_year) = (
        _date_parts(side, words.today) for side in (left, right)
    )
    if not month and not last_month:
        return _ordered((date(year, 1, 1), date(last_year, 12, 31)))
    month, last_month = month or last_month, last_month or month
    if bool(day) != bool(last_day):
        raise ValueError("a day to a month")
    known = last_year or year
    if known:
        years = [known]
    else:
        years = list(range(words.today.year - 1, words.today.year + 2))
    fitting = []
    for one in years:
        end = month_of(one, last_month)[1]
        begun = year or (one - 1 if month > last_month else one)
        start = date(begun, month, 1)
        fitting.append((start.replace(day=day), end.replace(day=last_day)) if day else (start, end))
    return _ordered(nearest(words, fitting), 1.0 if known else CERTAIN)


def _ordered(days: Days, confidence: float = 1.0) -> Reading:
    if days[0] > days[1]:
        raise ValueError("ends before it begins")
    return Reading(days, "span", confidence)


def of_iso_week(words: TimeWords) -> Reading:
    """`2023-W23`, `week 23 of 2023`."""
    numbers = sorted(int(part) for part in re.findall(r"\d+", words.text))
    return Reading(iso_week(numbers[-1], numbers[0]), "week")


def of_quarter(words: TimeWords) -> Reading:
    """`Q3`, `Q3 2026`."""
    month, this_year = int(words.text[1]) * 3 - 2, words.today.year
    named = _date_parts(words.text[2:], words.today)[2]
    years = [named] if named else range(this_year - 2, this_year + 3)
    return Reading(
        nearest(words, [month_of(one, month, 3) for one in years]),
        "quarter",
        1.0 if named else CERTAIN,
    )


def of_year(words: TimeWords) -> Reading:
    """`in 2019`."""
    return Reading(month_of(int(words.text), 1, 12), "year")


def of_around_year(words: TimeWords) -> Reading:
    """A year after a word that may as well stand before a number of something."""
    return of_year(words)._replace(confidence=CONVENTION)


def of_ordinal(words: TimeWords) -> Reading:
    """`on the 15th`, `on the 15th of last month`."""
    wanted = int(words.parts[0])
    if words.parts[-1] == "month":
        step = {"last": -1, "next": 1}.get(words.parts[-2], 0)
        first, _ = unit_of(move(words.today, step, "month"), "month")
        return Reading(on(first.replace(day=wanted)), confidence=CERTAIN)
    months = [unit_of(move(words.today, step, "month"), "month") for step in range(-2, 3)]
    fitting = [first.replace(day=wanted) for first, last in months if 1 <= wanted <= last.day]
    return Reading(nearest(words, [on(day) for day in fitting]), confidence=CERTAIN)


def of_season(words: TimeWords) -> Reading:
    """`summer 2022`, `winter last year`; `over the summer` where the tense tells which."""
    name = next(part for part in words.parts if part in SEASONS)
    year = _date_parts(words.text.replace("summer", "").replace("spring", ""), words.today)[2]
    if not year:
        if not direction(words) or re.search(r"\b(?:usually|always|every|often)\b", words.before):
            raise ValueError("any of them")
        fitting = [season_of(words.today.year + step, name) for step in (-2, -1, 0, 1)]
        return Reading(nearest(words, fitting), "season", FEW)
    days = season_of(year, name)
    if name == "winter":
        return Reading(days, "season", VAGUE, (season_of(year - 1, name),))
    return Reading(days, "season", CERTAIN if words.text[-1].isdigit() else CONVENTION)


def of_week_of(words: TimeWords) -> Reading:
    """`the week of June 5`, `the weekend of 6 May`."""
    unit, rest = _split(words.text, r"\b(?:of|starting|beginning|ending)(?: on)? ")
    day = words.read(rest).days[0]
    if "weekend" in unit:
        found = unit_of(day, "weekend") if day.weekday() < 6 else (day - ONE_DAY, day)
        return Reading(found, "weekend", CONVENTION)
    if "starting" in words.text.casefold() or "beginning" in words.text.casefold():
        return Reading((day, day + timedelta(days=6)), "week", CONVENTION)
    if "ending" in words.text.casefold():
        return Reading((day - timedelta(days=6), day), "week", CONVENTION)
    return Reading(unit_of(day, "week"), "week", CONVENTION, ((day, day + timedelta(days=6)),))


def _split(text: str, pattern: str) -> tuple[str, str]:
    left, right = re.split(pattern, text, maxsplit=1, flags=re.IGNORECASE)
    return left.casefold(), right


_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "final": -1}
#: what stands beside a number, and is none
_NO_COUNT = ("the", "st", "nd", "rd", "th")


def of_nth(words: TimeWords) -> Reading:
    """`last Friday of May`, `second weekend of June 2023`, `the first two weeks of August`."""
    said, period = _split(words.text, r" (?:of|in) ")
    first, last = words.read(period).days
    parts = [part for part in _NUMBER.findall(said) if part not in _NO_COUNT]
    number = int(parts[0]) if parts[0].isdigit() else _NTH[parts[0]]
    unit = parts[-1].rstrip("s") if parts[-1] not in ("wednes", "thurs") else parts[-1]
    count = max(count_of(" ".join(parts[1:-1])), default=0) if len(parts) > 2 else 1
    if not count:
        raise ValueError("none of them")
    if (place := weekday_number(unit)) >= 0 and unit not in ("month",):
        days = _nth(first, last, place, number)
        return Reading(on(days), confidence=CONVENTION)
    if unit == "weekend":
        start = _nth(first, last, 5, number)
        return Reading((start, start + ONE_DAY), "weekend", CONVENTION)
    if unit == "month":
        months = [move(first, step, "month") for step in range((last.year - first.year) * 12 + 12)]
        inside = [one for one in months if one <= last]
        place = number - 1 if number > 0 else len(inside) - count
        if not 0 <= place < len(inside):
            raise ValueError("beyond it")
        start = inside[place]
        return Reading(month_of(start.year, start.month, count), "month", CONVENTION)
    length = count * (7 if unit == "week" else 1)
    if number > 0:
        start = first + timedelta(days=(number - 1) * length)
        end = start + timedelta(days=length - 1)
    else:
        start, end = last - timedelta(days=length - 1), last
    if not first <= start <= last:
        raise ValueError("beyond it")
    granularity: Granularity = "span" if count > 1 else "week" if unit == "week" else "day"
    also = (unit_of(start, "week"),) if granularity == "week" else ()
    return Reading((start, min(end, last)), granularity, CONVENTION, also)


def _nth(first: date, last: date, weekday: int, number: int) -> date:
    if number < 0:
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    found = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number - 1))
    if found > last:
        raise ValueError("beyond it")
    return found


_PARTS = {
    "beginning": "early", "start": "early", "early": "early", "middle": "mid", "mid": "mid",
    "late": "late", "end": "late", "first": "first", "second": "second", "latter": "second",
    "last": "second", "earlier": "earlier", "later": "later",
}  # fmt: skip


_PART = r"^(?:early|mid|late|earlier|later)(?:-to-late|-| to late| )(?:in )?"


def of_part(words: TimeWords) -> Reading:
    """`early June`, `the first half of 2023`, `mid summer`, `later this month`."""
    parts = [part for part in words.parts if part not in ("the", "very", "in", "to")]
    part = _PARTS[{"1st": "first", "2": "second", "1": "first"}.get(parts[0], parts[0])]
    if " of " in words.text.casefold():
        period = _split(words.text, " of ")[1]
    else:
        period = _split(words.text, _PART)[1]
    whole = words.read(period)
    first, last = whole.days
    if part == "earlier":
        end = min(words.today, last)
        return Reading((first, end), "span", CONVENTION, (whole.days,))
    if part == "later":
        start = max(words.today, first)
        return Reading((start, last), "span", CONVENTION, (whole.days,))
    if first == last:
        raise ValueError("no part of a day")
    if "to" in words.parts and part == "mid":
        return Reading((part_of(whole.days, "mid")[0], last), "span", VAGUE)
    confidence = CONVENTION if part in ("first", "second") else FEW
    if whole.granularity == "season":
        confidence = VAGUE
    granularity: Granularity = "month" if whole.granularity == "season" else "span"
    return Reading(part_of(whole.days, part), granularity, confidence)


def of_ending(words: TimeWords) -> Reading:
    """`end of the week`, `end of March`, `EOY`: its last day.

    What lies back ended over some days: the last third, and the last day is another reading.
    """
    text = words.text.casefold()
    if " of " in text:
        period = _split(words.text, " of ")[1]
    else:
        units = {"d": "day", "w": "week", "m": "month", "q": "quarter", "y": "year"}
        period = f"this {units[text[-1]]}"
    whole = words.read(period)
    first, last = whole.days
    back = last < words.today or re.search(r"\b(?:at|towards?|around|near|nearing) $", words.before)
    if first != last and back and role_of(words.before) != "deadline":
        return Reading(part_of(whole.days, "late"), "span", FEW, (on(last),))
    if whole.granularity == "week" and (friday := last - timedelta(days=2)) >= words.today:
        return Reading(on(friday), confidence=CERTAIN)
    return Reading(on(last), confidence=CERTAIN if whole.confidence >= CERTAIN else FEW)


def count_of(text: str) -> tuple[int, ...]:
    """The numbers that a counted unit has: one, two ("two or three"), or 2 and 6 for a few."""
    folded = text.casefold()
    if re.search(r"\b(?:few|several)\b", folded):
        return 2, 6
    if re.search(r"\bhalf an?\b", folded):
        return ()
    found = [
        int(part) if part.isdigit() else COUNTS[part]
        for part in _NUMBER.findall(folded)
        if part.isdigit() or part in COUNTS
    ]
    if "couple" in folded:
        return (2,)
    return tuple(found[:2])
