"""Relative dates in a statement -> the days they mean, for the statement outlives the day.

    "Deployed yesterday", said on 2026-03-06 -> "Deployed on 2026-03-05"

Only words that mean one certain day or stretch are replaced: yesterday, today, tomorrow and their
mornings and nights, `3 days ago`, `last Tuesday`; `last week`, `last month` and `2 weeks ago`
become `around` a day (lifecycle 4.5); in German and Chinese days only. Left alone: deadlines and
weekdays without a direction, which stand resolved in the header; code, quoted words, names (`USA
Today`, `today.md`), possessives, and words that have their date beside them already. What is
replaced in the words is not lost: the quote keeps them. Pure; a second time nothing is left to
replace.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from engram.language.calendar_words import MONTHS, WEEKDAYS
from engram.language.scripts import dense_characters
from engram.language.when import find_times
from engram.model.instant import Day, Instant
from engram.model.time_span import TimeSpan

#: what is not prose: code, links, and words in quotation marks
_QUOTED = re.compile(
    r"```.*?```|`[^`]*`|\"[^\"]*\"|“[^”]*”|«[^»]*»|‘[^’]*’|(?<!\w)'[^']*'(?!\w)|\[\[.*?\]\]",
    re.DOTALL,
)
_DAY = f"(?:{'|'.join(WEEKDAYS)})"
_MONTH = rf"\b(?:{'|'.join((*MONTHS, *(month[:3] for month in MONTHS)))})\b"
#: an expression and the words that stand before its day; the first whole match counts
_FORMS = tuple(
    (re.compile(pattern, re.IGNORECASE), lead)
    for pattern, lead in (
        (r"yesterday|today|tomorrow|tmrw|tmr", "on"),
        (r"(?:the )?day (?:before yesterday|after tomorrow)", "on"),
        (r"this (?P<part>morning|afternoon|evening)", "on the {part} of"),
        (r"last (?P<part>night)", "on the {part} of"),
        (r"tonight", "on the night of"),
        (rf"(?:last|past|previous|next|coming) {_DAY}", "on"),
        (r"\w+(?: couple of)? days? ago", "on"),
        (r"\w+(?: couple of)? (?:weeks?|months?) ago", "around"),
        (r"(?:last|past|previous) (?:week|month)", "around"),
        (r"vorgestern|gestern|heute|morgen|(?:ü|ue)bermorgen", "am"),
        (r"(?:letzte|vergangene|nächste|kommende)n? \w+tag", "am"),
        (r"vor \w+ tage?n?", "am"),
        (r"前天|昨天|今天|明天|后天|[上下]个?(?:周|星期|礼拜)[一二三四五六日天]", "在"),
    )
)
#: words after which the day stands alone: "by tomorrow" -> "by 2026-03-07"
_PREPOSITION = re.compile(
    r"\b(?:as of|after|around|before|by|for|from|in|of|on|since|than|through|till|to|until)\s+$",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"\b(?:ab|am|bis|nach|seit|von)\s+$|[从在到自]$", re.IGNORECASE)
#: how other languages say "on"
_ON = ("am", "在")
_IN_NAME = re.compile(r"[\w./\\@#_-]$")
_NAME_GOES_ON = re.compile(r"['’]s\b|[/\\_@-]\w|\.\w|\w")
#: a date in figures, in words, or a month of a year: "(2026-03-07)", ", 7 March", "(June 2026)"
_DATED = re.compile(
    r"(?:\s*[(（]|,?\s*)(?:on |the |in )*"
    rf"(?:\d{{4}}-\d\d|\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of )?{_MONTH}|{_MONTH}\.? (?:the )?\d)",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s+|\n\s*)[\"'(]?$")


def anchored(text: str, said: Instant) -> str:
    """The statement with its relative dates resolved; `said` is the time of its turn."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    made: list[str] = []
    done = 0
    for span in find_times(text, said):
        start, end = span.offset, span.offset + len(span.expression)
        lead = _lead(span)
        if not lead or any(first < end and start < last for first, last in quoted):
            continue
        if not _is_prose(text, start, end):
            continue
        made += [
            text[done:start],
            _dated(text[:start], lead, _day(span, said), text[start].isupper()),
        ]
        done = end
    return "".join([*made, text[done:]])


def is_dated(text: str, at: int) -> bool:
    """Whether a date stands beside the words of time that end there."""
    return _DATED.match(text, at) is not None


def _lead(span: TimeSpan) -> str:
    """The words before the day; empty for an expression that is left alone."""
    for pattern, lead in _FORMS:
        if match := pattern.fullmatch(span.expression):
            return lead.format(**{name: word.lower() for name, word in match.groupdict().items()})
    return ""


def _is_prose(text: str, start: int, end: int) -> bool:
    """Whether the words are no part of a name and have no date yet."""
    before, after = text[:start], text[end:]
    if dense_characters(text[start:end]):
        return not is_dated(text, end)
    if _IN_NAME.search(before) or _NAME_GOES_ON.match(after) or is_dated(text, end):
        return False
    # "USA Today": a capital within a sentence
    return not text[start].isupper() or _SENTENCE_START.search(before) is not None


def _day(span: TimeSpan, said: Instant) -> Day:
    """The day itself; of a week the same weekday in it, of a month the same date, if it has one."""
    first, last = map(date.fromisoformat, (span.start, span.end))
    today = date.fromisoformat(said[:10])
    if first == last:
        return span.start
    if (last - first).days < 7:
        return (first + timedelta(days=today.weekday())).isoformat()
    return first.replace(day=min(today.day, last.day)).isoformat()


def _dated(before: str, lead: str, day: Day, capital: bool) -> str:
    if _PREPOSITION.search(before):
        lead = lead.removeprefix("on").lstrip()
    if lead in _ON and _ELSEWHERE.search(before):
        lead = ""
    if lead == "在" or (not lead and dense_characters(before[-1:])):
        year, month, number = map(int, day.split("-"))
        return f"{lead}{year}年{month}月{number}日"
    words = f"{lead} {day}".lstrip()
    return words[0].upper() + words[1:] if capital else words
