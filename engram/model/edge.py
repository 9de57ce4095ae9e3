"""Edge: a typed, directed link of two memories, or of a summary to its sources (seed 004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: newer -> older; either way; summary -> source; memory -> what its text links to
EdgeKind = Literal["supersedes", "contradicts", "consolidates", "references"]


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` and `target` are ids. `reason` is why it was made, `confidence` how sure that was.

    `transaction` is the number of the transaction that made it. All three are empty (0 for the
    number) where the files say the link and no event does.
    """

    kind: EdgeKind
    source: str
    target: str
    reason: str = ""
    confidence: Literal["", "high", "medium", "low"] = ""
    transaction: int = 0
