"""What triage found in a conversation: a score for each record schema, and the lines behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class TriageHit(NamedTuple):
    """One line that points to a schema; `line` and `turn` are places, from 0."""

    line: int
    turn: int
    words: str
    boosted: bool


@dataclass(frozen=True, slots=True)
class SchemaScore:
    """How much points to one schema, 0..1; `plain` and `boosted` are the hits that count.

    `describe` says in one line what belongs into the schema; `counted` are the numbers behind a
    session's score.
    """

    schema: str
    describe: str
    score: float
    threshold: float
    plain: int = 0
    boosted: int = 0
    hits: tuple[TriageHit, ...] = ()
    counted: tuple[tuple[str, int], ...] = ()

    @property
    def triggers(self) -> bool:
        """Whether it is drafted."""
        return self.score >= self.threshold


class TriagedConversation(NamedTuple):
    """One conversation, how many turns it has, and a score for each schema."""

    transcript: str
    turns: int
    scores: tuple[SchemaScore, ...]
