"""The forms of English time expressions, as one pattern that is looked for near a word of time.

    matches("see you on Friday, 3 days from now") -> "Friday" (weekday), "3 days from now" (count)

A match's `lastgroup` is the form's name. No part of the pattern can repeat without bound, so that
any text is read in time that grows with its length alone. Compiled when it is first needed: most
queries name no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from engram.language.any_case import AnyCase
from engram.language.calendar_words import MONTHS, NUMBERS, SEASONS, WEEKDAYS

#: small numbers as they count days and weeks
COUNTS = {"a": 1, "an": 1, "couple": 2, **NUMBERS}

DAY = f"(?:{'|'.join(WEEKDAYS)})"
ANY_DAY = rf"(?:{DAY}|mon|tues?|wed|thurs?|thu|fri|sat|sun)"
MONTH = f"(?:{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
SEASON = f"(?:{'|'.join(SEASONS)})"
UNIT = r"(?:day|week|month|quarter|year)"
_NUMERAL = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_WHICH = r"(?:last|next|this|past|previous|coming)"
_ONE = r"(?:\d{1,4}|" + "|".join(NUMBERS) + ")"
_FEW = r"(?:(?:the |a )?couple(?: of)?|(?:a |these )?few|several)"
_NUMBER = rf"(?:{_FEW}|{_ONE}(?:(?: or | to |-|–){_ONE})?|an?)"
_COUNTED = rf"(?:{UNIT}|weekend|night|{SEASON}|{DAY})"
_NEARLY = r"(?:(?:about|around|almost|nearly|roughly|over|more than|at least|like) )?"
_OF_YEAR = rf"(?:(?: of|,)? {_YEAR}\b| (?:of )?(?:last|this|next) year\b)"
_DATE = (
    rf"(?:\d{{4}}-\d\d-\d\d|{_NUMERAL}(?: of)? {MONTH}\b(?:\.?{_OF_YEAR})?"
    rf"|{MONTH}\.? (?:the )?{_NUMERAL}\b{_OF_YEAR}?)"
)
_ORDINAL = rf"{_NUMERAL}(?<=[a-z])\b"
_OF_MONTH = rf"(?:(?:last |next |this )?{MONTH}\b{_OF_YEAR}?)"
_OF_SEASON = rf"(?:(?:the |last |next |this )?{SEASON}\b{_OF_YEAR}?)"
_PERIOD = (
    rf"(?:{_OF_MONTH}|{_OF_SEASON}|(?:the |this |last |next )?(?:week|month|quarter|year)\b"
    rf"|{_YEAR}\b)"
)
_TO = r" ?(?:-|–|—|to|until|till|through) ?"
_AND = rf"(?:{_TO}| and )"


def _after(*words: str) -> str:
    return "(?:" + "|".join(rf"(?<=\b{word} )" for word in words) + ")"


_DAY_LEADS = ("on", "by", "before", "until", "since", "around")
#: months that are no verb when they stand alone
_NO_OTHER_WORD = "|".join(name.title() for name in MONTHS if name not in ("march", "may"))

#: The longer reading of the same words comes first.
_FORMS = {
    "iso_week": rf"\b(?:{_YEAR}-?w\d\d\b|week \d{{1,2}}(?: of|,)? {_YEAR}\b)",
    "range": rf"\b(?:(?:from|between) )?(?:{MONTH}\.? {_NUMERAL}{_TO}{_NUMERAL}\b"
    rf"(?![:/.]\d| ?[ap]m)|{_NUMERAL}{_TO}(?:the )?{_NUMERAL}(?: of)? {MONTH}\b|{_DATE}{_TO}{_DATE}"
    rf"|{MONTH}{_OF_YEAR}?{_TO}{MONTH}\b(?! \d\d?\b)){_OF_YEAR}?"
    rf"|\bbetween (?:the )?(?:{MONTH}\.? {_NUMERAL} and {_NUMERAL}\b"
    rf"|{_NUMERAL} and (?:the )?{_NUMERAL}(?: of)? {MONTH}\b|{_DATE} and {_DATE}"
    rf"|{MONTH}{_OF_YEAR}? and {MONTH}\b(?! \d\d?\b)){_OF_YEAR}?"
    rf"|\b(?:between|from) {_YEAR}(?: and |{_TO}){_YEAR}\b",
    "near": r"\b(?:the )?day (?:before yesterday|after tomorrow)\b|\blast night\b"
    r"|\b(?:yesterday|today|tonight|tomorrow|tmrw|tmr|this (?:morning|afternoon|evening))\b",
    "relation": rf"\b(?:the )?(?:(?:{_NUMBER} )?(?:{UNIT}|weekend|night)s?|{ANY_DAY})"
    r" (?:before|after|following|prior to|preceding|from) (?:the )?"
    rf"(?:{_DATE}|{MONTH}(?: of|,)? {_YEAR}\b|{_YEAR}\b|{_ORDINAL}"
    rf"|(?:(?:last|next|this) )?{DAY}\b|yesterday\b|today\b|tomorrow\b|last\b|next\b)",
    "week_of": r"\b(?:the )?week(?:end)? (?:of|starting|beginning|ending) (?:on )?(?:the )?"
    rf"(?:{_DATE}|{_ORDINAL})",
    "nth": r"\b(?:the )?(?:first|second|third|fourth|fifth|last|final|1st|2nd|3rd|4th|5th)"
    rf" (?:{_NUMBER} )?(?:{ANY_DAY}|week|weekend|day|month)s? (?:of|in) {_PERIOD}",
    "part": r"\b(?:the )?(?:very )?(?:beginning|start|middle|(?:first|second|latter|last|1st|2nd)"
    rf" half) of {_PERIOD}"
    r"|\b(?:early|mid|late)(?:-| |-to-late | to late )(?:in )?"
    rf"(?:{_OF_MONTH}|{_OF_SEASON}|{_YEAR}\b"
    r"|(?:the |this |last |next )(?:week|month|quarter|year)\b)"
    r"|\b(?:earlier|later) (?:this|last|next) (?:week|month|quarter|year)\b",
    "ending": rf"\b(?:the )?(?:very )?end of (?:{_PERIOD}|(?:(?:the|this|next|last) )?{UNIT}\b)"
    r"|\beo[dwmqy]\b",
    "week_day": rf"\b{ANY_DAY},? (?:of )?(?:last|this|next) week\b"
    rf"|\b(?:last|this|next) week,? (?:on )?{DAY}\b",
    "numeric": r"(?<![\w/.-])(?:\d{4}[-/]\d\d[-/]\d\d(?:t[\d:.]{1,20}z?)?"
    r"|\d{1,2}(?:/\d{1,2}/|\.\d{1,2}\.)\d{4})(?![\w/-])",
    "named": rf"\b{_NUMERAL}(?: of)? {MONTH}\b(?:\.?{_OF_YEAR})?"
    rf"|\b{MONTH}\.? (?:the )?{_NUMERAL}\b(?![:/]\d| {UNIT}){_OF_YEAR}?"
    rf"|\b{MONTH}{_OF_YEAR}|\blast year in {MONTH}\b"
    rf"|{_after('in', 'by', 'since', 'until', 'before')}{MONTH}\b",
    "past": r"\b(?:the |these |this )?(?:last|past|previous|next|coming|following|upcoming)"
    rf" {_NUMBER} (?:{UNIT}|weekend)s?\b|\b(?:the|this) past (?:week|month|quarter|year)\b",
    "which": rf"\b(?:(?:this|the) (?:past|coming)|{_WHICH}) (?:weekend|{SEASON})\b"
    r"|\bthis coming (?:week|month|quarter|year)\b"
    rf"|\b{_WHICH} (?:{ANY_DAY}|week|month|quarter|year)\b"
    rf"|\b(?:this (?:past|coming)|{_WHICH}) (?-i:(?!may\b|mar\b)){MONTH}\b",
    "count": rf"\b(?:{_NUMBER} {_COUNTED}s?(?: and a half| or (?:two|so))?|half an? {UNIT})"
    r" (?:ago|from now|back\b(?! (?:to|in|home|from|up|on|into|at|here|there|then)\b))\b"
    rf"|\b(?:in|within) {_NEARLY}(?:the next )?"
    rf"(?:{_NUMBER} {_COUNTED}s?(?: or two)?|half an? {UNIT})\b(?! (?:of|ago)\b|['’]s (?!time))",
    "lasting": rf"\b(?:for )?{_NEARLY}{_NUMBER} {UNIT}s? (?:now|already)\b"
    rf"|\bfor (?:the (?:last|past) )?{_NEARLY}{_NUMBER} {UNIT}s?\b(?! ago)"
    rf"|\b(?:together|married) {_NEARLY}{_NUMBER} {UNIT}s?\b(?! ago)",
    "weekend": r"\bthe weekend\b(?!['’]| (?:of|before|after|when|that|i|we)\b)",
    "season": rf"\b(?:the )?{SEASON}(?: of|,)? {_YEAR}\b(?!\.\d)"
    rf"|\b{SEASON} (?:of )?(?:last|next) year\b"
    rf"|{_after('in', 'over', 'during', 'for')}the {SEASON}\b",
    "quarter": rf"\bq[1-4]\b{_OF_YEAR}?",
    "weekday": rf"(?:\b{DAY}\b|{_after('on', 'by', 'until', 'due', 'before')}{ANY_DAY}\b)"
    r"(?! (?:morning|afternoon|evening|night)s\b| vibes\b)",
    "year": rf"{_after('in', 'by', 'since')}{_YEAR}\b(?![-/.:]\d)",
    "around_year": rf"{_after('from', 'until', 'till', 'during', 'around')}{_YEAR}\b"
    rf"(?![-/.:]\d)|(?:^|(?<=[.!?\n] )){_YEAR}(?= was\b)",
    "ordinal": rf"{_after(*(f'{lead} the' for lead in _DAY_LEADS))}"
    rf"{_ORDINAL}(?: of (?:last|this|next) month\b)?",
    "bare_month": rf"{_after('of', 'from', 'during', 'around', 'till', 'late', 'for')}"
    rf"(?-i:(?!may|mar)){MONTH}\b|\b(?-i:{_NO_OTHER_WORD})\b",
}
#: Forms that have one reading, or a convention that everybody shares.
_CERTAIN = frozenset(
    ["iso_week", "range", "near", "ending", "numeric", "named", "which", "count", "quarter",
     "weekday", "year", "ordinal"]
)  # fmt: skip


@cache
def expression(*, certain: bool = False) -> re.Pattern[str]:
    """All forms, or the certain ones alone, the longest first; `lastgroup` is a match's form."""
    forms = (
        f"(?P<{name}>{form})" for name, form in _FORMS.items() if not certain or name in _CERTAIN
    )
    # every form begins with a word: elsewhere none of them needs to be tried
    return re.compile(rf"(?<!\w)(?=\w)(?:{'|'.join(forms)})", re.IGNORECASE)


#: what each form has one of, as a whole word: "may", but not "maybe"
_CORE = AnyCase(
    rf"\b(?:(?:{_COUNTED}|{ANY_DAY})s?\b|{MONTH}(?:\b|to|until|till|through)"
    r"|yesterday\b|today\b|tonight\b|tomorrow\b|tmrw?\b|morning\b|afternoon\b|evening\b"
    r"|eo[dwmqy]\b|\d{4}(?!\d)|q[1-4]\b|\d{1,2}(?:st|nd|rd|th)\b)"
)
#: how far from its core word an expression may begin and end, characters
_REACH = 48


def matches(text: str, *, certain: bool) -> Iterator[re.Match[str]]:
    """The expressions of a text in their order, none overlapping another."""
    done = 0
    for begin, end in _stretches(text):
        for match in expression(certain=certain).finditer(text, max(begin, done), end):
            done = match.end()
            yield match


def has_core(run: str) -> bool:
    """Whether a part of a text between white space has what each expression has one of."""
    return _CORE.search(run) is not None


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where expressions may be: around the core words, from word to word."""
    begin = end = -1
    for core in _CORE.finditer(text):
        first, last = core.start() - _REACH, core.end() + _REACH
        if first > end:
            if end >= 0:
                yield begin, end
            begin = max(0, first)
            while begin > 0 and text[begin - 1].isalnum() and begin > first - _REACH:
                begin -= 1
        end = min(last, len(text))
        limit = min(end + _REACH, len(text))
        while end < limit and text[end - 1].isalnum() and text[end].isalnum():
            end += 1
    if end >= 0:
        yield begin, end
