"""Turn event: what an utterance is an event of, by the closed word lists of seed 002.

    "we will use postgres"  ->  decision

Whole words only; the first that fits: work with tools is execution, then correction, preference,
decision, a profile fact, and context for all else. It describes a turn: what becomes a memory is
decided by extraction. English only. Pure.
"""

from __future__ import annotations

import re

from engram.language.profile_facts import fact_of
from engram.model.item import EventType


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_WORDS: tuple[tuple[EventType, re.Pattern[str]], ...] = (
    ("correction", _words(r"\b(?:actually|correction)\b|\bnot\b.*\bbut\b")),
    ("preference", _words(r"\bi (?:prefer|like|want)\b|\bnever (?:do|use|call)\b")),
    (
        "decision",
        _words(r"\b(?:decision|decided|choose|let['’]s use|we will use)\b|\buse [a-z0-9]"),
    ),
)


def event_of_turn(text: str, *, used_tools: bool = False) -> EventType:
    """The event type of an utterance; `used_tools` tells that tools were called with it."""
    if used_tools:
        return "execution"
    for event, pattern in _WORDS:
        if pattern.search(text):
            return event
    return "fact" if fact_of(text) is not None else "context"
