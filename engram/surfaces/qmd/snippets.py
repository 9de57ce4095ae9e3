"""Snippet of a hit: the line with most words of the question, and its neighbours.

As qmd does it: the first line that holds most of the question's words as they were typed, the line
before it and the two behind it, under a header with their position.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from engram.language.stop_words import INTENT

#: weight of a word of the intent beside one of the question
_INTENT = 0.3
#: more words of one question are not looked for
_TERMS = 64
#: the longest text that is looked through line by line for every word, characters
_LOOKED_THROUGH = 4_000_000


class Snippet(NamedTuple):
    """The best line, counted from 1, and the lines around it under their header."""

    line: int
    text: str


def snippet(body: str, query: str, longest: int, intent: str = "") -> Snippet:
    """The snippet of a text for a question; without any word of it, the beginning."""
    lines = body.split("\n")
    best = _best(body[:_LOOKED_THROUGH].lower().split("\n"), query, intent)
    start, end = max(0, best - 1), min(len(lines), best + 3)
    text = "\n".join(lines[start:end])
    if len(text) > longest:
        text = text[: longest - 3] + "..."
    header = f"@@ -{start + 1},{end - start} @@ ({start} before, {len(lines) - end} after)"
    return Snippet(best + 1, f"{header}\n{text}")


def numbered(text: str, first: int = 1) -> str:
    """Each line behind its number."""
    return "\n".join(f"{number}: {line}" for number, line in enumerate(text.split("\n"), first))


def _best(lines: list[str], query: str, intent: str) -> int:
    """The number of the first line that says most, from 0."""
    terms = query.lower().split()[:_TERMS]
    meant = _telling(intent)
    best, most = 0, 0.0
    for number, line in enumerate(lines):
        said = sum(term in line for term in terms) + _INTENT * sum(term in line for term in meant)
        if said > most:
            best, most = number, said
    return best


def _telling(intent: str) -> list[str]:
    """The words of an intent that say something."""
    words = (re.sub(r"^[\W_]+|[\W_]+$", "", word) for word in intent.lower().split())
    return [word for word in words if len(word) > 1 and word not in INTENT][:_TERMS]
