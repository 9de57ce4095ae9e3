"""Summaries that are due: clusters, and the pages that there are -> which to write, which to end.

    make      a cluster without a page, which supersedes the pages that tell half of their sources
              there
    restore   a cluster that is again what it was when a superseded page told it
    rewrite   in a full run with a model, a page without one that no person edited
    outdated  a page whose sources changed or went, and that no cluster takes over

The id of a page is a digest of its sources (`summary_sources`): an equal cluster has its page, and
nothing is due. A page whose sources are as they were stays as long as none is made that tells half
of them, wherever clusters are cut now, and a cluster that it tells all of needs no other. Left out
are clusters about one entity, whose page tells them, and steps that the person took back. A cluster
that its own words tell no shorter is due only where a model may tell it. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from engram.consolidate.clusters import Cluster
from engram.consolidate.context import PassContext
from engram.consolidate.summary_sources import LEAST_SOURCES, SummarySources, outdated, sources_of
from engram.consolidate.summary_text import SummaryText, own_text
from engram.model.summary import Summary

TASK = "summaries"
#: the share of a page's sources that another one must tell to take its place
_TAKEN_OVER = 0.5

Action = Literal["make", "restore", "rewrite"]


@dataclass(frozen=True, slots=True)
class DuePage:
    """A page to write: its sources, how like they are to their centre, and their own words.

    `own` is None where those save too little; `former` is the page under its id, if there is one.
    """

    action: Action
    sources: SummarySources
    likeness: float
    own: SummaryText | None
    former: Summary | None = None
    supersedes: tuple[Summary, ...] = ()

    @property
    def id(self) -> str:
        """The id of the page."""
        return self.sources.id

    @property
    def subjects(self) -> tuple[str, ...]:
        """The ids of all pages that change with it."""
        return self.id, *(one.id for one in self.supersedes)


@dataclass(slots=True)
class DuePages:
    """What is to be done; `active` are all active pages by id, `outdated` those to end."""

    active: Mapping[str, Summary]
    due: list[DuePage] = field(default_factory=list)
    outdated: list[Summary] = field(default_factory=list)


class _Group(NamedTuple):
    sources: SummarySources
    likeness: float


def due_pages(context: PassContext, clusters: Iterable[Cluster]) -> DuePages:
    """The pages of these clusters that are due, in their order."""
    pages = {one.id: one for one in context.view.summaries()}
    active = {name: one for name, one in pages.items() if one.status == "active"}
    groups = {one.sources.id: one for one in _groups(context, clusters)}
    apart = [page for name, page in active.items() if page.consolidates and name not in groups]
    old = {page.id: outdated(page, context.view) != "" for page in apart}
    heirs = _heirs(groups, apart)
    found, spared = DuePages(active), set[str]()
    for name, group in groups.items():
        former, taken = pages.get(name), tuple(heirs.get(name, ()))
        if any(_holds(page, group) and not old[page.id] for page in apart):
            continue
        one = _due(context, group, former, taken)
        if one is not None and (TASK, one.action, one.subjects) in context.declined:
            spared.update(one.subjects)
        elif one is not None:
            found.due.append(one)
    found.outdated = [page for page in apart if old[page.id] and page.id not in spared]
    return found


def _groups(context: PassContext, clusters: Iterable[Cluster]) -> Iterable[_Group]:
    """The clusters that a page may tell."""
    for cluster in clusters:
        sources = sources_of(cluster.memories, context.view)
        if len(sources.told) >= LEAST_SOURCES and not cluster.about:
            yield _Group(sources, cluster.likeness)


def _heirs(groups: Mapping[str, _Group], pages: Iterable[Summary]) -> dict[str, list[Summary]]:
    """By cluster the pages that its page would take the place of, each by one cluster."""
    place = {name: one for one, group in groups.items() for name in group.sources.names}
    found: dict[str, list[Summary]] = {}
    for page in pages:
        counts: dict[str, int] = {}
        for name in page.consolidates:
            if name in place:
                counts[place[name]] = counts.get(place[name], 0) + 1
        heir = max(counts, key=lambda one: (counts[one], one), default="")
        if heir and counts[heir] >= _TAKEN_OVER * len(page.consolidates):
            found.setdefault(heir, []).append(page)
    return found


def _holds(page: Summary, group: _Group) -> bool:
    """Whether a page tells all of a cluster."""
    return set(group.sources.names) <= set(page.consolidates)


def _due(
    context: PassContext, group: _Group, former: Summary | None, taken: tuple[Summary, ...]
) -> DuePage | None:
    """What is due for a cluster; None for nothing."""
    own = own_text(group.sources)
    if former is not None and former.status == "superseded":
        return DuePage("restore", *group, own, former, taken)
    if former is not None:
        afresh = context.model is not None and context.changed is None
        ours = not former.model and not former.edited
        return DuePage("rewrite", *group, own, former) if afresh and ours else None
    if own is None and context.model is None:
        return None
    return DuePage("make", *group, own, None, taken)
