"""Summary: a page that tells in few lines what a cluster of related memories says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engram.model.instant import Day, Instant

#: a summary without a model consists of the memories' own lines
SummaryStatus = Literal["active", "superseded"]


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One line of a summary, and the ids of the memories that it comes from (at least one)."""

    text: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SummaryDecision:
    """A decision, why it was taken and what came of it; `reason` and `outcome` may be empty."""

    decision: str
    reason: str
    outcome: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReplacedFact:
    """What was so, and what holds instead; `memories` are the replaced and their successors."""

    old: str
    new: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary as its file says it; `id` is `sum-<digest8>` of the sources and their content.

    `created` is when the page was made, `first` and `last` are the days of its oldest and newest
    source; `space` and `project` are those of all its sources. `summary` are its first lines (two
    or three sentences by a model), `consolidates` the ids of its sources, oldest first.
    `confidence` is computed, 0 to 1; `model` is who wrote it, empty for the memories' own lines.
    One that a newer page took the place of has `superseded_by`, and the newer one `supersedes`.
    """

    id: str
    title: str
    created: Instant
    first: Day
    last: Day
    consolidates: tuple[str, ...]
    summary: tuple[SummaryLine, ...] = ()
    facts: tuple[SummaryLine, ...] = ()
    decisions: tuple[SummaryDecision, ...] = ()
    replaced: tuple[ReplacedFact, ...] = ()
    confidence: float = 0.0
    model: str = ""
    space: str = "user"
    project: str = ""
    status: SummaryStatus = "active"
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    path: str = ""
