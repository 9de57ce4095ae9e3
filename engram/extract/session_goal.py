"""Turns of a conversation -> its goal: the first thing that the person asked for, in their words.

    "hi"  ·  "ok, back to main"  ·  "the till books twice, fix that"   -> the third

What a program wrote on the person's line and interruptions do not count. What asks for nothing of
substance (`language.requests`) gives way to the first request that does; a question that was
answered without work gives way to the largest task up to the first work, but not to an objection.
Where nothing of that was typed the first command that was answered is the goal, or the task line of
a prompt that is laid out as a document. The goal is a verbatim cut of at most two sentences. None
is found where nothing was asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from engram.extract.exchanges import Exchange
from engram.extract.key_changes import has_changed
from engram.extract.session_outcome import asks_only
from engram.language import requests
from engram.language.stop_words import TOPIC
from engram.model.sentences import sentence_ranges
from engram.model.text import words
from engram.model.turn import Turn

#: later turns tell how the work went on, not what it was begun for
_FIRST_TURNS = 12
#: a request of fewer words that nobody answered is none
_FEW_WORDS = 2
#: what the agent said is put right: no task of its own
_OBJECTS = re.compile(r"(?:no|that['’]s (?:wrong|not right))\b", re.IGNORECASE)
_PICTURE = re.compile(r"\[Image #\d{1,3}\]")


class Goal(NamedTuple):
    """The words of the goal, as they stand in the turn, and the turn.

    `asked` is the sentence of them that asks for something; one of no `substance` only says
    something (`language.requests`).
    """

    turn: Turn
    quote: str
    asked: str
    substance: bool = True

    @property
    def text(self) -> str:
        """The goal on one line, without the places of pictures."""
        return " ".join(_PICTURE.sub(" ", self.quote).split())


class _Asked(NamedTuple):
    """A request of substance, and the place of its exchange."""

    place: int
    goal: Goal


def goal_of(exchanges: Sequence[Exchange]) -> Goal | None:
    """The goal of a conversation; None where nothing was asked for."""
    asked = [at for at, one in enumerate(exchanges) if one.is_typed][:_FIRST_TURNS]
    found: list[_Asked] = []
    weak: Goal | None = None
    for at in asked:
        turn = exchanges[at].asked
        if turn is None:
            continue
        answers = at > 0 and bool(exchanges[at - 1].report.asked)
        request = requests.request_of(turn.text, answers=answers)
        is_heard = exchanges[at].answers or len(turn.text.split()) > _FEW_WORDS
        if request and request.substance and is_heard:
            found.append(_Asked(at, Goal(turn, request.quote, request.asked)))
            if not _is_question(found[0].goal):
                break
        elif request:
            weak = weak or Goal(turn, request.quote, request.asked, substance=False)
        elif exchanges[at].spoken and (line := requests.command_line(turn.text)):
            weak = weak or Goal(turn, line, line, substance=False)
    if found:
        return _first_worked_for(exchanges, found)
    return weak or _laid_out([turn for at in asked if (turn := exchanges[at].asked)])


def request_in(turn: Turn) -> Goal | None:
    """What one turn asks for; None where it asks for nothing."""
    return goal_of([Exchange(turn)]) if requests.is_typed(turn) else None


def only_states(goal: Goal) -> bool:
    """Whether a goal says how something is, and asks for nothing."""
    return requests.only_states(goal.quote)


def _first_worked_for(exchanges: Sequence[Exchange], found: Sequence[_Asked]) -> Goal:
    """The first request; or, of a question without work, the largest task up to the first work."""
    first, *later = found
    if not later or not _is_question(first.goal):
        return first.goal
    worked = next(
        (at for at in range(first.place, len(exchanges)) if _is_worked(exchanges[at])), -1
    )
    least = _size(first.goal)
    tasks = [
        one.goal
        for one in later
        if one.place <= worked
        and not _is_question(one.goal)
        and not _OBJECTS.match(one.goal.quote)
        and _size(one.goal) >= least
    ]
    return max(tasks, key=_size) if tasks else first.goal


def _is_worked(exchange: Exchange) -> bool:
    """Whether an exchange changed files, or ends with a report of work."""
    return has_changed(exchange.tools) or bool(exchange.report.done)


def _is_question(goal: Goal) -> bool:
    """Whether an answer is all that each sentence of a goal asks for."""
    quote = goal.quote
    return all(asks_only(quote[slice(*one)]) for one in sentence_ranges(quote, 0, len(quote)))


def _size(goal: Goal) -> int:
    """How many words of a goal name something."""
    return len({word for word in words(goal.quote) if word not in TOPIC})


def _laid_out(asked: Sequence[Turn]) -> Goal | None:
    """The task of the first prompt that names one in a line of its own."""
    for turn in asked:
        if line := requests.task_line(turn.text):
            return Goal(turn, line, line)
    return None
