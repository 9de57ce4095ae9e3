"""Retention and tiers: how much a memory still matters, computed from its header and its reads.

    RetentionInput, now -> RetentionScore -> MemoryTier          RetrievalMode -> its tiers

Guarantees: every part is in 0..1; the score of a memory depends on nothing but itself, how it was
read and the time; nothing of it is stored in a file. Seed 004, by its formula: .4 recency +
.2 activation + .4 importance, times .2 for what was superseded. Importance is the larger of the
memory's own and its category's: by its own alone decisions would go cold unread (design 5.13).
Refused (ValueError): parts outside 0..1. Pure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from engram.model.instant import moment_of

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
#: days of reading after which more of them change nothing
_SATURATED = 20
#: what is left of the score of a memory that was superseded
_SUPERSEDED = 0.2
#: half-lives without a read after which the source of a summary is archived
_UNREAD_HALF_LIVES = 2
_SECONDS_A_DAY = 86_400
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
    `replaced`: one of those that did is live; `summarised`: an active summary tells it.
    """

    created: Instant
    category: str
    importance: float
    settled: bool = False
    superseded: bool = False
    replaced: bool = False
    summarised: bool = False


class Aging(NamedTuple):
    """The settings: days in which recency halves, and from which score on a tier begins."""

    half_life: float = 30.0
    hot: float = 0.6
    warm: float = 0.3


def retention_score(
    memory: Retained, read: Access | None, now: Instant, half_life: float
) -> RetentionScore:
    """The score of a memory that was `read` so often (by days), `half_life` in days.

    Any read resets recency; what was said in the future is of today.
    """
    recency = 2.0 ** (-_unread_days(memory, read, now) / half_life)
    count = read.days if read is not None else 0
    activation = min(1.0, math.log1p(count) / math.log1p(_SATURATED))
    importance = _importance(memory)
    overall = _BY_RECENCY * recency + _BY_ACTIVATION * activation + _BY_IMPORTANCE * importance
    if memory.superseded:
        overall *= _SUPERSEDED
    return RetentionScore(min(1.0, overall), recency, activation, importance)


def tier_of(memory: Retained, read: Access | None, now: Instant, aging: Aging) -> MemoryTier:
    """The tier of a memory: by its score, and lower for what another page or memory tells.

    What a live memory replaces is archived. The source of a summary is one tier lower, and archived
    after two half-lives without a read.
    """
    if memory.replaced:
        return "archived"
    overall = retention_score(memory, read, now, aging.half_life).overall
    bounds = (aging.hot, aging.warm, COLD)
    rank = next((place for place, least in enumerate(bounds) if overall >= least), len(bounds))
    if memory.summarised:
        if _unread_days(memory, read, now) > _UNREAD_HALF_LIVES * aging.half_life:
            return "archived"
        rank += 1
    return TIERS[min(rank, len(TIERS) - 1)]


def tiers_of(mode: RetrievalMode) -> tuple[MemoryTier, ...]:
    """The tiers that a mode looks at (seed 004)."""
    return _OF_MODE[mode]


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
    return max(0.0, (moment_of(now) - moment_of(last)).total_seconds() / _SECONDS_A_DAY)
