"""Exact repeats: who owns this content already, and what a repeat does to the owner.

A hash blocks only while a live memory of the same scope owns it, or one that was retired less than
a day ago (design 5.3). A repeat is never a silent skip: its receipt is added to the owner, whose
confidence and expiry follow (design 5.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from engram.admit.confidence import confirmed_confidence
from engram.model.candidate import Candidate
from engram.model.instant import Instant, minutes_between
from engram.model.memory import Memory, authority_rank
from engram.model.retention import renewed
from engram.model.settings import RetentionSettings

Standing = Literal["free", "owned", "retired"]


def standing(
    owners: Sequence[Memory], now: Instant, resurrection_hours: int
) -> tuple[Standing, Memory | None]:
    """Whether content is free, owned by a live memory, or retired too recently to come back."""
    for owner in reversed(owners):
        if owner.live:
            return "owned", owner
    for owner in reversed(owners):
        if owner.status == "retired" and owner.status_since:
            age = minutes_between(owner.status_since, now)
            if age < resurrection_hours * 60:
                return "retired", owner
    return "free", None


def confirmed(
    owner: Memory, candidate: Candidate, now: Instant, retention: RetentionSettings
) -> Memory:
    """The owner with one more receipt; the same receipt again changes nothing.

    What is pasted, or said by an agent or a program, is no receipt. What the person says makes it
    theirs, whoever inferred it before. A needs-review memory stays for the person to decide.
    """
    link = candidate.receipt.link
    if not link or link in owner.sources or not candidate.in_own_words:
        return owner
    after = replace(
        owner,
        confidence=confirmed_confidence(owner, candidate),
        authority=max(owner.authority, candidate.authority, key=authority_rank),
        sources=(*owner.sources, link),
    )
    return replace(after, expires=renewed(owner, after, now, retention))
