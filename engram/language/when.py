"""Time expressions in text -> the calendar days they mean, seen from an anchor.

    "we ship by Friday", said on 2026-03-04 -> TimeSpan 2026-03-06..2026-03-06, role "deadline"

Conventions: both days are inclusive. A week is Monday to Sunday; "last week" is the calendar week
before, as are month, quarter and year. "last" and "next" with a weekday are the nearest one
strictly before or after the anchor's day. "3 days ago" and "in 3 days" are exact; "2 weeks ago" is
the calendar week of that day, likewise months and years; "in 2 weeks" and "in 3 months" are exact,
the last day of a shorter month standing for a missing one. "end of the week" is its Friday, from
Saturday on its Sunday; the end of anything longer that lies ahead is its last day. A month, a date
without a year or a bare weekday lies where the words around it point: `by` and `will` mean ahead, a
past tense means back; without any, weekdays lie ahead and dates on the nearer side.

Confidence: 1 for one reading, .9 (CERTAIN) for the conventions above, .8 for one with another
reading ("the weekend", "the week before 9 June"), .6 for a few, several, and early or late in a
stretch, .5 for parts of seasons and for months that only a capital shows. `also` has the other
readings.

Refused, never guessed: `3/6` (day or month?), dates that do not exist, vague words ("recently",
"soon"), what lasted and is over ("for 3 days"), repetition ("every Friday"), and anything outside
the years 1970 to 9999. English; of German and Chinese the precise forms of `translated_times`.
Pure: the anchor is the only present there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from engram.language.calendar_words import GERMAN_HINTS
from engram.language.time_context import AFTER, BEFORE, Reading, TimeWords, role_of
from engram.language.time_patterns import expression, has_core, matches
from engram.model.instant import plus_days
from engram.model.time_span import CERTAIN, TimeSpan

if TYPE_CHECKING:
    from engram.model.instant import Day, Instant


def find_times(text: str, anchor: Instant, least: float = CERTAIN) -> list[TimeSpan]:
    """Every expression that can be resolved, in order of the text, none overlapping another.

    `anchor` is an Instant or a Day: when the text was said. What is less certain than `least` (a
    confidence, 0..1) is left out; of "the Friday before 15 July" that leaves "15 July".
    """
    certain = least >= CERTAIN
    return [span for span in _found(text, anchor[:10], certain) if span.confidence >= least]


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


def fixed_times(text: str, anchor: str) -> list[TimeSpan]:
    """The times of a text that are the same whenever it was said: those with a year of their own.

    For words of which only a guess tells when they were said: `anchor` is that.
    """
    elsewhere = plus_days(max(anchor[:10], "1980-01-01"), _ELSEWHERE)
    fixed = {(one.offset, one.widest) for one in find_times(text, elsewhere, least=0)}
    return [one for one in find_times(text, anchor) if (one.offset, one.widest) in fixed]


#: days to a day of another year, month and weekday
_ELSEWHERE = -1_000
_HALF_A_YEAR = 183
_TELLS_YEAR = re.compile(r"\b(?:19|20)\d\d|\b(?:ago|last|past|previous)\b", re.IGNORECASE)


#: whoever reads a statement asks this several times of it
@lru_cache(maxsize=32)
def _found(text: str, anchor: Day, certain: bool) -> tuple[TimeSpan, ...]:
    today = date.fromisoformat(anchor)
    english, other = _may_hold(text)
    found = _of_english(text, today, certain=certain) if english else []
    elsewhere = _of_other_languages(text, today) if other else []
    if elsewhere:
        found = _longest([*found, *elsewhere])
    return tuple(found)


def _may_hold(text: str) -> tuple[bool, bool]:
    """Whether a text can hold an expression of English, and one of another language."""
    runs = text.split()
    if max(map(len, runs), default=0) > _LONGEST_RUN:
        return True, True
    other = not text.isascii() or any(map(text.__contains__, _hints()))
    if other and text.isascii():
        other = any(hint in run for run in runs for hint in _hints())
    return any(map(_holds_core, runs)), other


@cache
def _hints() -> tuple[str, ...]:
    return tuple(hint.rstrip() for hint in GERMAN_HINTS)


#: what is longer is no word: it is not kept, characters
_LONGEST_RUN = 40
#: the same words stand in many texts, and few of them are words of time
_holds_core = lru_cache(maxsize=16_384)(has_core)


def _longest(spans: list[TimeSpan]) -> list[TimeSpan]:
    """Of two that overlap the longer: "3. April 2026" holds "April 2026"."""
    kept: list[TimeSpan] = []
    for one in sorted(spans, key=lambda span: span.offset):
        if not kept or one.offset >= kept[-1].offset + len(kept[-1].expression):
            kept.append(one)
        elif len(one.expression) > len(kept[-1].expression):
            kept[-1] = one
    return kept


def _of_other_languages(text: str, today: date) -> list[TimeSpan]:
    """What German and Chinese say, resolved as English would say it."""
    if text.isascii() and not any(map(text.__contains__, GERMAN_HINTS)):
        return []
    # imported here: most texts are English
    from engram.language.translated_times import translated_times

    found: list[TimeSpan] = []
    for one in translated_times(text, today):
        said = f"{one.before}{one.english}"
        begin = 0 if one.english.startswith("in ") else len(one.before)
        match = expression().search(said, begin)
        if match is not None and (read := _reading(match, one.before, "", today)):
            found.append(_span(read, one.expression, one.offset, one.before, today))
    return found


def _of_english(text: str, today: date, *, certain: bool) -> list[TimeSpan]:
    found: list[TimeSpan] = []
    for match in matches(text, certain=certain):
        before = text[max(0, match.start() - BEFORE) : match.start()].casefold()
        if _REPEATED.search(before):
            continue
        after = text[match.end() : match.end() + AFTER].casefold()
        if read := _reading(match, before, after, today):
            found.append(_span(read, match.group(), match.start(), before, today))
    return found


_REPEATED = re.compile(r"\b(?:every|each|most|all)(?: other)? $")


def _reading(match: re.Match[str], before: str, after: str, today: date) -> Reading | None:
    """What an expression means; None for nothing, and for days before 1970."""

    def inner(text: str) -> Reading:
        said = _UNIT_ALONE.sub("this ", _THE.sub("", text.strip()))
        lead = "on the " if said[:1].isdigit() and said[-1:].isalpha() else "in "
        found = expression().fullmatch(lead + said, len(lead))
        if found is None:
            raise ValueError("no days")
        return resolved(found)

    def resolved(one: re.Match[str]) -> Reading:
        form = one.lastgroup or ""
        read = _resolvers()[form](TimeWords(one.group(), before, after, today, inner))
        return read._replace(rule=form)

    try:
        read = resolved(match)
    except (ValueError, OverflowError):
        return None
    return read if read.days[0].year >= 1970 else None


_THE = re.compile(r"^the ", re.IGNORECASE)
#: "the month" of "the end of the month" is this one
_UNIT_ALONE = re.compile(
    r"^(?=(?:week|month|quarter|year|spring|summer|autumn|fall|winter)\b(?! (?:of )?(?:19|20)))",
    re.IGNORECASE,
)


def _span(read: Reading, expression: str, offset: int, before: str, anchor: date) -> TimeSpan:
    return TimeSpan(
        read.days[0].isoformat(),
        read.days[1].isoformat(),
        expression,
        offset,
        read.role or role_of(before),
        anchor.isoformat(),
        read.granularity,
        read.confidence,
        read.rule,
        tuple((first.isoformat(), last.isoformat()) for first, last in read.also),
    )


@cache
def _resolvers() -> dict[str, Callable[[TimeWords], Reading]]:
    """What resolves each form."""
    # imported here: most queries name no time
    from engram.language import dated_times, relative_times

    return {
        "iso_week": dated_times.of_iso_week,
        "range": dated_times.of_range,
        "near": relative_times.of_near,
        "relation": relative_times.of_relation,
        "week_of": dated_times.of_week_of,
        "nth": dated_times.of_nth,
        "part": dated_times.of_part,
        "ending": dated_times.of_ending,
        "week_day": relative_times.of_week_day,
        "numeric": dated_times.of_numeric,
        "named": dated_times.of_named,
        "past": relative_times.of_past,
        "which": relative_times.of_which,
        "count": relative_times.of_count,
        "lasting": relative_times.of_lasting,
        "weekend": relative_times.of_weekend,
        "season": dated_times.of_season,
        "quarter": dated_times.of_quarter,
        "weekday": relative_times.of_weekday,
        "year": dated_times.of_year,
        "around_year": dated_times.of_around_year,
        "ordinal": dated_times.of_ordinal,
        "bare_month": dated_times.of_bare_month,
    }
