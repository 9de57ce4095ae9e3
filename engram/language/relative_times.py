"""Expressions that count from the day something was said -> its days.

    "two weekends ago", said on 2023-07-17 -> 2023-07-08..2023-07-09

"last week" is the calendar week before, as are month, quarter and year; the seven days before the
anchor are another reading of it. "2 weeks ago" is the calendar week of that day, likewise longer
units; days are exact. A few are two to six. "this past week" and "the last three months" reach
from that many units ago to the anchor. Each function raises ValueError for what means no days.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from engram.language.calendar_spans import (
    LENGTH,
    ONE_DAY,
    Days,
    month_number,
    month_of,
    move,
    on,
    season_of,
    unit_of,
    weekday_from,
    weekday_number,
    weekend_from,
)
from engram.language.calendar_words import SEASONS, WEEKDAYS
from engram.language.dated_times import CONVENTION, FEW, count_of
from engram.language.time_context import Reading, TimeWords, direction, nearest, sentence_of
from engram.model.time_span import CERTAIN, Granularity

_UNITS: dict[str, Granularity] = {
    "day": "day", "night": "day", "week": "week", "weekend": "weekend", "month": "month",
    "quarter": "quarter", "year": "year",
}  # fmt: skip


def of_near(words: TimeWords) -> Reading:
    """`yesterday`, `tonight`, `the day after tomorrow`."""
    last = words.parts[-1]
    days = (last in ("tomorrow", "tmrw", "tmr")) - (last in ("yesterday", "night"))
    return Reading(on(words.today + timedelta(days=2 * days if "day" in words.parts else days)))


_STEPS = {"next": 1, "coming": 1, "following": 1, "upcoming": 1, "this": 0}


def of_which(words: TimeWords) -> Reading:
    """last, next or this, and a weekday, a month, a season or a calendar unit."""
    *_, which, name = words.parts
    step, today = _STEPS.get(which, -1), words.today
    if name == "weekend":
        return _weekend(words, which, step)
    if name in SEASONS:
        return _season(words, name, step)
    if name in _UNITS:
        days = unit_of(move(today, step, name), name)
        return Reading(days, _UNITS[name], CERTAIN, _rolling(today, step, name))
    if weekday_number(name) >= 0 and not (month_number(name) and name not in WEEKDAYS):
        if step:
            day = weekday_from(today, name, step)
            other = day + timedelta(days=7 * step)
            near = abs((day - today).days) <= 2
            return Reading(on(day), confidence=CERTAIN, also=(on(other),) if near else ())
        monday = unit_of(today, "week")[0]
        day = weekday_from(monday - ONE_DAY, name, 1)
        return Reading(on(day), confidence=CERTAIN)
    return _month(words, name, step)


def _rolling(today: date, step: int, unit: str) -> tuple[Days, ...]:
    """The days just before or after the anchor, the other reading of last and next week."""
    if not step or unit != "week":
        return ()
    if step > 0:
        return ((today + ONE_DAY, today + timedelta(days=7)),)
    return ((today - timedelta(days=7), today - ONE_DAY),)


def _weekend(words: TimeWords, which: str, step: int) -> Reading:
    today = words.today
    this = unit_of(today, "weekend")
    if "past" in words.parts and "this" in words.parts:
        return Reading(weekend_from(today, -1), "weekend", CONVENTION)
    if which == "coming":
        return Reading(weekend_from(today, 1), "weekend", CERTAIN)
    if not step and this[0] > today and direction(words) < 0:
        return Reading(weekend_from(today, -1), "weekend", CONVENTION, (this,))
    days = unit_of(move(today, step, "week"), "weekend")
    also = (this,) if step > 0 and today < this[0] else ()
    return Reading(days, "weekend", CERTAIN, also)


def _season(words: TimeWords, name: str, step: int) -> Reading:
    """The last one that is over, the next one that begins; this one by the tense."""
    today = words.today
    fitting = [season_of(today.year + one, name) for one in (-2, -1, 0, 1, 2)]
    if step < 0:
        days = [one for one in fitting if one[1] < today][-1]
        begun = any(first <= today <= last for first, last in fitting)
        return Reading(days, "season", FEW if begun else CONVENTION)
    if step > 0:
        return Reading(next(one for one in fitting if one[0] > today), "season", CONVENTION)
    if direction(words) < 0:
        return Reading([one for one in fitting if one[0] <= today][-1], "season", CONVENTION)
    ahead = next(one for one in fitting if one[1] >= today)
    if ahead[0].year > today.year:
        ahead = nearest(words, [season_of(today.year, name), ahead])
    return Reading(ahead, "season", CONVENTION)


def _month(words: TimeWords, name: str, step: int) -> Reading:
    number, today = month_number(name), words.today
    if not number:
        raise ValueError("no month")
    fitting = [month_of(today.year + one, number) for one in (-1, 0, 1)]
    if step < 0:
        return Reading([one for one in fitting if one[1] < today][-1], "month", CONVENTION)
    if step > 0:
        return Reading(next(one for one in fitting if one[0] > today), "month", CONVENTION)
    return Reading(nearest(words, fitting), "month", CONVENTION)


def of_past(words: TimeWords) -> Reading:
    """`past few weeks`, `the next three days`, `this past week`."""
    ahead = bool({"next", "coming", "following", "upcoming"} & set(words.parts))
    unit = words.parts[-1].removesuffix("s")
    single = (
        words.parts[0] in ("this", "the") and words.parts[1] == "past" and len(words.parts) == 3
    )
    counts = (1,) if single else count_of(words.text)
    length = "week" if unit == "weekend" else unit
    today, count = words.today, counts[-1]
    if not count:
        raise ValueError("no time at all")
    also: tuple[Days, ...] = ()
    if ahead:
        days = (today, move(today, count, length))
    else:
        days = (move(today, -count, length), today)
        if unit in LENGTH or unit == "week":
            first, last = (unit_of(move(today, -n, unit), unit) for n in (count, 1))
            also = ((first[0], last[1]),)
    if single and unit == "week":
        days = (days[0], today - ONE_DAY)
    vague = len(counts) > 1
    return Reading(days, _UNITS[unit] if single else "span", FEW if vague else CONVENTION, also)


def of_count(words: TimeWords) -> Reading:
    """`3 days ago`, `a few weeks back`, `two weekends ago`, `in 2 weeks`, `a month from now`."""
    before, _ = sentence_of(words)
    ago = words.parts[-1] in ("ago", "back")
    if not ago and words.parts[-1] != "now" and _LASTED.search(before):
        raise ValueError("a duration")
    text = words.text
    unit = next(part for part in map(_unit, words.parts) if part)
    counts = count_of(text)
    if ("or" in words.parts and words.parts[-2] in ("two", "so")) or words.parts[-1] == "two":
        counts = (counts[0], 2) if "two" in words.parts else counts
    if "half" in words.parts:
        if unit != "year":
            raise ValueError("half of it")
        unit, counts = "month", ((counts or (0,))[0] * 12 + 6,)
    step = -1 if ago else 1
    if len(counts) > 1:
        return _between(words.today, unit, step, counts)
    confidence = CERTAIN if unit in LENGTH or unit == "week" else 1.0
    if words.parts[-1] == "back":
        confidence = CONVENTION
    found = _one(words.today, unit, step, counts[0], confidence)
    if " the next " in text.casefold():
        return Reading((words.today, found.days[1]), "span", confidence, (found.days,))
    return found


#: "haven't talked in a week", "built in a day", "twice in a month"
_LASTED = re.compile(
    r"(?:n['’]t|\bnot|\bnever|\bhardly) (?:\w+ ){1,5}$"
    r"|\b(?<!is )(?<!are )(?<!be )(?:built|done|finished|learned|made|written|wrote|read|grew)"
    r" (?:(?!will\b|is\b|that\b)[\w'’]+ ){0,4}$|\b(?:once|twice|times|days|hours|best|first time) $"
)


def _unit(part: str) -> str:
    """A unit, season or weekday without its plural; '' for any other word."""
    bare = part.removesuffix("s")
    return bare if bare in _UNITS or bare in SEASONS or bare in WEEKDAYS else ""


def _between(today: date, unit: str, step: int, counts: tuple[int, ...]) -> Reading:
    """From the most to the least that may be meant."""
    length = {"weekend": "week", "night": "day"}.get(unit, unit)
    if length in SEASONS:
        length = "year"
    if length in WEEKDAYS:
        length = "week"
    near, far = (move(today, step * count, length) for count in (min(counts), max(counts)))
    first, last = min(near, far), max(near, far)
    if length not in LENGTH:
        return Reading((first, last), "span", FEW)
    whole = unit_of(first, length)[0], unit_of(last, length)[1]
    return Reading(whole, "span", FEW, ((first, last),))


def _one(today: date, unit: str, step: int, count: int, confidence: float) -> Reading:
    if unit in SEASONS:
        return Reading(season_of(today.year + step * count, unit), "season", FEW)
    if unit == "weekend":
        first, last = weekend_from(today, step)
        shift = timedelta(days=7 * step * (count - 1))
        return Reading((first + shift, last + shift), "weekend", CONVENTION)
    if unit in WEEKDAYS:
        day = weekday_from(today, unit, step) + timedelta(days=7 * step * (count - 1))
        return Reading(on(day), confidence=CONVENTION)
    if unit == "night":
        return Reading(on(today + timedelta(days=step * count)))
    day = move(today, step * count, unit)
    if step > 0:
        return Reading(on(day), confidence=confidence)
    also: tuple[Days, ...] = ()
    if unit != "day":
        also = (on(day),) if unit != "year" else (unit_of(day, "month"),)
    return Reading(unit_of(day, unit), _UNITS[unit], confidence, also)


_PERFECT = re.compile(r"\b(?:have|has|been)\b|['’](?:ve|s)\b(?= (?:been|had|\w+ed)\b)")
_OVER = re.compile(
    r"(?:n['’]t|\b(?:not|never|no|had been|was|were|will|can|could|would|going|planning))\b"
)
#: "he is 5 years now"
_AGE = re.compile(r"(?<!\bit )\b(?:is|am|are) $")
_MEETING = re.compile(r"\s*since (?:we|you|i|our|your|my)\b|\s*(?:old|ago|later|before|after|of\b)")


def of_lasting(words: TimeWords) -> Reading:
    """What still lasts, from its beginning: `for 3 years now`, `seven years already`."""
    before, after = sentence_of(words)
    sure = words.parts[-1] in ("now", "already")
    clause = re.split(r"[,;:] |\b(?:and|but|so) ", before)[-1]
    if (
        _OVER.search(clause)
        or _AGE.search(clause)
        or _MEETING.match(after)
        or words.parts[0] == "in"
    ):
        raise ValueError("over, or no duration")
    if not sure and not _PERFECT.search(clause):
        raise ValueError("over")
    unit = words.parts[-2 if sure else -1].removesuffix("s")
    counts, today = count_of(words.text), words.today
    if len(counts) > 1:
        return _between(today, unit, -1, counts)._replace(role="since")
    day = move(today, -counts[0], unit)
    confidence = CONVENTION if sure else FEW
    return Reading(unit_of(day, unit), _UNITS[unit], confidence, (on(day),), "since")


def of_weekend(words: TimeWords) -> Reading:
    """`the weekend`, by the tense of its sentence; without any, the one that is nearer."""
    today, this = words.today, unit_of(words.today, "weekend")
    step = direction(words)
    if today >= this[0] and step >= 0:
        return Reading(this, "weekend", CONVENTION)
    if today > this[0] and step < 0:
        return Reading(this, "weekend", CONVENTION, (weekend_from(today, -1),))
    if not step:
        step = 1 if today.weekday() > 2 else -1
        return Reading(weekend_from(today, step), "weekend", FEW)
    return Reading(weekend_from(today, step), "weekend", CONVENTION)


#: the date that stands beside a weekday: its day, and its month where it is named
_DATE_BESIDE = re.compile(
    r",? (?:the )?(?P<day>\d{1,2})(?P<th>st|nd|rd|th)?\b\.?(?: (?:of )?(?P<month>[a-z]{3,9})\b)?"
    r"|,? (?P<first>[a-z]{3,9})\.? (?:the )?\d{1,2}(?:st|nd|rd|th)?\b"
)


def of_weekday(words: TimeWords) -> Reading:
    """A bare weekday, by the tense; ahead without any. `Thursday the 12th` is that 12th."""
    if beside := _DATE_BESIDE.match(words.after):
        if month_number(beside["month"] or beside["first"] or ""):
            raise ValueError("the date beside it tells the day")
        if beside["th"]:
            return _weekday_of_month(words, int(beside["day"]))
    step = direction(words)
    day = weekday_from(words.today, words.parts[0], step or 1)
    return Reading(on(day), confidence=CERTAIN)


def _weekday_of_month(words: TimeWords, wanted: int) -> Reading:
    """The day of that number that is such a weekday, of the months around."""
    months = [unit_of(move(words.today, step, "month"), "month") for step in range(-3, 4)]
    days = [first.replace(day=wanted) for first, last in months if 1 <= wanted <= last.day]
    weekday = weekday_number(words.parts[0])
    fitting = [on(day) for day in days if day.weekday() == weekday]
    if not fitting:
        raise ValueError("no such day")
    return Reading(nearest(words, fitting), confidence=CERTAIN)


def of_week_day(words: TimeWords) -> Reading:
    """`Tuesday last week`, `next week Friday`."""
    name = next(part for part in words.parts if weekday_number(part) >= 0)
    which = words.parts[words.parts.index("week") - 1]
    monday = unit_of(words.today, "week")[0] + timedelta(days=7 * _STEPS.get(which, -1))
    return Reading(on(monday + timedelta(days=weekday_number(name))), confidence=CONVENTION)


_RELATION = re.compile(r" (before|after|following|prior to|preceding|from) (?:the )?", re.I)


def of_relation(words: TimeWords) -> Reading:
    """`the Friday before 15 July`, `two weeks after May 3`, `the week before last`."""
    found = _RELATION.search(words.text)
    if found is None:
        raise ValueError("no relation")
    said, target = words.text[: found.start()].casefold(), words.text[found.end() :].casefold()
    step = 1 if found.group(1).casefold() in ("after", "following", "from") else -1
    parts = [part for part in re.findall(r"[a-z]+|\d+", said) if part != "the"]
    unit = _unit(parts[-1])
    name = parts[-1] if weekday_number(parts[-1]) >= 0 and not unit else unit
    if target in ("last", "next"):
        return _beyond(words.today, name, -1 if target == "last" else 1, step)
    if found.group(1).casefold() == "from" and len(parts) < 2:
        raise ValueError("a beginning")
    days = words.read(target).days
    edge = days[1] if step > 0 else days[0]
    if unit in ("", *WEEKDAYS):
        return Reading(on(weekday_from(edge, name, step)), confidence=CONVENTION)
    counts = count_of(" ".join(parts))
    plain = len(parts) == 1
    if len(counts) > 1:
        return _between(edge, unit, step, counts)
    count = counts[0] if counts else 1
    if unit == "week" and count == 1 and found.group(1).casefold() != "from":
        around = (edge + step * ONE_DAY, edge + step * timedelta(days=7))
        calendar = unit_of(move(edge, step, "week"), "week")
        also: tuple[Days, ...] = (calendar,)
        if not plain:
            also = (on(edge + step * timedelta(days=7)), calendar)
        return Reading((min(around), max(around)), "week", CONVENTION, also)
    if unit == "weekend":
        return _one(edge, "weekend", step, count, CONVENTION)
    day = move(edge, step * count, "day" if unit == "night" else unit)
    if days[0] != days[1] or (unit in LENGTH and plain):
        return Reading(unit_of(day, unit), _UNITS[unit], CONVENTION)
    also = (unit_of(day, unit),) if unit in ("week", "month", "year") else ()
    return Reading(on(day), "day", CONVENTION, also)


def _beyond(today: date, name: str, side: int, step: int) -> Reading:
    """`the week before last`, `the Friday after next`."""
    if side != step:
        raise ValueError("no such days")
    if weekday_number(name) >= 0 and name not in _UNITS:
        day = weekday_from(today, name, side) + timedelta(days=7 * side)
        return Reading(on(day), confidence=CONVENTION)
    if name in ("weekend", "night"):
        return _one(today, name, side, 2, CONVENTION)
    return Reading(unit_of(move(today, 2 * side, name), name), _UNITS[name], CONVENTION)
