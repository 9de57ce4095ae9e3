"""Days that a model gives an item -> the deadline and the beginning that can be believed.

What the words themselves say outranks the model's date, except where they name no year, or where
the model's date stands in its statement as well. A deadline lies ahead of the turn, a beginning
does not; anything else is left out. A statement gets no second date beside one that it has.
"""

from __future__ import annotations

import re
from datetime import date

from engram.extract.rules.candidates import due_of
from engram.language.anchor import is_dated
from engram.language.when import find_times, past_times
from engram.model.time_span import TimeSpan
from engram.model.turn import Turn

#: a lifetime back or ahead: no day beyond it is meant
_MOST_YEARS = 100
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def due_day(value: object, turn: Turn, quote: str, text: str) -> str:
    """The deadline: the model's date where its statement names it too, else what the words say.

    Else the model's date, if it lies ahead.
    """
    day = _day(value, turn)
    day = day if day >= turn.day else ""
    if day and _states(text, day, turn):
        return day
    said = due_of(turn, quote)
    return said.end if said is not None else day


def dated(text: str, due: str, turn: Turn) -> str:
    """The statement with its deadline beside the words of time, or at its end.

    One date is enough: where the words of time have one, or are one, none is added.
    """
    if not due or _states(text, due, turn):
        return text
    times = find_times(text, turn.day)
    said = next((span for span in times if span.end == due), None)
    if said is None:
        others = any(span.end >= turn.day and _is_dated(text, span) for span in times)
        return text if others else f"{text.rstrip('.')} ({due})."
    if _is_dated(text, said):
        return text
    at = said.offset + len(said.expression)
    return f"{text[:at]} ({due}){text[at:]}"


def since_day(value: object, turn: Turn, quote: str) -> str:
    """`valid_from`: a past day that is named, else the model's if it is past, else the turn's.

    Where the model's lies ahead, a date without a year is no past one.
    """
    day = _day(value, turn)
    past = past_times(quote, turn.day)
    if day > turn.day:
        past = [span for span in past if _YEAR.search(span.expression)]
    if past:
        return past[0].start
    return day if "" < day <= turn.day else turn.day


def _states(text: str, day: str, turn: Turn) -> bool:
    """Whether a text names this day with its year."""
    times = find_times(text, turn.day)
    return any(span.end == day and _YEAR.search(span.expression) for span in times)


def _is_dated(text: str, span: TimeSpan) -> bool:
    """Whether words of time are a date with its year, or have a date beside them."""
    end = span.offset + len(span.expression)
    return _YEAR.search(span.expression) is not None or is_dated(text, end)


def _day(value: object, turn: Turn) -> str:
    """A calendar day as headers write it, within a lifetime; empty for anything else."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        day = date.fromisoformat(text)
        near = abs(day.year - int(turn.day[:4])) <= _MOST_YEARS
        return text if near and day.isoformat() == text else ""
    except ValueError:
        return ""
