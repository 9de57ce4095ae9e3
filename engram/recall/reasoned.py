"""A question of time and its evidence -> the answer, chosen by rules. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engram.model.answer import ReasonedAnswer

if TYPE_CHECKING:
    from engram.recall.asked import Asked
    from engram.recall.evidence import Evidence

NOT_FOUND = "not found"


def reasoned(
    question: str, asked: Asked, evidence: Sequence[Evidence], rarity: Callable[[str], float]
) -> ReasonedAnswer:
    """The answer to a question of time; `rarity` weighs a term (>= 0).

    Where no source tells it: "not found", confidence 0, and what came nearest.
    """
    nearest = tuple(one.source for one in evidence[:3])
    return ReasonedAnswer(NOT_FOUND, 0.0, "no source tells a time", (), nearest)
