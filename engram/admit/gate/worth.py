"""Whether a candidate is worth a file: not trivial, of a known category, with a sound statement.

Turns a candidate and the settings into '' or a refusal code. What a person asks to remember
passes whatever it scores; what a rule or model proposes must reach `extract.min_importance`.
"""

from __future__ import annotations

from engram.model.candidate import Candidate
from engram.model.memory import CATEGORIES, LEVELS, Level, at_least, importance_level
from engram.model.text import normalise

#: a longer statement is a document, not a fact (specs: 64 KB a record; one fact is far below)
MOST_CHARACTERS = 4_000


def unworthy(candidate: Candidate, min_importance: str) -> str:
    """A refusal code, or ''. `min_importance` is one of the levels."""
    if candidate.category not in CATEGORIES:
        return "unknown_category"
    if not normalise(candidate.text):
        return "empty"
    if len(candidate.text) > MOST_CHARACTERS:
        return "too_long"
    if not 0 <= candidate.confidence <= 1 or not 0 <= candidate.importance <= 1:
        return "out_of_range"
    threshold: Level = next((level for level in LEVELS if level == min_importance), "low")
    level = importance_level(candidate.importance)
    if candidate.origin != "person" and not at_least(level, threshold):
        return "trivial"
    return ""
