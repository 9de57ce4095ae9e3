"""Days that a model gives an item -> the deadline and the beginning that can be believed.

What the words themselves say outranks the model's date. A deadline lies ahead of the turn, a
beginning does not; anything else is left out.
"""

from __future__ import annotations

from datetime import date

from engram.extract.rules.candidates import due_of
from engram.language.when import find_times
from engram.model.turn import Turn


def due_day(value: object, turn: Turn, quote: str) -> str:
    """The deadline: what the words themselves say, else the model's date if it lies ahead."""
    said = due_of(turn, quote)
    if said is not None:
        return said.end
    day = _day(value)
    return day if day >= turn.day else ""


def dated(text: str, due: str, turn: Turn) -> str:
    """The statement with its deadline beside the words of time, or at its end."""
    if not due or due in text:
        return text
    said = next((span for span in find_times(text, turn.time) if span.end == due), None)
    if said is None:
        return f"{text.rstrip('.')} ({due})."
    at = said.offset + len(said.expression)
    return f"{text[:at]} ({due}){text[at:]}"


def since_day(value: object, turn: Turn, quote: str) -> str:
    """`valid_from`: a past day that is named, else the day it was said."""
    past = [span for span in find_times(quote, turn.time) if span.end < turn.day]
    if past:
        return past[0].start
    day = _day(value)
    return day if "" < day <= turn.day else turn.day


def _day(value: object) -> str:
    """A calendar day as headers write it; empty for anything else."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        return text if date.fromisoformat(text).isoformat() == text else ""
    except ValueError:
        return ""
