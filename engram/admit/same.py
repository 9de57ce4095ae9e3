"""Exact repeats: who owns this content already, and what a repeat does to the owner.

A hash blocks only while a live memory of the same scope owns it, or one that was retired less than
a day ago (design 5.3). A repeat is never a silent skip: its receipt is added to the owner, whose
confidence and expiry follow (design 5.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from engram.admit.retention import renewed
from engram.model.candidate import TRUST, Candidate
from engram.model.instant import Instant, minutes_between
from engram.model.memory import Memory, authority_rank
from engram.model.settings import RetentionSettings

Standing = Literal["free", "owned", "retired"]
#: repeats of rules and models never make a memory explicit (>= .95): only the person's word does
_MOST_CONFIDENCE = 0.94
#: the least trust in a voice that confirms what is known
CONFIRMS = 2
#: how much of what is still doubtful one independent repeat settles
_SHARE = 0.5


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

    A repeat from another conversation is independent evidence and settles half of the doubt; one
    from the same conversation is only kept. A needs-review memory stays for the person to decide.
    What was not said by the person confirms nothing.
    """
    link = candidate.receipt.link
    if not link or link in owner.sources or TRUST[candidate.voice] < CONFIRMS:
        return owner
    conversations = {source.partition("#")[0] for source in owner.sources}
    independent = link.partition("#")[0] not in conversations
    confidence, authority = owner.confidence, owner.authority
    if candidate.origin == "person":
        # the person's own word makes it explicit, whoever inferred it before
        confidence = max(confidence, candidate.confidence)
        authority = max(authority, candidate.authority, key=authority_rank)
    elif independent and confidence < _MOST_CONFIDENCE:
        gained = confidence + (1 - confidence) * candidate.confidence * _SHARE
        confidence = round(min(gained, _MOST_CONFIDENCE), 3)
    sources = (*owner.sources, link)
    after = replace(owner, confidence=confidence, authority=authority, sources=sources)
    return replace(after, expires=renewed(owner, after, now, retention))
