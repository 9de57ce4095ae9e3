"""Retention and tiers: how much a memory still matters, computed from its header and its reads.

    Retained, Access, now -> RetentionScore, MemoryTier          RetrievalMode -> its tiers

Guarantees: every part is in 0..1; the score of a memory depends on nothing but itself, how it was
read and the time; nothing of it is stored in a file. Seed 004, by its formula: .4 recency +
.2 activation + .4 importance, times .2 for what was superseded. Importance is the larger of the
memory's own and its category's: by its own alone decisions would go cold unread (design 5.13).
A read makes a memory recent again, so that a tier can rise as well as fall. Refused (ValueError):
parts outside 0..1. Pure.
"""

from __future__ import annotations

import math
from bisect import bisect
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from engram.model.instant import Instant
    from engram.model.step import Access

MemoryTier = Literal["hot", "warm", "cold", "archived"]
RetrievalMode = Literal["reflexive", "standard", "deep", "exhaustive"]
TIERS: tuple[MemoryTier, ...] = get_args(MemoryTier)
MODES: tuple[RetrievalMode, ...] = get_args(RetrievalMode)

#: below it a memory is archived; only what is superseded gets there by its score
COLD = 0.1
#: shares of the parts in the score
_BY_RECENCY, _BY_ACTIVATION, _BY_IMPORTANCE = 0.4, 0.2, 0.4
#: days of reading after which more of them change nothing: 20
_LOG_SATURATED = math.log1p(20)
#: what is left of the score of a memory that was superseded
_SUPERSEDED = 0.2
#: recency below which the source of a summary is archived: two half-lives without a read
_FORGOTTEN = 0.25
_SECONDS_A_DAY = 86_400
#: of an Instant without its `Z`: both are in UTC
_TO_SECONDS = 19
#: importance by category; what is not named has _OTHER
_BY_CATEGORY = {
    "decision": 1.0, "principle": 1.0, "preference": 0.9, "correction": 0.9, "commitment": 0.9,
    "skill": 0.85, "relationship": 0.85, "entity": 0.7,
}  # fmt: skip
_OTHER = 0.5
_OF_MODE: dict[RetrievalMode, tuple[MemoryTier, ...]] = {
    "reflexive": ("hot",),
    "standard": ("hot", "warm"),
    "deep": ("hot", "warm", "cold"),
    "exhaustive": TIERS,
}


@dataclass(frozen=True, slots=True)
class RetentionScore:
    """The score and its parts, each 0..1; `relevance` belongs to a query, None without one."""

    overall: float
    recency: float = 0.0
    activation: float = 0.0
    importance: float = 0.0
    relevance: float | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a part outside 0..1."""
        for name in ("overall", "recency", "activation", "importance", "relevance"):
            part = getattr(self, name)
            if part is not None and not 0.0 <= part <= 1.0:
                raise ValueError(f"{name} {part!r} is not in 0..1")


class Retained(NamedTuple):
    """What of a memory the score is made of.

    `settled` is a commitment that was kept or dropped; `superseded`: another took its place;
    `replaced`: a live one did; `summarised`: an active summary tells it; `ended`: it is retired,
    archived or expired.
    """

    created: Instant
    category: str
    importance: float
    settled: bool = False
    superseded: bool = False
    replaced: bool = False
    summarised: bool = False
    ended: bool = False


class Aging(NamedTuple):
    """The settings: days in which recency halves, and from which score on a tier begins."""

    half_life: float = 30.0
    hot: float = 0.6
    warm: float = 0.3


class Retention(NamedTuple):
    """The tier of a memory, the score behind it, and the ids of the summaries that lower it."""

    tier: MemoryTier
    score: RetentionScore
    summaries: tuple[str, ...] = ()


def retention(memory: Retained, read: Access | None, now: Instant, aging: Aging) -> Retention:
    """Score and tier of a memory that was `read` so often (by days).

    Any read resets recency; what was said in the future is of today.
    """
    recency, activation, importance = _parts(memory, read, now, aging.half_life)
    overall = _overall(memory, recency, activation, importance)
    score = RetentionScore(overall, recency, activation, importance)
    return Retention(_tier(memory, overall, recency, aging), score)


def tier_of(memory: Retained, read: Access | None, now: Instant, aging: Aging) -> MemoryTier:
    """The tier alone, by its score, and lower for what another page or memory tells.

    Archived is what a live memory replaces, and what ended. The source of a summary is one tier
    lower, and archived after two half-lives without a read.
    """
    parts = _parts(memory, read, now, aging.half_life)
    return _tier(memory, _overall(memory, *parts), parts[0], aging)


def tiers_of(mode: RetrievalMode) -> tuple[MemoryTier, ...]:
    """The tiers that a mode looks at (seed 004)."""
    return _OF_MODE[mode]


def _tier(memory: Retained, overall: float, recency: float, aging: Aging) -> MemoryTier:
    if memory.replaced or memory.ended:
        return "archived"
    # settings in the wrong order: what is hot is hot
    warm = min(aging.warm, aging.hot)
    rank = len(TIERS) - 1 - bisect((min(COLD, warm), warm, aging.hot), overall)
    if memory.summarised:
        if recency < _FORGOTTEN:
            return "archived"
        rank += 1
    return TIERS[min(rank, len(TIERS) - 1)]


def _overall(memory: Retained, recency: float, activation: float, importance: float) -> float:
    overall = _BY_RECENCY * recency + _BY_ACTIVATION * activation + _BY_IMPORTANCE * importance
    return min(1.0, overall * (_SUPERSEDED if memory.superseded else 1.0))


def _parts(
    memory: Retained, read: Access | None, now: Instant, half_life: float
) -> tuple[float, float, float]:
    """Recency, activation and importance."""
    recency = 2.0 ** (-_unread_days(memory, read, now) / half_life)
    days = read.days if read is not None else 0
    return recency, min(1.0, math.log1p(days) / _LOG_SATURATED), _importance(memory)


def _importance(memory: Retained) -> float:
    known = _BY_CATEGORY.get(memory.category, _OTHER)
    if memory.category == "commitment" and memory.settled:
        known = _OTHER
    own = memory.importance if math.isfinite(memory.importance) else 0.0
    return min(1.0, max(own, known))


def _unread_days(memory: Retained, read: Access | None, now: Instant) -> float:
    """Days since a memory was made or last read, whichever is later; at least 0."""
    last = max(memory.created, read.last) if read is not None else memory.created
    if not last:
        return math.inf
    passed = _asked_at(now) - datetime.fromisoformat(last[:_TO_SECONDS])
    return max(0.0, passed.total_seconds() / _SECONDS_A_DAY)


@lru_cache(maxsize=16)
def _asked_at(now: Instant) -> datetime:
    """One time is asked about of thousands of memories."""
    return datetime.fromisoformat(now[:_TO_SECONDS])
