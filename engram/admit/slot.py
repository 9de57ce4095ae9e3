"""Slots: one value per subject and attribute; whose value stands when a new one comes.

The ladder decides (design 5.5, 5.6, `admit/ladder`). What comes late (an older statement imported
after a newer one) becomes history, not the present. A disputed holder shields no trusted one: the
strongest of all holders is the measure, however new the others are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from engram.admit.ladder import outranks
from engram.model.attributes import attribute_key, normal_part
from engram.model.authority import authority_rank
from engram.model.candidate import Candidate
from engram.model.entity import NAMES_FIELD
from engram.model.memory import PARTICIPANT, Memory
from engram.model.promotion import (
    FACT_DENIED,
    PROMOTED_FROM,
    PROMOTION_REASON,
    PROMOTION_TARGET,
)
from engram.model.succession import LOWER_AUTHORITY

Outcome = Literal["replace", "history", "stands"]
#: header fields that say how a memory itself stands, and nothing of what it is about
_STATES = frozenset([
    "decision_state", "commitment_state", "state", "severity", "priority", "outcome", "due",
    PARTICIPANT, NAMES_FIELD, PROMOTED_FROM, PROMOTION_REASON, PROMOTION_TARGET, FACT_DENIED,
])  # fmt: skip


def contest(candidate: Candidate, holders: Sequence[Memory]) -> tuple[Outcome, Memory]:
    """How a candidate fares against the live holders (at least one) of its slot, newest last."""
    strongest = max(reversed(holders), key=lambda holder: authority_rank(holder.authority))
    if outranks(strongest, candidate) == LOWER_AUTHORITY:
        return "stands", strongest
    undisputed = [holder for holder in holders if holder.status == "active"] or holders
    newest = undisputed[-1]
    if candidate.receipt.time < newest.created:
        return "history", newest
    standing = (holder for holder in reversed(undisputed) if outranks(holder, candidate))
    return next((("stands", holder) for holder in standing), ("replace", newest))


def overtaken(older: Memory, newer: Memory) -> tuple[str, ...]:
    """The attribute keys of a live memory whose value a strictly newer one replaces, sorted.

    Both are about one entity (their first); attributes are the fields of the header. A memory whose
    other attributes stand is not retired with one of them: whoever asks keeps it (lifecycle 9.2).
    """
    entity = _entity(newer)
    if older.id == newer.id or not older.live or not older.created < newer.created:
        return ()
    if _entity(older) != entity:
        return ()
    held, said = attributes_of(older), attributes_of(newer)
    return tuple(sorted(key for key in held.keys() & said.keys() if held[key] != said[key]))


def attributes_of(memory: Memory) -> dict[str, str]:
    """What a memory says of its first entity, by attribute key; states of its own are left out."""
    entity = _entity(memory)
    return {
        key: value.strip().casefold()
        for name, value in memory.extra
        if name not in _STATES and (key := attribute_key(entity, name)) is not None
    }


def _entity(memory: Memory) -> str:
    return normal_part(memory.entities[0]) if memory.entities else ""
