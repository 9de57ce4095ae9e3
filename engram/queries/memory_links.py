"""A memory or summary -> its links in both directions, with why each was made and by what.

Read from headers, from links in texts and from summaries; reasons are those of the events, which
alone have them. Guarantees: each link is told once, whatever circle they make; nothing is changed.
Costs as much as a memory has links, whatever the vault's size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from engram.model.edge import Edge, EdgeKind, Link, edges_of
from engram.model.trace import DELETED
from engram.recall.history import REASONS

if TYPE_CHECKING:
    from engram.model.change import Event
    from engram.model.memory import Memory
    from engram.model.summary import Summary
    from engram.store.catalog.catalog import Catalog

#: how an edge reads from its source, and from its target
_WORDS: dict[EdgeKind, tuple[str, str]] = {
    "supersedes": ("supersedes", "superseded by"),
    "contradicts": ("contradicts", "contradicts"),
    "consolidates": ("consolidates", "consolidated in"),
    "references": ("references", "referenced by"),
}
#: what a consolidation does to a pair, by the kind of the edge that it leaves; and the event of
#: any other change that does, with the detail that names the other memory
_ACTIONS = {"supersedes": ("supersede", "merge"), "contradicts": ("dispute",)}
_EVENTS = {"supersedes": (DELETED, "replaced_by"), "contradicts": ("memory_disputed", "by")}
#: only a person or a sure verdict replaces; what disagrees is a doubt until the person decides
_SURE: dict[str, Literal["high", "medium"]] = {"supersedes": "high", "contradicts": "medium"}
_KINDS = tuple(_WORDS)


def links_of(memory: Memory, catalog: Catalog) -> list[Link]:
    """The links of a memory: edges by kind, then its entities and sources."""
    told = [*edges_of(memory)]
    for other in catalog.pointing_to(memory.id):
        told += (edge for edge in edges_of(other) if memory.id in (edge.source, edge.target))
    told += (Edge("consolidates", name, memory.id) for name in catalog.summaries_of(memory.id))
    rest = [Link("entities", name) for name in memory.entities]
    rest += (Link("sources", name) for name in memory.sources)
    return [*_told_once(told, memory.id, catalog), *rest]


def links_of_summary(page: Summary, catalog: Catalog) -> list[Link]:
    """The links of a summary: pages that it replaces or that replaced it, then its memories."""
    told = [Edge("supersedes", page.id, older) for older in page.supersedes]
    if page.superseded_by:
        told.append(Edge("supersedes", page.superseded_by, page.id))
    told += (Edge("consolidates", page.id, name) for name in page.consolidates)
    return _told_once(told, page.id, catalog)


def _told_once(told: Iterable[Edge], of: str, catalog: Catalog) -> list[Link]:
    """Each edge of the memory or summary `of` as a link from there, by kind."""
    found: dict[tuple[str, str], Link] = {}
    for edge in sorted(told, key=lambda edge: _KINDS.index(edge.kind)):
        outward = edge.source == of
        relation = _WORDS[edge.kind][0 if outward else 1]
        name = edge.target if outward else edge.source
        if (relation, name) not in found:
            found[relation, name] = Link(relation, name, _explained(edge, catalog))
    return [*found.values()]


def _explained(edge: Edge, catalog: Catalog) -> Edge:
    """An edge with what the last event that made it tells."""
    log = catalog.log
    if edge.kind == "consolidates":
        made = [number for number, _, _ in log.events(edge.source)]
        return replace(edge, transaction=made[-1]) if made else edge
    if edge.kind not in _EVENTS:
        return edge
    there = {_step(*row) for row in log.events(edge.source)} - {("", 0)}
    here = [(row, edge.source) for row in log.events(edge.target)]
    if edge.kind == "contradicts":
        here += [(row, edge.target) for row in log.events(edge.source)]
        there |= {_step(*row) for row in log.events(edge.target)} - {("", 0)}
    for (number, time, event), other in sorted(here, key=lambda one: -one[0][0]):
        details = dict(event.details)
        name, by = _EVENTS[edge.kind]
        told = event.name == name and details.get(by) == other
        if told or (
            details.get("action") in _ACTIONS[edge.kind] and _step(number, time, event) in there
        ):
            code = details.get("code", "")
            reason = details.get("why") or REASONS.get(code, code.replace("_", " "))
            sure = _SURE[edge.kind]
            return replace(edge, reason=reason, confidence=sure, transaction=number)
    return edge


def _step(number: int, _time: str, event: Event) -> tuple[str, int]:
    """The step of a consolidation that an event is of; ("", 0) for any other event."""
    if event.name != "consolidated":
        return "", 0
    return dict(event.details).get("step", ""), number
