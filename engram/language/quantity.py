"""Numbers, versions, clock times and days in a text -> quantities that can be compared.

    "the cache lives 5 min"   time 300          "12,400 EUR a node"  eur 12400
    "the job starts at 3am"   clock 180         "Python 3.12"        version 3.12

Units are normalised, so that 5 min is 300 s. A number before another word counts that word. What is
said of the past or of a stretch of time (in 2022, last week) is a period and no quantity. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from engram.language.calendar_words import NUMBERS
from engram.language.stem import stem
from engram.model.time_span import TimeSpan


@dataclass(frozen=True, slots=True)
class Quantity:
    """One value of one kind of unit; `start` and `end` are where it stands in the text."""

    unit: str
    value: str
    start: int
    end: int


#: unit -> its kind and how many of the kind's smallest it is
_UNITS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("ms", "millisecond"), ("time", "0.001")),
    **dict.fromkeys(("s", "sec", "second"), ("time", "1")),
    **dict.fromkeys(("min", "minute"), ("time", "60")),
    **dict.fromkeys(("h", "hr", "hour"), ("time", "3600")),
    "day": ("time", "86400"), "week": ("time", "604800"), "month": ("months", "1"),
    "year": ("months", "12"), "quarter": ("months", "3"),
    **dict.fromkeys(("b", "byte"), ("bytes", "1")),
    "kb": ("bytes", "1e3"), "mb": ("bytes", "1e6"), "gb": ("bytes", "1e9"), "tb": ("bytes", "1e12"),
    "kib": ("bytes", "1024"), "mib": ("bytes", "1048576"), "gib": ("bytes", "1073741824"),
    **dict.fromkeys(("%", "percent"), ("percent", "1")),
    **dict.fromkeys(("$", "usd", "dollar"), ("usd", "1")),
    **dict.fromkeys(("€", "eur", "euro"), ("eur", "1")),
    **dict.fromkeys(("£", "gbp", "pound"), ("gbp", "1")),
    **dict.fromkeys(("g", "gram"), ("weight", "1")),
    **dict.fromkeys(("kg", "kilo", "kilogram"), ("weight", "1000")),
    **dict.fromkeys(("mm", "millimetre"), ("length", "0.001")),
    **dict.fromkeys(("cm", "centimetre"), ("length", "0.01")),
    **dict.fromkeys(("m", "metre", "meter"), ("length", "1")),
    **dict.fromkeys(("km", "kilometre", "kilometer"), ("length", "1000")),
}  # fmt: skip
_TIMES = {"": "1", "k": "1e3", "m": "1e6", "bn": "1e9"}
_CLOCK = re.compile(
    r"\b(?:(?P<h>[01]?\d|2[0-3])[:.](?P<m>[0-5]\d)(?: ?(?P<half>[ap])\.?m\b)?"
    r"|(?P<h2>1?\d) ?(?P<half2>[ap])\.?m\b)(?![\d:])",
    re.IGNORECASE,
)
_ANY_UNIT = "|".join(map(re.escape, _UNITS))
_VERSION = re.compile(
    rf"(?<![\w.$€£])v?(\d+(?:\.\d+)+)(?![\w%]|[.:]\d| ?(?:{_ANY_UNIT})s?(?!\w))", re.IGNORECASE
)
_NAMED_VERSION = re.compile(
    r"(?:\b[Vv]ersion |\bv|(?<=[a-z] )(?:[A-Z]\w+|iOS) )(\d{1,4})\b(?![:/\d-]|\.\d)"
)
_NUMBER = re.compile(
    r"(?<![\w.:/-])(?P<sign>[$€£])?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
    rf"|\b(?:{'|'.join(NUMBERS)})\b)(?P<times>k|bn|m(?= (?:usd|eur|gbp|dollar|euro)))?"
    r"(?:(?: ?|-)(?P<unit>%|[$€£]|[A-Za-z]+))?(?![\w:/])",
    re.IGNORECASE,
)
#: words behind a number that are not what it counts
_NO_UNIT_WORDS = """
a after again an and are as at be because before but by each for from if in instead is it not now of
on only or out per since so than that the then to too until was were when with
"""
_NO_UNIT = frozenset(_NO_UNIT_WORDS.split())
#: a plain word before a number, and those before which a number is a value: what has settings, and
#: what leads to a value
_NOUN = re.compile(r"(?<![\w-])([a-z][a-z-]+) $")
_VALUED_WORDS = """
about above age all are around at be below budget build cap capacity concurrency cost costs count
day depth down every exactly exceeds fee from gets has have height holds in is limit line max
maximum min minimum most nearly need needs of on only opens or over pay pays percent pool port price
radius rate retries score serves since size store takes temperature than the threshold till timeout
to until up uses version was were width with year
"""
_VALUED = frozenset(_VALUED_WORDS.split())


def quantities_of(text: str, times: Sequence[TimeSpan]) -> tuple[Quantity, ...]:
    """The quantities of a text in order; `times` are the expressions of time in it."""
    found: list[Quantity] = []
    taken = [(span.offset, span.offset + len(span.expression)) for span in times]
    for span, (start, end) in zip(times, taken, strict=True):
        if not is_period(span):
            found.append(Quantity("date", span.start, start, end))
    for reader in (_clocks, _versions, _numbers):
        for one in reader(text):
            if not any(one.start < end and start < one.end for start, end in taken):
                found.append(one)
                taken.append((one.start, one.end))
    return tuple(sorted(found, key=lambda one: one.start))


def is_period(span: TimeSpan) -> bool:
    """Whether a time is a stretch, or one told from the present: when, and not what."""
    return span.start != span.end or not any(sign.isdigit() for sign in span.expression)


def _clocks(text: str) -> list[Quantity]:
    found = []
    for one in _CLOCK.finditer(text):
        hour = int(one["h"] or one["h2"])
        half = (one["half"] or one["half2"] or "").casefold()
        if "." in one.group() and not half:
            continue
        minutes = (hour % 12 if half else hour) * 60 + int(one["m"] or 0) + 720 * (half == "p")
        found.append(Quantity("clock", str(minutes), one.start(), one.end()))
    return found


def _versions(text: str) -> list[Quantity]:
    matches = [*_VERSION.finditer(text), *_NAMED_VERSION.finditer(text)]
    return [Quantity("version", one[1], one.start(1), one.end(1)) for one in matches]


def _numbers(text: str) -> list[Quantity]:
    found = []
    for one in _NUMBER.finditer(text):
        raw = one["number"].casefold().replace(",", "")
        word = (one["unit"] or "").casefold()
        (kind, factor), end = _unit(one["sign"], word), one.end()
        if not one["sign"] and (not word or word in _NO_UNIT):
            (kind, factor), end = ("number", "1"), one.end("times" if one["times"] else "number")
        if kind == "number" and (raw in NUMBERS or _is_name(text[: one.start()])):
            continue  # "one of them" counts nothing, and "report 21" is a report
        times = Decimal(_TIMES[(one["times"] or "").casefold()])
        value = Decimal(NUMBERS.get(raw, raw)) * times * Decimal(factor)
        found.append(Quantity(kind, f"{value.normalize():f}", one.start(), end))
    return found


def _is_name(before: str) -> bool:
    """Whether a bare number names the thing before it: `report 21`, but not `port 21`."""
    noun = _NOUN.search(before)
    return noun is not None and noun[1] not in _VALUED


def _unit(sign: str | None, word: str) -> tuple[str, str]:
    if sign:
        return _UNITS[sign]
    return _UNITS.get(word) or _UNITS.get(word.rstrip("s")) or (stem(word), "1")
