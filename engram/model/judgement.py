"""What a person says of memories drawn at random, and the share of good ones that follows.

    34 good of 40 judged  ->  85 %, and with 95 % confidence between 71 and 93 %

A judgement names a memory by its id and holds no words. The last one of a memory counts. The bounds
are Wilson's: they hold for few judgements too, and near 0 and 1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from engram.model.instant import Instant

#: of somebody else: another person's words; old: was so once; '': the judgement is taken back
Grade = Literal["good", "wrong", "useless", "others", "old"]
GRADES: tuple[Grade, ...] = get_args(Grade)
#: the quantile of the normal distribution for 95 %
_Z = 1.959964


class Judgement(NamedTuple):
    """What was said of a memory, and when; '' takes back what was said before."""

    id: str
    verdict: Grade | Literal[""]
    time: Instant


@dataclass(frozen=True, slots=True)
class Measured:
    """The measured precision of a vault: how many were judged, how many of these are good.

    `share` is good / judged, `low` and `high` are its bounds at 95 %; each 0..1, three digits.
    `verdicts` counts those that were given.
    """

    judged: int
    good: int
    share: float
    low: float
    high: float
    verdicts: Mapping[str, int] = field(default_factory=dict)


def last_of_each(judgements: Iterable[Judgement]) -> dict[str, Judgement]:
    """The judgement that counts of each memory, by its id, oldest judgement first."""
    found: dict[str, Judgement] = {}
    for one in judgements:
        found.pop(one.id, None)
        if one.verdict:
            found[one.id] = one
    return found


def measured(judgements: Iterable[Judgement]) -> Measured | None:
    """What these, one of a memory, tell of the vault; None without any."""
    counts = Counter(one.verdict for one in judgements)
    judged, good = counts.total(), counts["good"]
    if not judged:
        return None
    low, high = wilson(good, judged)
    verdicts: dict[str, int] = {name: counts[name] for name in GRADES if counts[name]}
    share = round(good / judged, 3)
    return Measured(judged, good, share, round(low, 3), round(high, 3), verdicts)


def wilson(good: int, judged: int) -> tuple[float, float]:
    """The bounds of a share at 95 %; `judged` is positive."""
    share, square = good / judged, _Z * _Z
    middle = share + square / (2 * judged)
    reach = _Z * math.sqrt(share * (1 - share) / judged + square / (4 * judged * judged))
    whole = 1 + square / judged
    return max(0.0, (middle - reach) / whole), min(1.0, (middle + reach) / whole)
