"""Slots: one value per subject and attribute; whose value stands when a new one comes.

The newer statement wins among equals; the authority ladder decides between unequals (design 5.5);
a correction by the user stands above it (design 5.6). What comes late (an older statement imported
after a newer one) becomes history, not the present. A disputed holder shields no trusted one: the
strongest of all holders is the measure, however new the others are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from engram.model.candidate import Candidate
from engram.model.memory import Memory, authority_rank

Outcome = Literal["replace", "history", "review"]


def contest(candidate: Candidate, holders: Sequence[Memory]) -> tuple[Outcome, Memory]:
    """How a candidate fares against the live holders (at least one) of its slot, newest last."""
    strongest = max(reversed(holders), key=lambda holder: authority_rank(holder.authority))
    if outranks(strongest, candidate):
        return "review", strongest
    newest = ([holder for holder in holders if holder.status == "active"] or holders)[-1]
    if candidate.receipt.time < newest.created:
        return "history", newest
    return "replace", newest


def outranks(memory: Memory, candidate: Candidate) -> bool:
    """Whether a memory is of higher authority than a candidate that would replace it."""
    rank = authority_rank(candidate.authority)
    corrects = candidate.corrects and rank >= authority_rank("user_asserted")
    return rank < authority_rank(memory.authority) and not corrects
