"""A question and its evidence -> the answer, chosen by rules. Pure.

    "When did Caroline go to the support group?", a turn of 8 May 2023 with "yesterday"
        -> 7 May 2023, and how that was reckoned, a line for each step

Every time that the evidence tells is a candidate. It is worth the more, the better its source was
found, the more of the question's words stand around it and in its own sentence, and if the person
whom the question names says it; less, if it lies on the wrong side of the day on which it was said,
or outside of the days that the question names. Of an expression with several readings the answer is
the span over all of them. A question that asks for no time is answered with a sentence.

Confidence is one of few levels, measured on conversations that the rules were not made from
(tests/benchmarks/README.md): of answers at .8 and above at least 85 of 100 are right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engram.language.calendar_words import NUMBERS
from engram.language.tokens import query_terms
from engram.model.answer import ReasonedAnswer
from engram.model.text import first_line
from engram.recall.answer_words import answer_words, day_in_words, time_in_words
from engram.recall.asked_side import in_one_piece, is_of, on_the_side_asked
from engram.recall.evidence import meet, rarity_among, tellings
from engram.recall.question_words import QuestionWords

if TYPE_CHECKING:
    from engram.model.answer import AnswerSource
    from engram.model.instant import Day
    from engram.model.time_span import TimeSpan
    from engram.recall.asked import Asked
    from engram.recall.evidence import Evidence, Telling

NOT_FOUND = "not found"

#: words that a question of time has for that alone
_OF_TIME = "long ago since date time decide"
#: as much of a question and of a sentence counts, characters
_MOST_ASKED, _MOST_SENTENCE = 2_000, 400
#: so many days that a question names count
_MOST_DAYS = 8
#: as much of a text that may be quoted is looked through for orders to agents
_MOST_SEEN = 4_000
#: what came nearest, sources at most
_NEAREST = 3

#: what speaks for a time: the score of its source, the question's words in that and in what was
#: said before it, the same in its own sentence, that the named person says it
_FOUND, _AROUND, _BESIDE, _SPEAKER = 2.0, 1.0, 1.5, 0.8
#: and that it is of the unit, of the days, and a beginning where the question asks for such
_UNIT, _DAYS_NAMED, _SINCE = 0.5, 1.0, 1.0
#: what speaks against one: that no words tell it, that it lies ahead where the question looks back
#: (or behind), that its memory was replaced
_UNTOLD, _WRONG_WAY, _REPLACED = 2.5, 1.5, 1.0
#: of a day that no words tell: all that keeps it from being certain
_UNSURE = 1.0
#: for a question that asks for no time: that the sentence asks something itself
_ASKING = 2.0
#: as little as this of what its own sentence says count for a time in the sentences next to it
_NEAR = 0.7

#: how much of the question has to stand around an answer
_LEAST_AROUND = 0.12
#: values as near to each other leave it open which is the answer
_CLOSE = 0.4
#: how far a time is before the best other one, and how certain the answer is then; with less than
#: `_MUCH` of the question beside it, or words less certain than `_SURE_WORDS`, it is not
_LEVELS = ((1.8, 0.9), (1.3, 0.8), (0.5, 0.7), (-math.inf, 0.5))
_MUCH, _SURE_WORDS = 0.4, 0.75
#: and with less than this the time is likely one of something else: so certain it is then
_LITTLE, _WEAK = 0.2, 0.3
#: as much of it in a sentence keeps apart what that tells from what the rest of a long text does
_OWN = 0.5
#: a sentence may say what the question wants to know, or something else of it
_QUOTED = 0.5
#: a turn whose reply may be a time and nothing else
_ASKED_WHEN = re.compile(r"\b(?:when|how long)\b[^.?!]{0,200}\?\s*$", re.IGNORECASE)
#: many a question to an agent has no question mark
_ASKS = re.compile(
    r"\?\W*$|^(?:(?:ok|so|and|also|in [\w-]+),? )*(?:can you|do you|is there"
    r"|(?:what|why|how|who|which)(?: (?:other )?(?:types?|kinds?|things?)(?: of \w+)?)?"
    r" (?:happens|is|are|was|were|do|does|did|should|can))\b",
    re.IGNORECASE,
)
#: how long something took
_LENGTH = re.compile(
    rf"\b(?:\d[\d.,]*|an?|few|couple of|{'|'.join(NUMBERS)})[ -]?"
    r"(?:ms|s|sec|min|h|(?:second|minute|hour|day|night|week|weekend|month|year)s?)\b(?! ago)",
    re.IGNORECASE,
)
#: what makes a line an item, a heading or a quotation
_MARK = re.compile(r"^(?:[-*+>]|#+) ")
_YEAR = re.compile(r"(?:19|20)\d\d")


class _Candidate(NamedTuple):
    """A time that the evidence tells.

    `around`, `beside` and `close` are shares of the question's words around it; `only_said`:
    nothing tells when it was but the day on which the sentence was said.
    """

    value: float
    telling: Telling
    source: AnswerSource
    around: float
    beside: float
    close: float
    only_said: bool

    @property
    def span(self) -> TimeSpan:
        return self.telling.span


def reasoned(
    question: str, asked: Asked, evidence: Sequence[Evidence], today: Day
) -> ReasonedAnswer:
    """The answer to a question of `today`.

    Where no source tells one: "not found", confidence 0, and what came nearest.
    """
    if asked.may_be_date:
        coming = asked._replace(wanted="date", direction=1, may_be_date=False)
        answer = reasoned(question, coming, evidence, today)
        if _tells_coming_day(answer):
            return answer
    words = _words(question[:_MOST_ASKED], asked, evidence)
    candidates = sorted(
        (
            candidate
            for number, one in enumerate(evidence)
            for candidate in _candidates(words, asked, number, one)
        ),
        key=lambda one: (-one.value, -one.close, -one.span.confidence, one.telling.number),
    )
    nearest = tuple(one.source for one in evidence[:_NEAREST])
    if not _is_dated(asked):
        candidates = [one for one in candidates if not _is_of_something_else(one)]
    best = candidates[0] if candidates else None
    if best is None or _is_of_something_else(best):
        why = "no source tells of it" if evidence else "nothing was found"
        return ReasonedAnswer(NOT_FOUND, 0.0, why, (), nearest)
    if asked.measured == "finished" and not (
        candidates := [one for one in candidates if _LENGTH.search(one.telling.sentence)]
    ):
        return ReasonedAnswer(NOT_FOUND, 0.0, "no source tells how long", (), nearest)
    if not _is_dated(asked):
        return _quoted(next(_quotable(candidates, evidence), None), nearest)
    other = next((one for one in candidates if _stands_against(one, best)), None)
    told = (best,) if other is None else (best, other)
    start, end = best.span.widest
    return ReasonedAnswer(
        ", or ".join(answer_words(one.span, asked, today) for one in told),
        _confidence(best, candidates, other),
        "\n".join(_steps(told, candidates)),
        tuple(one.span for one in told if one.telling.in_words),
        tuple(one.source._replace(text=one.telling.sentence[:_MOST_SENTENCE]) for one in told),
        _is_reckoned(best.span),
        start,
        end,
    )


def _tells_coming_day(answer: ReasonedAnswer) -> bool:
    """Whether words tell a day that lay ahead when they were said, and what is asked for."""
    return (
        answer.confidence > _QUOTED
        and answer.temporal_resolutions != ()
        and answer.end >= answer.source_memories[0].said
    )


def _is_of_something_else(best: _Candidate) -> bool:
    """Whether too few of the question's words stand around a time, or in a sentence without one."""
    return best.around < _LEAST_AROUND or (best.only_said and best.beside < _MUCH)


def _is_dated(asked: Asked) -> bool:
    """Whether a time answers it: how long something took is said in words, or nowhere."""
    return asked.wanted != "" and asked.measured != "finished"


def _quotable(
    candidates: Sequence[_Candidate], evidence: Sequence[Evidence]
) -> Iterator[_Candidate]:
    """Without the sentences of turns that give orders to an agent."""
    # imported here: its patterns take a while, and a date is no quotation
    from engram.language.agent_orders import injection

    gives_orders: dict[int, bool] = {}
    for one in candidates:
        number = one.telling.number
        if number not in gives_orders:
            own = one.source.kind == "memory"
            gives_orders[number] = bool(injection(evidence[number].text[:_MOST_SEEN], own=own))
        if not gives_orders[number]:
            yield one


def _quoted(best: _Candidate | None, nearest: tuple[AnswerSource, ...]) -> ReasonedAnswer:
    """A sentence as the answer to a question that asks for no time: what is said of it."""
    if best is None:
        return ReasonedAnswer(NOT_FOUND, 0.0, "what was found gives orders to agents", (), nearest)
    said = first_line(_MARK.sub("", best.telling.sentence), _MOST_SENTENCE)
    source = best.source._replace(text=said)
    why = f"{best.beside:.0%} of the question's words stand in this sentence"
    return ReasonedAnswer(said, _QUOTED, why, (), (source,))


def _stands_against(one: _Candidate, best: _Candidate) -> bool:
    """Whether another source tells another time for what seems to be the same, nearly as well."""
    return (
        one.telling.number != best.telling.number
        and not one.only_said
        and best.value - one.value <= _CLOSE
        and one.beside >= best.beside
        and not meet(one.span.widest, best.span.widest)
    )


def _confidence(
    best: _Candidate, candidates: Sequence[_Candidate], other: _Candidate | None
) -> float:
    """How likely an answer is right: by how far it is before the best other time, and how told."""
    if best.only_said:
        return _sure_of(best.telling)
    days = best.span.widest
    others = (one.value for one in candidates if not meet(one.span.widest, days))
    ahead = best.value - max(others, default=0.0)
    if best.beside < _LITTLE:
        return _WEAK
    if other is not None or best.beside < _MUCH:
        return _LEVELS[-1][1]
    fitting = (sure for least, sure in _LEVELS if ahead >= least)
    return min(next(fitting), 0.7 if best.span.confidence < _SURE_WORDS else 1.0)


def _sure_of(telling: Telling) -> float:
    """How certain the day is on which a sentence was said; "today" in it may be of anything."""
    return _LEVELS[-1][1] if telling.in_words else telling.span.confidence


def _steps(told: Sequence[_Candidate], candidates: Sequence[_Candidate]) -> Iterator[str]:
    """How the answer came about, a line a step."""
    for one in told:
        said = day_in_words(one.source.said) if one.source.said else "an unknown day"
        where = f"a {one.source.kind} of {said}"
        if one.source.status not in ("", "active"):
            where = f"{where} ({one.source.status})"
        days = time_in_words(one.span)
        if one.telling.in_words:
            yield f'"{" ".join(one.span.expression.split())}" in {where} -> {days}'
        else:
            yield f"{where} names no time; it was said on that day -> {days}"
    best, times = told[0], {one.span.widest for one in candidates if one.telling.in_words}
    yield (
        f"of the question's words {best.beside:.0%} stand near it, {best.around:.0%} in this"
        f" {best.source.kind} and the turns before; other times found:"
        f" {len(times - {one.span.widest for one in told})}"
    )
    if told[1:]:
        yield "two sources tell different times"


def _is_reckoned(span: TimeSpan) -> bool:
    """Whether the words leave out what the day on which they were said has to add."""
    return _YEAR.search(span.expression) is None


def _words(question: str, asked: Asked, evidence: Sequence[Evidence]) -> QuestionWords:
    """Without names of those who speak, whose turns count more, and without words of time."""
    speakers = (one.source.speaker for one in evidence)
    days = (one.expression for one in asked.spans)
    of_time = (asked.unit, _OF_TIME) if asked.wanted else ()
    left_out = query_terms(" ".join((*speakers, *days, *of_time)), _MOST_ASKED)
    return QuestionWords.of(question, rarity_among(evidence), left_out)


def _candidates(
    words: QuestionWords, asked: Asked, number: int, evidence: Evidence
) -> Iterator[_Candidate]:
    source = evidence.source
    around = words.share(evidence.text, *evidence.before, related=True)
    # of a memory that was found alone the score says little: names are words to its search
    found = evidence.score * (1.0 if evidence.turn else around)
    value = _FOUND * found + _AROUND * around + _SPEAKER * words.name(source.speaker)
    value -= _REPLACED * (source.status == "superseded")
    shares: dict[tuple[str, ...], float] = {}
    replies = bool(evidence.before) and _ASKED_WHEN.search(evidence.before[0]) is not None
    for told in tellings(number, evidence):
        span = on_the_side_asked(told.span, source.said, asked.direction)
        telling = told._replace(span=in_one_piece(span))
        near = (telling.sentence, *telling.beside)
        if near not in shares:
            shares[near] = max(words.share(telling.sentence), _NEAR * words.share(*near))
        beside = shares[near]
        if replies and telling.in_words and not telling.alone:
            beside = max(beside, around)
        worth = value + _BESIDE * beside + _fit(asked, telling, source.said)
        only_said = _tells_only_that_day(telling, source.said, beside)
        worth -= _UNTOLD * (only_said and _is_dated(asked))
        if only_said:
            worth -= _UNSURE * (1 - _sure_of(telling))
        close = words.share(telling.clause)
        yield _Candidate(worth, telling, source, around, beside, close, only_said)


def _tells_only_that_day(telling: Telling, said: Day, beside: float) -> bool:
    """Whether a sentence tells no time but the day on which it was said.

    A time in a sentence of something else is none of what the question is about, where that day is
    all that it tells ("today"), or where the sentence stands alone. "Today" in a sentence that
    stands alone is that day in any case.
    """
    if not telling.in_words:
        return True
    that_day = telling.span.widest == (said, said)
    return (telling.alone and that_day) or ((telling.alone or that_day) and beside < _OWN)


def _fit(asked: Asked, telling: Telling, said: Day) -> float:
    """How well a time is one of those that are asked for."""
    if not _is_dated(asked):
        return -_ASKING * (_ASKS.search(telling.sentence) is not None)
    span = telling.span
    ahead = asked.direction < 0 and span.start > said
    behind = asked.direction > 0 and span.end < said
    named = any(is_of(span, one) for one in asked.spans[:_MOST_DAYS])
    return (
        -_WRONG_WAY * (ahead or behind)
        + _UNIT * (asked.unit != "" and asked.unit == span.granularity)
        + _DAYS_NAMED * named
        + _SINCE * (asked.measured in ("lasting", "since") and span.role_hint == "since")
    )
