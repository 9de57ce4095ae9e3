"""The words of a question -> what kind of answer it wants, and which days it names.

    When did Dana leave?                       date, back
    do you know which month it will ship?      date, ahead, month
    How many weeks ago did we fork it?         duration until today, back, week
    when I deploy it fails, why?               nothing

English, and the openings of German questions. A question word counts at the beginning of a clause,
or where somebody says that they want to know; "when" has a verb before its subject there. No time
is wanted by conditions ("when do we use a lock?"), orders ("tell me when it is done"), lengths
("how long is the name?") and what is so again and again ("how long does a build take?"). What is
longer than 1,000 characters is a text, no question. Pure; never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from engram.language.calendar_words import MONTHS
from engram.language.when import find_times
from engram.model.instant import plus_days

if TYPE_CHECKING:
    from engram.model.instant import Day
    from engram.model.time_span import TimeSpan

Wanted = Literal["date", "duration", ""]
Measured = Literal["", "until today", "lasting", "since", "finished"]

_LONGEST = 1_000


class Asked(NamedTuple):
    """`wanted` is empty for a question that asks for no time.

    `direction`: -1 for what was (did), 1 for what will be, 0 where the question does not tell.
    `unit` is the calendar unit that it names ("which year"), `spans` the days ("in July").
    `measured` tells what a duration is between: the event and today ("how long ago"), a beginning
    and today ("how long has"; "since" for "since when"), or a beginning and an end ("how long did
    it take"). `may_be_date`: it wants a condition or a coming day, as what is found tells ("when
    does it run?", "when does Ana fly?").
    """

    wanted: Wanted = ""
    direction: int = 0
    unit: str = ""
    measured: Measured = ""
    may_be_date: bool = False
    spans: tuple[TimeSpan, ...] = ()


def what_is_asked(question: str, today: Day) -> Asked:
    """What a question wants, asked on `today`."""
    time = time_asked(question)
    head = question[:_LONGEST]
    direction = time.direction or _tense(_plain(head).split())
    spans = (_sooner(span, today, direction) for span in find_times(head, today, least=0))
    return time._replace(spans=tuple(spans))


def time_asked(question: str) -> Asked:
    """Which time a question wants, by its words alone: without `spans`."""
    if len(question) > _LONGEST:
        return Asked()
    text = _plain(question)
    forms = [one for one in _FORMS if one[0] in text]
    for start, wish in _beginnings(text) if forms else ():
        for _, wanted, measured, form in forms:
            if match := _form(form).match(text, start):
                unit = match.groupdict().get("unit") or ""
                back = wanted == "duration"  # what begins it lies behind
                direction = -1 if back else _tense(text[start:].split())
                return Asked(wanted, direction, _UNITS.get(unit, unit), measured)
        if wish and text.startswith("when ", start) and not text.startswith("when to ", start):
            direction = _tense(text[start:].split())
            if direction < 0 or (direction and wish == "knows"):
                return Asked("date", direction)
        if text.startswith(("when does ", "when do ", "when should "), start):
            return Asked(may_be_date=True)
    return Asked()


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").split()).lower()


# -- where a question begins ----------------------------------------------------------------------

_CLAUSE = (
    r"""^|[.?!;:,(–—"-] ?|\b(?:and|but|or|so|ok|okay|hey|roughly|about|exactly|(?<!dann )und) """
)
#: who says this wants to know the date; "tell me when" may also be an order for later
_KNOWS = (
    r"\b(?:(?:do|does|did|would) (?:you|anyone|anybody|we|i) (?:still )?(?:know|remember|recall)"
    r"|(?:don't|can't|cannot|didn't) (?:know|remember|recall|say)"
    r"|wonder(?:ing)?|forgot|(?:not |un)sure|(?:no|any) (?:idea|clue)|(?:want|need|like) to know"
    r"|weißt du|weiß nicht) (?:exactly )?"
)
_TELLS = r"\b(?:(?:tell|remind|show) (?:me|us)|check|find out|look up|see) (?:exactly )?"


@cache
def _beginning() -> re.Pattern[str]:
    return re.compile(f"(?P<knows>{_KNOWS})|(?P<tells>{_TELLS})|{_CLAUSE}")


def _beginnings(text: str) -> Iterator[tuple[int, str]]:
    """Where a clause begins, and the group of the words that wish to know."""
    for match in _beginning().finditer(text):
        yield match.end(), match.lastgroup or ""


# -- the forms of a question ----------------------------------------------------------------------

_UNITS = {
    "date": "day", "deadline": "day", "weekday": "day", "time of year": "season",
    "time of the year": "season",
    "jahr": "year", "monat": "month", "woche": "week", "tag": "day", "datum": "day",
    "tage": "day", "tagen": "day", "wochen": "week", "monate": "month", "monaten": "month",
    "jahre": "year", "jahren": "year",
}  # fmt: skip
_UNIT = r"(?:year|month|week|weekday|day|date|quarter|season|time of (?:the )?year)"
_BE = r"(?:'s|'ll| (?:did|was|were|will|has|have|had|is|are|do|does|'s)\b)"
_WE = r"(?:i|we|you|it|he|she|they|the|our)"
#: what follows "when is" and "when do" where they ask for a condition
_CONDITION = r"(?:\S+ ){1,3}(?:safe|ok|okay|good|better|worth|best|needed|used|allowed)\b"
#: verbs whose present means a coming day
_PLANNED = r"(?:\S+ ){1,7}(?:plan|intend|expect|start|begin|end|expire|ship|launch|go live|meet)\b"

#: a word that the question has, what it wants, and the form
_FORMS: tuple[tuple[str, Wanted, Measured, str], ...] = (
    ("how ", "duration", "until today", rf"how long ago\b|how many (?P<unit>{_UNIT})s ago\b"),
    ("how ", "duration", "until today", rf"how (?:long|many (?P<unit>{_UNIT})s)"
     r"(?: has it been| is it|'s it been)? since\b"),
    ("when", "duration", "since", r"since when\b"),
    ("wann", "duration", "since", r"seit wann\b"),
    ("how ", "duration", "lasting",
     rf"(?:for )?how (?:long|many (?P<unit>{_UNIT})s) (?:has|have)\b"),
    ("how ", "duration", "finished",
     rf"(?:for )?how (?:long|many (?P<unit>{_UNIT})s) (?:did|passed)\b"),
    ("when", "date", "", r"(?:(?:by|until|till|from) )?when(?: exactly| roughly)?"
     r"(?:(?:'ll| did| was| were| will| has| have| had)\b|\?"
     rf"|(?:'s| is| are) (?!{_CONDITION})| (?:do|does) (?={_PLANNED}))"),
    ("when", "date", "", r"by when\b"),
    ("wh", "date", "", r"(?:(?:in|on|at|by|since|until|during) )?"
     rf"(?:what|which) (?P<unit>{_UNIT})"
     rf"(?:(?!'s|(?: is|'s) (?:it|today)\b)(?:{_BE}| (?:of the|{_WE})\b)|\?|$)"),
    ("what", "date", "", r"what(?:'s| is| was) the (?:[\w.-]+ ){0,2}?(?P<unit>date|deadline)"
     r"(?: (?:of|for|when|by)\b|\?|$)"),
    ("wann", "date", "", r"(?:(?:bis|ab) )?wann\b(?! immer| \S+ man\b)"),
    ("welche", "date", "", r"(?:in|an) welche[mr] (?P<unit>jahr|monat|woche|tag|datum)\b"),
    ("wie ", "duration", "until today", r"wie lange (?:ist|sind) .*\bher\b"
     r"|vor wie vielen? (?P<unit>tagen|wochen|monaten|jahren)\b"),
    ("wie ", "duration", "lasting", r"wie lange .*\bschon\b"),
    ("wie ", "duration", "finished", r"wie lange (?:hat|haben|habe)\b"),
)  # fmt: skip


@cache
def _form(source: str) -> re.Pattern[str]:
    """Compiled when a question has its word: all of them take longer than a search can spare."""
    return re.compile(source)


# -- back or ahead --------------------------------------------------------------------------------

_BACK = frozenset(
    ["did", "didn't", "was", "wasn't", "were", "has", "have", "had", "ago", "hat", "habe", "haben",
     "hatte", "war", "waren", "wurde", "wurden"]
)  # fmt: skip
_PRESENT = frozenset(
    ["is", "are", "am", "do", "does", "will", "won't", "can", "should", "must", "when's", "what's",
     "it's", "wird", "werden"]
)  # fmt: skip
_REGULAR_PAST = re.compile(r"[a-z-]+(?<!e)ed")
_PLANS = re.compile(r"\b(?:plan(?:s|ned|ning)?|going to|scheduled|due|deadline|supposed to)\b")
_LAST = re.compile(r"\b(?:last|been|ago)\b")


@cache
def _past_forms() -> frozenset[str]:
    # imported here: few queries are questions of time
    from engram.language.irregular import PAST

    return _BACK | {form for verb, form in PAST.items() if form != verb}


def _tense(words: list[str]) -> int:
    """-1 back, 1 ahead, as the first verb with a tense says; 0 without one, or for past plans."""
    for place, word in enumerate(words):
        word = word.strip('.,:;?!"()')
        rest = words[place + 1 :]
        if (
            word in _PRESENT
            or word.endswith("'ll")
            or (word in ("have", "has") and rest[:1] == ["to"])
        ):
            return -1 if _LAST.search(" ".join(rest)) else 1
        if word in _past_forms() or _REGULAR_PAST.fullmatch(word):
            return 0 if _PLANS.search(" ".join(rest)) else -1
    return 0


# -- the days that it names -----------------------------------------------------------------------

_TELLS_YEAR = re.compile(r"\d{4}")
_MONTH = re.compile("|".join(month[:3] for month in MONTHS), re.IGNORECASE)


def _sooner(span: TimeSpan, today: Day, direction: int) -> TimeSpan:
    """Of a month or a date without a year the past one, where the question looks back."""
    said = span.expression
    if direction >= 0 or span.start <= today or _TELLS_YEAR.search(said) or not _MONTH.search(said):
        return span
    # imported here: few queries name a day
    from engram.language.calendar_spans import move, unit_of

    start, end = (move(date.fromisoformat(day), -1, "year") for day in (span.start, span.end))
    if start != end:
        end = unit_of(end, "month")[1]
    return span._replace(start=start.isoformat(), end=end.isoformat(), also=())


def past_readings(spans: Iterable[TimeSpan], today: Day) -> Iterator[tuple[Day, Day]]:
    """The past days that are as likely meant where something is looked for: "13 April", "Saturday".

    Whoever searches what was said looks back more often than ahead; only a year, or a word such as
    "next", tells that a day lies ahead.
    """
    for span in spans:
        if span.start <= today or _TELLS_YEAR.search(span.expression):
            continue
        if span.rule == "weekday":
            yield plus_days(span.start, -7), plus_days(span.end, -7)
        elif _MONTH.search(span.expression):
            yield _year_before(span.start), _year_before(span.end)


def _year_before(day: Day) -> Day:
    # imported here: few queries name a day
    from engram.language.calendar_spans import move

    return move(date.fromisoformat(day), -1, "year").isoformat()
