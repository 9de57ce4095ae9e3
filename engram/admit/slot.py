"""Slots: one value per subject and attribute; whose value stands when a new one comes.

The newer statement wins among equals; the authority ladder decides between unequals (design 5.5);
a correction by the user stands above it (design 5.6). What comes late (an older statement imported
after a newer one) becomes history, not the present.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from engram.model.candidate import Candidate
from engram.model.memory import Memory, authority_rank

Outcome = Literal["replace", "history", "review"]


def contest(candidate: Candidate, holders: Sequence[Memory]) -> tuple[Outcome, Memory]:
    """How a candidate fares against the live holders (at least one) of its slot, newest last."""
    holder = holders[-1]
    rank, held = authority_rank(candidate.authority), authority_rank(holder.authority)
    corrects = candidate.corrects and rank >= authority_rank("user_asserted")
    if rank < held and not corrects:
        return "review", holder
    if candidate.receipt.time < holder.created:
        return "history", holder
    return "replace", holder
