"""Turns of one conversation -> how many of the first make one question, and which are shown in it.

An agent says at every step what it does next: such a report is short and another turn of the agent
follows it. Reports are left out; they count as read with the portion they lie in. The last answer
before a person speaks is none. A portion ends before a turn of a person where there is one.
Guarantees: a portion holds at least one turn, its shown turns fit the room, and no more than
MOST_READ turns are looked at to find its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from engram.model.turn import Turn

#: the most messages in one question: attention is finite
MOST_SHOWN = 40
#: the most turns of one portion, those that are left out included
MOST_READ = 240
#: an answer of so many bytes is asked about though no person speaks beside it
_ANSWER = 700
#: a portion ends early, before a person speaks, if it is at least this part of what would fit
_LEAST_PART = 4


class Piece(NamedTuple):
    """What decides about a turn: the tokens it takes, who speaks, what its length tells."""

    size: int
    agent: bool
    report: bool
    answer: bool


def piece_of(turn: Turn, size: int = 0) -> Piece:
    """The piece of a turn."""
    agent, length = turn.role == "assistant", len(turn.text.encode("utf-8", "replace"))
    return Piece(size, agent, turn.may_report, agent and length >= _ANSWER)


def cut(pieces: Iterable[Piece], room: int, most: int = MOST_SHOWN) -> int:
    """How many of the first make one question of `room` tokens and `most` shown messages."""
    count = size = shown = boundary = 0
    last: Piece | None = None
    for piece in islice(pieces, MOST_READ + 1):
        if last is not None and not _left_out(last, piece):
            size, shown = size + last.size, shown + 1
        if not piece.agent:
            boundary = count
        if count and (count == MOST_READ or size + piece.size > room or shown == most):
            return boundary if boundary * _LEAST_PART >= count else count
        last, count = piece, count + 1
    return count


def shown_in(pieces: Sequence[Piece]) -> list[int]:
    """The indexes of what is shown of a portion."""
    last = len(pieces) - 1
    return [
        at for at, piece in enumerate(pieces) if at == last or not _left_out(piece, pieces[at + 1])
    ]


def is_asked(pieces: Sequence[Piece]) -> bool:
    """Whether a model is asked about a portion: a person speaks in it, or it ends in an answer."""
    return any(not piece.agent for piece in pieces) or (bool(pieces) and pieces[-1].answer)


def _left_out(piece: Piece, following: Piece) -> bool:
    return piece.report and following.agent
