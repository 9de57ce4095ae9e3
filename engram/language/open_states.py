"""Whether a statement tells of something not yet so, or of the moment when it came to be so.

"we plan to move auth to Keycloak" and "the migration was finished", "blocked by the licence" and
"Legal cleared the licence", "the flag is off" and "the flag is on". English only. Pure.
"""

from __future__ import annotations

from typing import Literal

from engram.language.any_case import AnyCase

#: a plan, an obstacle, something that is off
State = Literal["plan", "obstacle", "off"]
States = frozenset[State]


def open_states_of(text: str) -> States:
    """In which ways a text tells of what is not yet so."""
    return frozenset(state for state, pattern in _OPEN if pattern.search(text))


def settled_states_of(text: str) -> States:
    """Which of them a text says to be over."""
    return frozenset(state for state, pattern in _SETTLED if pattern.search(text))


_BE = r"(?:was|were|is|are|has|have|been|got)(?: now| been| finally)?"
_OPEN: tuple[tuple[State, AnyCase], ...] = (
    ("plan", AnyCase(r"\b(?:plan(?:s|ned|ning)? (?:to|on)|(?:want|hope|intend|aim)s? to)\b")),
    ("obstacle", AnyCase(
        r"\b(?:blocked (?:by|on)|wait(?:s|ing)? (?:for|on)|on hold|depends on|pending)\b")),
    ("off", AnyCase(
        r"\b(?:paused|suspended|rolled back|(?:is|are) off|not (?:yet )?ready|not yet"
        r"|(?:is|are) (?:cancelled|closed|down|broken) (?:this|for))\b")),
)  # fmt: skip
_SETTLED: tuple[tuple[State, AnyCase], ...] = (
    ("plan", AnyCase(rf"\b(?:{_BE} (?:finished|completed|done)|finished|completed)\b")),
    ("obstacle", AnyCase(
        r"\b(?:cleared|signed off|went through|passed|(?:goes|go) ahead|unblocked"
        rf"|{_BE} (?:approved|granted|accepted))\b")),
    ("off", AnyCase(
        r"\b(?:(?:is|are)(?: now)? (?:on|ga|live|available|ready)|(?:running|works?|working|open)"
        r" again|back (?:in|to normal|on|up)|resumed|up and running)\b")),
)  # fmt: skip
