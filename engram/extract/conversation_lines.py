"""Turns of one conversation -> its lines, as triage reads them and a model is shown them.

Of a person what they said themselves (`own_ranges`): not what they pasted, nor what a program wrote
on their line. Of an agent everything. Code is shown and not scored: a `TODO` in it is no debt that
anybody told of. Pure, linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engram.language.own_ranges import own_ranges
from engram.model.markdown import code_lines
from engram.model.turn import Turn

#: where something was left out, as in the prompts
LEFT_OUT = "[...]"
_INLINE_CODE = re.compile(r"`[^`\n]*`")


class ConversationLine(NamedTuple):
    """One line. `turn` is the place of its turn, from 0; `scored` its words without code."""

    turn: int
    text: str
    scored: str


def lines_of(turns: Sequence[Turn]) -> list[ConversationLine]:
    """The lines of some turns, in order."""
    return [
        line
        for place, turn in enumerate(turns)
        for line in (_typed(place, turn) if turn.by_person else _said(place, turn.text))
    ]


def _said(place: int, text: str) -> Iterator[ConversationLine]:
    lines = text.split("\n")
    for line, code in zip(lines, code_lines(lines), strict=True):
        yield ConversationLine(place, line, "" if code else _without_code(line))


def _typed(place: int, turn: Turn) -> Iterator[ConversationLine]:
    """The person's own lines; a mark where others were left out between them."""
    end = 0
    own = [] if turn.program else own_ranges(turn.text)
    for start, last in own:
        if turn.text[end:start].strip(" \t\n-*•"):
            yield ConversationLine(place, LEFT_OUT, "")
        for line in turn.text[start:last].split("\n"):
            yield ConversationLine(place, line, _without_code(line))
        end = last
    if own and turn.text[end:].strip():
        yield ConversationLine(place, LEFT_OUT, "")


def _without_code(line: str) -> str:
    return _INLINE_CODE.sub(" ", line) if "`" in line else line
