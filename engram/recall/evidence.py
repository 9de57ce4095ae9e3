"""Memories and turns that a search found -> the sentences of them that tell a time.

    Evidence("Hey! We went to the museum yesterday.", said on 2023-07-06)
        -> Telling("We went to the museum yesterday.", 2023-07-05, "yesterday")
        -> Telling("Hey!", 2023-07-06, the day said), ...

Every expression counts that can be resolved, however uncertain it is, and for each sentence the day
on which it was said. What has no such day, or one before 1970, tells nothing. Pure; time in
proportion to the text.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from engram.language.tokens import terms
from engram.language.when import find_times, fixed_times
from engram.model.markdown import code_lines
from engram.model.record import without_receipt
from engram.model.sentences import sentence_ranges
from engram.model.time_span import TimeSpan

if TYPE_CHECKING:
    from engram.model.answer import AnswerSource
    from engram.model.instant import Day

#: times of one text that are looked at, and characters around one that may be of its clause
_MOST_TIMES, _REACH = 200, 400
#: the rule of a span that no words tell: the day on which something was said
DAY_SAID = "day said"

#: how certain it is that something happened on the day on which it was said: when that is a report
#: ("Fixed the login", "PR created: ...", "We decided to ..."), when it sounds fresh ("I just opened
#: my shop", "we've found it"), and when it does neither
_REPORTED, _FRESH, _SAID_ONLY = 0.7, 0.6, 0.4
_IS_REPORT = re.compile(
    r"\W*(?:(?!based|related|supposed)(?:\w*[^e\W]ed|done|made|built)\b"
    r"|(?:(?!(?:is|are|was|be|not)\b)[\w-]+ ){1,2}\w*[^e\W]ed[.:]"
    r"|(?:we|i)(?:['’]ve| have)? (?:decided|agreed|chose)\b)",
    re.IGNORECASE,
)
_IS_FRESH = re.compile(
    r"\b(?:just|finally)\b"
    r"|(?:\b(?:have|has)|['’](?:ve|s)) (?:\w+ ){0,2}(?:\w+ed|got|been|found|made)\b",
    re.IGNORECASE,
)
#: a text that is longer, characters, is of many things
_LONG = 1_000
_CLAUSE_END = re.compile(r"[,;:] |\b(?:and|but|so) ", re.IGNORECASE)
#: words right before a time, and how many characters before it they may begin
_DENIED = re.compile(r"\bnot (?:(?:on|in) )?$", re.IGNORECASE)
_NEARLY = re.compile(r"\b(?:around|about|roughly|approximately) $", re.IGNORECASE)
_LEAD = 16
#: how certain a day is that is told as being around
_NEARLY_SURE = 0.6


class Evidence(NamedTuple):
    """One memory or turn: all of its text, and how well it was found.

    `score` is its share of the best score, 0..1; `before` are the texts of the turn before it and
    of the one before that. `source.said` is the day of the vault's time zone on which it was said.
    `turn` is the link of the turn that was found: of a memory, the one that it was made of. Where
    that day is only guessed it stands in `guess`, and `source.said` is empty.
    """

    source: AnswerSource
    text: str
    score: float
    before: tuple[str, ...] = ()
    turn: str = ""
    guess: Day = ""


class Telling(NamedTuple):
    """A sentence and a time that it tells; `number` is that of its evidence.

    `beside` are the sentences before and after it, `clause` the part of it that tells the time. One
    that is `alone` is a line of code or of a table, or stands in a text that is long enough to be
    of many things: what it tells, it tells of itself only.
    """

    number: int
    sentence: str
    span: TimeSpan
    beside: tuple[str, ...] = ()
    alone: bool = False
    clause: str = ""

    @property
    def in_words(self) -> bool:
        """Whether words tell the time; else it is the day on which the sentence was said."""
        return self.span.rule != DAY_SAID


def tellings(number: int, evidence: Evidence) -> Iterator[Telling]:
    """All that one piece of evidence tells, sentence by sentence."""
    text, said = evidence.text, evidence.source.said
    if max(said, evidence.guess) < "1970":
        return
    times = find_times(text, said, least=0) if said else fixed_times(text, evidence.guess)
    times = times[:_MOST_TIMES]
    spans = [_nearly(text, one) for one in times if not _is_denied(text, one)]
    offsets = [span.offset for span in spans]
    said_then = TimeSpan(said, said, "", 0, anchor=said, rule=DAY_SAID)
    ranges = [one for one in _sentences(text) if text[one[0] : one[1]].strip()]
    for place, (start, end, in_code) in enumerate(ranges):
        sentence = without_receipt(text[start:end].strip())
        # a sentence that tells no time is beside it, whose day is not known
        alone = in_code or sentence.startswith("|") or len(text) > _LONG or not said
        around = (*ranges[max(0, place - 1) : place], *ranges[place + 1 : place + 2])
        beside = () if alone else tuple(text[first:last].strip() for first, last, _ in around)
        for span in spans[bisect_left(offsets, start) : bisect_left(offsets, end)]:
            # what is far away is another clause, however long the sentence is
            near, last = max(start, span.offset - _REACH), min(end, span.offset + _REACH)
            clause = _clause(text[near:last], span.offset - near)
            yield Telling(number, sentence, span, beside, alone, clause)
        if not in_code and said:
            span = said_then._replace(confidence=_sure_of_the_day(sentence))
            yield Telling(number, sentence, span, (), alone)


def _clause(sentence: str, at: int) -> str:
    ends = [one.start() for one in _CLAUSE_END.finditer(sentence)]
    first = max((end for end in ends if end <= at), default=0)
    return sentence[first : min((end for end in ends if end > at), default=len(sentence))]


def _is_denied(text: str, span: TimeSpan) -> bool:
    """Whether it is the time that something is not: "not this week, but ..."."""
    return _DENIED.search(text, max(0, span.offset - _LEAD), span.offset) is not None


def _nearly(text: str, span: TimeSpan) -> TimeSpan:
    """ "around 23 February" may be any day of a week, and is less certain."""
    if span.granularity != "day" or not _NEARLY.search(
        text, max(0, span.offset - _LEAD), span.offset
    ):
        return span
    day = date.fromisoformat(span.start)
    if not 1970 < day.year < 9999:
        return span
    first, last = ((day + timedelta(days=days)).isoformat() for days in (-3, 3))
    sure = min(span.confidence, _NEARLY_SURE)
    return span._replace(start=first, end=last, granularity="span", confidence=sure, also=())


def with_source(statement: str, words: str, said: Day) -> str:
    """The words that a statement was made of, and the statement.

    The statement alone where it names a day that these words do not tell: a person corrected it.
    The words alone where it is only nearer: "around 2026-02-23" is what was made of "last week".
    """
    told = [span.widest for span in find_times(words, said, least=0)]
    own = find_times(statement, said)
    if told and any(not any(meet((one.start, one.end), days) for days in told) for one in own):
        return statement
    if told and any(_nearly(statement, one) != one for one in own):
        return words
    return "\n".join(filter(None, (words, statement)))


def meet(one: tuple[Day, Day], other: tuple[Day, Day]) -> bool:
    """Whether two spans have a day in common."""
    return one[0] <= other[1] and other[0] <= one[1]


def rarity_among(evidence: Sequence[Evidence]) -> Callable[[str], float]:
    """A weight (> 0) for each term: the more, the less of this evidence holds it."""
    holding = Counter(
        term for one in evidence for term in set(terms("\n".join((one.text, *one.before))))
    )
    most = len(evidence) + 1.0
    return lambda term: math.log(most / (holding[term] + 0.5)) + 0.1


def _sure_of_the_day(sentence: str) -> float:
    if _IS_REPORT.match(sentence):
        return _REPORTED
    return _FRESH if _IS_FRESH.search(sentence) else _SAID_ONLY


def _sentences(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where each begins and ends, and whether it is code."""
    lines, start = text.split("\n"), 0
    for line, in_code in zip(lines, code_lines(lines), strict=True):
        for first, last in sentence_ranges(text, start, start + len(line)):
            yield first, last, in_code
        start += len(line) + 1
