"""Time expressions of German and Chinese -> the English ones that mean the same days.

    "bis Ende März"  -> "end of march" after "by"
    "昨天搬到了"       -> "yesterday";  "下周五" (the Friday of next week) -> its date

`when` resolves what comes out, so that one set of conventions counts. Only precise forms are
known: a bare weekday has to stand after "bis" or before 之前, and "Guten Morgen" is no tomorrow.
Left out, as there: vague words, durations, repetition. `when` asks where `GERMAN_HINTS` of
`calendar_words`, or letters that are not ASCII, tell that there may be one.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from engram.language.calendar_words import GERMAN_HINTS, MONTHS, NUMBERS, WEEKDAYS
from engram.language.scripts import HAN


class TranslatedTime(NamedTuple):
    """`english` means what `expression` at `offset` does; `before` is "by ", "since ", "in "."""

    offset: int
    expression: str
    english: str
    before: str = ""


def translated_times(text: str, today: date) -> Iterator[TranslatedTime]:
    """The German and Chinese expressions of a text, in order, none overlapping another."""
    if text.isascii() or _hints_at_german(text):
        yield from _german(text)
    if not text.isascii() and (first := _chinese_hint().search(text)) is not None:
        yield from _chinese(text, first.start(), today)


def _hints_at_german(text: str) -> bool:
    """Whether a text can hold a German expression in any case."""
    folded = text.casefold()
    # `re` takes the Turkish letters for an i
    return any(hint.casefold() in folded for hint in GERMAN_HINTS) or "ı" in text or "İ" in text


# -- German ---------------------------------------------------------------------------------------

_NEAR = {
    "vorgestern": "the day before yesterday", "gestern": "yesterday", "heute": "today",
    "morgen": "tomorrow", "übermorgen": "the day after tomorrow",
    "uebermorgen": "the day after tomorrow",
}  # fmt: skip
_DAYS = dict(
    zip(
        ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
        WEEKDAYS,
        strict=True,
    )
)
_MONTHS = dict(
    zip(
        ("januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september",
         "oktober", "november", "dezember"),
        MONTHS,
        strict=True,
    )
)  # fmt: skip
_UNITS = {
    "tag": "day", "woche": "week", "wochenende": "weekend", "monat": "month", "quartal": "quarter",
    "jahr": "year",
}  # fmt: skip
_COUNTS = dict(
    zip(
        ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
         "zwölf"),
        NUMBERS.values(),
        strict=True,
    )
)  # fmt: skip
_WHICH = {
    "nächst": "next", "kommend": "next", "letzt": "last", "vergangen": "last", "dies": "this",
}  # fmt: skip


def _one_of(words: dict[str, str] | dict[str, int]) -> str:
    return f"(?:{'|'.join(words)})"


@cache
def _german_forms() -> re.Pattern[str]:
    day, month, year = _one_of(_DAYS), _one_of(_MONTHS), r"(?:19|20)\d\d"
    forms = (
        # "heute Morgen" and "Guten Morgen" are mornings
        r"(?P<near>\b(?:vorgestern|gestern|heute|übermorgen|uebermorgen)\b"
        r"|(?<!guten )(?<!heute )(?<!gestern )(?<!am )(?<!jeden )(?<!diesen )\b(?-i:morgen)\b"
        r"|(?<!\w )(?<!, )\b(?-i:Morgen)(?= [a-zäöüß]))",
        rf"(?P<named>\b(?P<d>\d{{1,2}})\. ?(?P<m>{month})\b(?: (?P<y>{year})\b)?)",
        rf"(?P<month>\b(?P<mm>{month}) (?P<my>{year})\b"
        rf"|(?:(?<=\bim )|(?<=\bseit )|(?<=\bbis )){month}\b)",
        rf"(?P<ending>\bEnde (?:(?P<em>{month})\b(?: (?P<ey>{year})\b)?"
        r"|(?P<ew>(?:de[sr]|dieser|dieses|nächste[rsn]|kommende[rsn]) )"
        r"(?P<eu>Woche|Monat|Quartal|Jahr)(?:e?s)?\b))",
        rf"(?P<which>\b(?P<w>{_one_of(_WHICH)})e[nrsm]? (?P<wn>{day}|wochenende|woche|monat"
        r"|quartal|jahr)\b)",
        rf"(?P<count>\b(?P<cp>vor|in) (?P<cn>\d{{1,3}}|{_one_of(_COUNTS)}(?:e[nrms]?)?)"
        r" (?P<cu>tag|woche|monat|jahr)(?:en?|n)?\b)",
        rf"(?P<weekday>(?:(?<=\bbis )|(?<=\bbis zum )|(?<=\bspätestens )){day}\b)",
    )
    return re.compile("|".join(forms), re.IGNORECASE)


_UNTIL = re.compile(
    r"\b(?:bis(?: (?:zum|spätestens|einschließlich))?|spätestens(?: am)?|vor dem|fällig am) $", re.I
)
_SINCE = re.compile(r"\bseit(?: dem)? $", re.IGNORECASE)
_EACH = re.compile(r"\bjede[nrsm]? $", re.IGNORECASE)
#: How far before an expression its preposition may begin, characters.
_BEFORE = 20


def _german(text: str) -> Iterator[TranslatedTime]:
    for found in _german_forms().finditer(text):
        before = text[max(0, found.start() - _BEFORE) : found.start()]
        if _EACH.search(before):
            continue
        lead = "by " if _UNTIL.search(before) else "since " if _SINCE.search(before) else ""
        said = {name: part.casefold() for name, part in found.groupdict().items() if part}
        english = _from_german(said, found.group().casefold())
        if "month" in said and not lead and "my" not in said:
            lead = "in "
        yield TranslatedTime(found.start(), found.group(), english, lead)


def _from_german(said: dict[str, str], whole: str) -> str:
    if "near" in said:
        return _NEAR[whole]
    if "named" in said:
        return f"{said['d']} {_MONTHS[said['m']]} {said.get('y', '')}".rstrip()
    if "month" in said:
        return f"{_MONTHS[said['mm']]} {said['my']}" if "mm" in said else _MONTHS[whole]
    if "em" in said:
        return _end_of(_MONTHS[said["em"]], said.get("ey", ""))
    if "ending" in said:
        which = "next" if said["ew"][0] in "nk" else "this"
        return f"end of {which} {_UNITS[said['eu']]}"
    if "which" in said:
        return f"{_WHICH[said['w']]} {_DAYS.get(said['wn']) or _UNITS[said['wn']]}"
    if "count" in said:
        bare = said["cn"] if said["cn"].isdigit() else _COUNTS[_number_word(said["cn"])]
        return _counted(int(bare), _UNITS[said["cu"]], ago=said["cp"] == "vor")
    return _DAYS[whole]


def _end_of(month: str, year: str) -> str:
    """The end of a month, which English forms know without a year only."""
    if not year or month not in MONTHS:
        return f"end of {month}"
    number = MONTHS.index(month) + 1
    return date(int(year), number, monthrange(int(year), number)[1]).isoformat()


def _number_word(word: str) -> str:
    return next(known for known in _COUNTS if word.startswith(known))


def _counted(number: int, unit: str, *, ago: bool) -> str:
    return f"{number} {unit}s ago" if ago else f"in {number} {unit}s"


# -- Chinese --------------------------------------------------------------------------------------

_RELATIVE = {
    "前天": "the day before yesterday", "昨天": "yesterday", "昨晚": "last night",
    "今天": "today", "今晚": "tonight", "明天": "tomorrow", "后天": "the day after tomorrow",
    "去年": "last year", "今年": "this year", "明年": "next year",
}  # fmt: skip
_DIGITS = {sign: value for value, sign in enumerate("一二三四五六七八九", 1)} | {"两": 2}
_OF_WEEK = {sign: place for place, sign in enumerate("一二三四五六日")} | {"天": 6}
_STEPS = {"上": -1, "下": 1, "这": 0, "本": 0}
_WORDS_OF_STEPS = {-1: "last", 0: "this", 1: "next"}
_CHINESE_UNITS = {
    "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month",
    "年": "year", "季度": "quarter",
}  # fmt: skip


@cache
def _chinese_hint() -> re.Pattern[str]:
    return re.compile(f"[天年月周晚](?<=[{HAN}])|星期|礼拜|季度")


@cache
def _chinese_forms() -> re.Pattern[str]:
    number = r"(?:(?<!\d)\d{1,3}|[一二三四五六七八九十两]{1,3})"
    year = r"(?:(?<!\d)(?:19|20)\d\d)"
    week = "(?:周|星期|礼拜)"
    forms = (
        rf"(?P<date>(?:(?P<y>{year}|[今明去])年)?(?P<m>{number})月(?P<d>{number})[日号])",
        rf"(?P<ending>(?:(?:(?P<ey>{year})年)?(?P<em>{number})|(?P<ew>[本上下这])个?|(?<![个几每]))(?P<eu>月|(?<=年)|年)"
        r"(?:底|末))",
        rf"(?P<month>(?P<my>{year})年(?:(?P<mm>{number})月(?!{number}))?)",
        rf"(?P<which>(?<![上下])(?P<w>[上下这本])个?(?P<wu>{week}|月|季度)"
        r"(?:(?P<wd>[一二三四五六日天])|(?P<we>末))?)",
        rf"(?P<count>(?P<cn>{number})(?:(?P<cu>[天年])|个?(?P<cw>{week})|个(?P<cm>月))"
        r"(?P<cp>(?:以|之)?[前后]|内))",
        r"(?P<near>昨天|昨晚|今天|今晚|明天|(?<![天以之])前天|(?<![天以之])后天"
        r"|[去今明]年(?!底|末|[一二三四五六七八九十\d]))",
        rf"(?P<weekday>{week}(?P<wn>[一二三四五六日天])(?=(?:之|以)?前|截止))",
    )
    return re.compile("|".join(forms))


_BY = re.compile(r"(?:(?:之|以)?前(?![天端])|截止)")
_FROM = re.compile(r"自从$")


def _chinese(text: str, first: int, today: date) -> Iterator[TranslatedTime]:
    for found in _chinese_forms().finditer(text, max(0, first - _BEFORE)):
        before = text[max(0, found.start() - 2) : found.start()]
        if before.endswith(("每", "每个")):
            continue
        lead = "by " if _BY.match(text, found.end()) else "since " if _FROM.search(before) else ""
        said = {name: part for name, part in found.groupdict().items() if part}
        english = _from_chinese(said, found.group(), today)
        if "month" in said and not lead:
            lead = "in "
        if english:
            yield TranslatedTime(found.start(), found.group(), english, lead)


def _from_chinese(said: dict[str, str], whole: str, today: date) -> str:
    """The English for it; empty for what is no date."""
    if "near" in said:
        return _RELATIVE[whole]
    if "date" in said:
        year = said.get("y", "")
        if year in ("今", "明", "去"):
            year = str(today.year + {"今": 0, "明": 1, "去": -1}[year])
        return f"{_number(said['d'])} {_month(said['m'])} {year}".rstrip()
    if "month" in said:
        return f"{_month(said['mm'])} {said['my']}" if "mm" in said else said["my"]
    if "em" in said:
        return _end_of(_month(said["em"]), said.get("ey", "")) if said["eu"] == "月" else ""
    if "ending" in said:
        which = _WORDS_OF_STEPS[_STEPS[said["ew"]]] if "ew" in said else "this"
        return f"end of {which} {_CHINESE_UNITS[said['eu']]}"
    if "wd" in said:
        if _CHINESE_UNITS[said["wu"]] != "week":
            return ""
        # of the calendar week that is named: 下周五 is not the next Friday there is
        days = 7 * _STEPS[said["w"]] + _OF_WEEK[said["wd"]] - today.weekday()
        return (today + timedelta(days=days)).isoformat()
    if "which" in said:
        unit = "weekend" if "we" in said else _CHINESE_UNITS[said["wu"]]
        return f"{_WORDS_OF_STEPS[_STEPS[said['w']]]} {unit}"
    if "count" in said:
        unit = _CHINESE_UNITS[said.get("cu") or said.get("cw") or said["cm"]]
        return _counted(_number(said["cn"]), unit, ago=said["cp"].endswith("前"))
    return WEEKDAYS[_OF_WEEK[said["wn"]]]


def _month(said: str) -> str:
    number = _number(said)
    return MONTHS[number - 1] if 1 <= number <= 12 else "no month"


def _number(said: str) -> int:
    """`12` and `十二`; 0 for what is no number."""
    if said.isdigit():
        return int(said)
    tens, ten, ones = said.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0)
