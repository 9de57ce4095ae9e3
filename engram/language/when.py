"""Time expressions in text -> the calendar days they mean, seen from an anchor.

    "we ship by Friday", said on 2026-03-04 -> TimeSpan 2026-03-06..2026-03-06, role "deadline"

Conventions: both days are inclusive. A week is Monday to Sunday; "last week" is the calendar week
before, as are month, quarter and year. "last" and "next" with a weekday are the nearest one
strictly before or after the anchor's day. "3 days ago" and "in 3 days" are exact; "2 weeks ago" is
the calendar week of that day, likewise months and years; "in 2 weeks" and "in 3 months" are exact,
the last day of a shorter month standing for a missing one. "end of the week" is its Friday, from
Saturday on its Sunday; the end of anything longer is its last day. A month, a date without a year
or a bare weekday lies where the words around it point: `by` and `will` mean ahead, a past tense
means back; without any, weekdays lie ahead and dates on the nearer side.

Refused, never guessed: `3/6` (day or month?), dates that do not exist, vague words ("recently",
"soon"), durations ("for 3 days"), repetition ("every Friday"), and anything outside the years
1970 to 9999. English; of German and Chinese the precise forms of `translated_times`. Pure: the
anchor is the only present there is.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from engram.language.calendar_words import GERMAN_HINTS, MONTHS, NUMBERS, WEEKDAYS
from engram.model.time_span import CERTAIN, Role, TimeSpan

if TYPE_CHECKING:
    from engram.model.instant import Day, Instant


def find_times(text: str, anchor: Instant, least: float = CERTAIN) -> list[TimeSpan]:
    """Every expression that can be resolved, in order of the text, none overlapping another.

    `anchor` is an Instant or a Day: when the text was said. What is less certain than `least` (a
    confidence, 0..1) is left out.
    """
    return [span for span in _found(text, anchor[:10]) if span.confidence >= least]


def past_times(text: str, anchor: Instant) -> list[TimeSpan]:
    """Those that lie before the anchor's day for certain.

    "April 3rd", said in March, is more likely the coming one, whatever the tense: a date without a
    year is read back half a year at most.
    """
    today = date.fromisoformat(anchor[:10])
    return [
        span
        for span in find_times(text, anchor)
        if span.end < anchor[:10]
        and (
            (today - date.fromisoformat(span.end)).days <= _HALF_A_YEAR
            or _TELLS_YEAR.search(span.expression)
        )
    ]


_HALF_A_YEAR = 183
_TELLS_YEAR = re.compile(r"\b(?:19|20)\d\d|\b(?:ago|last|past|previous)\b", re.IGNORECASE)


#: whoever reads a statement asks this several times of it
@lru_cache(maxsize=32)
def _found(text: str, anchor: Day) -> tuple[TimeSpan, ...]:
    today = date.fromisoformat(anchor)
    found = _of_english(text, today) if _HINT.search(text) is not None else []
    elsewhere = _of_other_languages(text, today)
    if elsewhere:
        # "3. April 2026" holds "April 2026"; "2 April 2026" is English
        longest = sorted([*found, *elsewhere], key=lambda one: -len(one.expression))
        found = []
        for one in longest:
            if not any(_overlap(one, other) for other in found):
                found.append(one)
        found.sort(key=lambda one: one.offset)
    return tuple(found)


def _overlap(one: TimeSpan, other: TimeSpan) -> bool:
    ends = one.offset + len(one.expression), other.offset + len(other.expression)
    return one.offset < ends[1] and other.offset < ends[0]


def _of_other_languages(text: str, today: date) -> list[TimeSpan]:
    """What German and Chinese say, resolved as English would say it."""
    if text.isascii() and not any(map(text.__contains__, GERMAN_HINTS)):
        return []
    # imported here: most texts are English
    from engram.language.translated_times import translated_times

    found: list[TimeSpan] = []
    for one in translated_times(text, today):
        said = f"{one.before}{one.english}"
        match = _expression().search(said, 0 if one.english.startswith("in ") else len(one.before))
        if match is None:
            continue
        words = _Words(match.group(), one.before, "", today)
        if days := _days(match.lastgroup or "", words):
            start, end = map(date.isoformat, days)
            found.append(TimeSpan(start, end, one.expression, one.offset, _role(one.before)))
    return found


def _of_english(text: str, today: date) -> list[TimeSpan]:
    found: list[TimeSpan] = []
    for match in _expression().finditer(text):
        expression = match.group()
        before = text[max(0, match.start() - _BEFORE) : match.start()].casefold()
        if _REPEATED.search(before):
            continue
        after = text[match.end() : match.end() + _AFTER].casefold()
        if days := _days(match.lastgroup or "", _Words(expression, before, after, today)):
            start, end = map(date.isoformat, days)
            found.append(TimeSpan(start, end, expression, match.start(), _role(before)))
    return found


def _days(form: str, words: _Words) -> _Days | None:
    """The days that an expression means; None for none, and for days before 1970."""
    try:
        days = _RESOLVE[form](words)
    except (ValueError, OverflowError):
        return None
    return days if days[0].year >= 1970 else None


class _Words(NamedTuple):
    """One expression, the folded words before and after it, and the anchor's day."""

    text: str
    before: str
    after: str
    today: date

    @property
    def parts(self) -> list[str]:
        return re.findall(r"[a-z]+|\d+", self.text.casefold())


_Days = tuple[date, date]

#: How far from an expression prepositions and tense are looked for, characters.
_BEFORE, _AFTER = 70, 40
#: What counts days and weeks.
_NUMBERS = {"a": 1, "an": 1, "couple": 2, **NUMBERS}
#: Months in a calendar unit.
_LENGTH = {"month": 1, "quarter": 3, "year": 12}

_DAY = f"(?:{'|'.join(WEEKDAYS)})"
_ANY_DAY = rf"(?:{_DAY}|mon|tues?|wed|thurs?|thu|fri|sat|sun)"
_MONTH = f"(?:{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
_NUMBER = r"(?:\d{1,4}|a couple of|" + "|".join(_NUMBERS) + ")"
_UNIT = r"(?:day|week|month|quarter|year)"
_NUMERAL = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_WHICH = r"(?:last|next|this|past|previous|coming)"


def _after(*words: str) -> str:
    return "(?:" + "|".join(rf"(?<=\b{word} )" for word in words) + ")"


#: The longer reading of the same words comes first.
_FORMS = {
    "numeric": r"(?<![\w/.-])(?:\d{4}[-/]\d\d[-/]\d\d(?:t[\d:.]+z?)?"
    r"|\d{1,2}(?:/\d{1,2}/|\.\d{1,2}\.)\d{4})(?![\w/-])",
    "named": rf"\b{_NUMERAL}(?: of)? {_MONTH}\b(?:\.?,? {_YEAR}\b)?"
    rf"|\b{_MONTH}\.? (?:the )?{_NUMERAL}\b(?![:/]\d| {_UNIT})(?:,? {_YEAR}\b)?"
    rf"|\b{_MONTH}(?: of|,)? {_YEAR}\b"
    rf"|{_after('in', 'by', 'since', 'until', 'before')}{_MONTH}\b",
    "ending": rf"\b(?:the )?end of (?:(?:the|this|next|last) )?(?:{_UNIT}|{_MONTH})\b"
    r"|\beo[dwmqy]\b",
    "near": r"\b(?:the )?day (?:before yesterday|after tomorrow)\b|\blast night\b"
    r"|\b(?:yesterday|today|tonight|tomorrow|tmrw|tmr|this (?:morning|afternoon|evening))\b",
    "which": rf"\b{_WHICH} (?:{_ANY_DAY}|weekend|week|month|quarter|year)\b",
    "count": rf"\b{_NUMBER} {_UNIT}s? (?:ago|from now)\b"
    rf"|\b(?:in|within) (?:the next )?{_NUMBER} {_UNIT}s?\b(?! of\b)",
    "quarter": rf"\bq[1-4]\b(?: (?:of )?{_YEAR}\b)?",
    "weekday": rf"(?:\b{_DAY}\b|{_after('on', 'by', 'until', 'due', 'before')}{_ANY_DAY}\b)"
    r"(?! (?:morning|afternoon|evening|night)s\b)",
    "year": rf"{_after('in', 'by', 'since')}{_YEAR}\b(?![-/.:]\d)",
    "ordinal": rf"{_after('on the', 'by the', 'before the', 'until the')}{_NUMERAL}(?<=[a-z])\b",
}
#: what each of them has a part of, looked for first
_HINT = re.compile(
    r"\d|day|week|month|quarter|year|night|tomorrow|tmr|morning|afternoon|evening|eo[dwmqy]"
    r"|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
    re.IGNORECASE,
)


@cache
def _expression() -> re.Pattern[str]:
    """Compiled when it is first needed: most queries name no time."""
    forms = (f"(?P<{name}>{form})" for name, form in _FORMS.items())
    return re.compile("|".join(forms), re.IGNORECASE)


_DEADLINE = re.compile(
    r"\b(?:by|before|until|till|due(?: on| by|:)?|deadline(?:'?s| is| of|:)?) (?:the )?$"
)
_SINCE = re.compile(r"\b(?:since|as of|starting|from) $")
_REPEATED = re.compile(r"\b(?:every|each|most|all)(?: other)? $")
_AHEAD = re.compile(
    r"(?:\b(?:will|shall|going to|gonna|(?:need|have|has|want) to|must|let's|plan(?:ned|s)? to"
    r"|(?:re)?scheduled|slated|due|deadline|should|ships|launch(?:es)?|starts)|'ll)\b"
    r"|\b(?:planned|booked|postponed|delayed|moved|pushed|extended|set)(?: back)? (?:for|to) $"
)
_BACK = re.compile(
    r"\b(?:(?!need)[a-z]{2,}ed|was|were|had|did|went|got|made|came|took|began|broke|found|said|told|saw"
    r"|sent|met|left|wrote|built|ran|fell|cut|chose|gave)\b"
)


def _role(before: str) -> Role:
    if _DEADLINE.search(before):
        return "deadline"
    return "since" if _SINCE.search(before) else "point"


def _direction(words: _Words) -> int:
    """1 ahead, -1 back, 0 when neither the words before nor those after tell."""
    if (role := _role(words.before)) != "point":
        return 1 if role == "deadline" else -1
    ahead = max((match.end() for match in _AHEAD.finditer(words.before)), default=-1)
    back = max((match.end() for match in _BACK.finditer(words.before)), default=-1)
    if max(ahead, back) >= 0:
        return 1 if ahead >= back else -1
    return -1 if _BACK.search(words.after) and not _AHEAD.search(words.after) else 0


def _nearest(words: _Words, candidates: list[_Days]) -> _Days:
    """Of the same date in several years or months (ascending), the one that is meant.

    Raises ValueError when there is none.
    """
    step = _direction(words)
    ahead = [days for days in candidates if days[1] >= words.today]
    back = [days for days in candidates if days[0] <= words.today]
    if step > 0 and ahead:
        return ahead[0]
    if step < 0 and back:
        return back[-1]
    return min(candidates, key=lambda days: abs((days[0] - words.today).days))


def _on(day: date) -> _Days:
    return day, day


def _unit(day: date, unit: str) -> _Days:
    """The calendar unit that holds a day; the day itself for a day."""
    monday = day - timedelta(days=day.weekday())
    if unit in _LENGTH:
        length = _LENGTH[unit]
        first = date(day.year, (day.month - 1) // length * length + 1, 1)
        last = first.replace(month=first.month + length - 1)
        return first, last.replace(day=monthrange(last.year, last.month)[1])
    if unit == "weekend":
        return monday + timedelta(days=5), monday + timedelta(days=6)
    return (monday, monday + timedelta(days=6)) if unit == "week" else _on(day)


def _move(day: date, count: int, unit: str) -> date:
    """`count` units later; the last day of a month that has no such day."""
    if unit not in _LENGTH:
        return day + timedelta(days=count * (7 if unit.startswith("week") else 1))
    year, month = divmod(day.year * 12 + day.month - 1 + count * _LENGTH[unit], 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _place(names: Sequence[str], begun: str) -> int:
    """Which of the names begins with these three letters, from 0; -1 for none."""
    return next((at for at, name in enumerate(names) if name[:3] == begun[:3]), -1)


def _weekday(today: date, name: str, step: int) -> date:
    """The nearest such weekday strictly after (1) or before (-1) today."""
    wanted = _place(WEEKDAYS, name)
    if step > 0:
        return today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)
    return today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)


def _of_numeric(words: _Words) -> _Days:
    first, second, third = map(int, words.parts[:3])
    if first > 31:
        return _on(date(first, second, third))
    if "." not in words.text and first <= 12 and second <= 12 and first != second:
        raise ValueError("day or month")
    day, month = (second, first) if second > 12 and "/" in words.text else (first, second)
    return _on(date(third, month, day))


def _of_named(words: _Words) -> _Days:
    """`6 March 2026`, `March 6`, `March 2026`, `March`."""
    numbers = [int(part) for part in words.parts if part.isdigit()]
    day = next((number for number in numbers if number <= 31), None)
    month = next(place for part in words.parts if (place := _place(MONTHS, part) + 1))
    year = next((number for number in numbers if number > 31), None)
    # Eight years either way: 29 February may be as far as that.
    years = [year] if year else range(words.today.year - 8, words.today.year + 9)
    fitting = [_unit(date(one, month, 1), "month") for one in years]
    if day is not None:
        fitting = [_on(one.replace(day=day)) for one, last in fitting if 1 <= day <= last.day]
    return _nearest(words, fitting)


def _of_ending(words: _Words) -> _Days:
    before, unit = ("", *words.parts)[-2:]
    if not before:
        unit = next(
            one for one in ("day", "week", "month", "quarter", "year") if one[0] == unit[-1]
        )
    if not re.fullmatch(_UNIT, unit):
        return _on(_of_named(words)[1])
    day = _move(words.today, {"next": 1, "last": -1}.get(before, 0), unit)
    if unit == "week" and day.weekday() < 5:
        return _on(day + timedelta(days=4 - day.weekday()))
    return _on(_unit(day, unit)[1])


def _of_near(words: _Words) -> _Days:
    last = words.parts[-1]
    days = (last in ("tomorrow", "tmrw", "tmr")) - (last in ("yesterday", "night"))
    return _on(words.today + timedelta(days=2 * days if "day" in words.parts else days))


def _of_which(words: _Words) -> _Days:
    """last, next or this, and a weekday or a calendar unit."""
    which, name = words.parts
    step = {"next": 1, "coming": 1, "this": 0}.get(which, -1)
    if name in _LENGTH or name.startswith("week"):
        return _unit(_move(words.today, step, name), name)
    if step:
        return _on(_weekday(words.today, name, step))
    return _on(_weekday(_unit(words.today, "week")[0] - timedelta(days=1), name, 1))


def _of_count(words: _Words) -> _Days:
    """`3 days ago`, `in 2 weeks`, `a month from now`."""
    number = next(part for part in words.parts[::-1] if part.isdigit() or part in _NUMBERS)
    count = int(number) if number.isdigit() else _NUMBERS[number]
    unit = next(part.rstrip("s") for part in words.parts if re.fullmatch(_UNIT + "s?", part))
    if words.parts[-1] == "ago":
        return _unit(_move(words.today, -count, unit), unit)
    return _on(_move(words.today, count, unit))


def _of_quarter(words: _Words) -> _Days:
    month, this_year = int(words.parts[1]) * 3, words.today.year
    named = [int(part) for part in words.parts[2:] if part.isdigit()]
    years = named or range(this_year - 2, this_year + 3)
    return _nearest(words, [_unit(date(one, month, 1), "quarter") for one in years])


def _of_ordinal(words: _Words) -> _Days:
    wanted = int(words.parts[0])
    months = [_unit(_move(words.today, step, "month"), "month") for step in range(-2, 3)]
    fitting = [first.replace(day=wanted) for first, last in months if 1 <= wanted <= last.day]
    return _nearest(words, [_on(day) for day in fitting])


_RESOLVE: dict[str, Callable[[_Words], _Days]] = {
    "numeric": _of_numeric, "named": _of_named, "ending": _of_ending, "near": _of_near,
    "which": _of_which, "count": _of_count, "quarter": _of_quarter, "ordinal": _of_ordinal,
    "weekday": lambda words: _on(_weekday(words.today, words.parts[0], _direction(words) or 1)),
    "year": lambda words: _unit(date(int(words.text), 1, 1), "year"),
}  # fmt: skip
