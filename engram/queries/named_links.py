"""A name as a person writes it -> the links of what it names, with the memory or page of each end.

Names are those of memories, turns, pages and conversations. Nothing is written. Raises NotFound for
names that there are none of, BadInput for names of several.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from engram.model.edge import Link
from engram.model.errors import NotFound
from engram.model.memory import Memory
from engram.model.summary import Summary
from engram.queries.memory_links import links_of, links_of_summary
from engram.queries.named_pages import bare_name, conversation_named
from engram.queries.page_links import links_of_page, links_of_turns

if TYPE_CHECKING:
    from engram.queries.entity_queries import EntityQueries
    from engram.queries.lookup import Lookup
    from engram.store.commits.projections import Projections


def links_named(
    reference: str, lookup: Lookup, projections: Projections, entities: EntityQueries
) -> list[Link]:
    """What a memory, page, turn or conversation points to, and what points to it."""
    catalog, view = projections.catalog, projections.view
    return [
        one._replace(content=catalog.memory(one.target) or view.page_by_id(one.target))
        for one in _found(reference, lookup, projections, entities)
    ]


def _found(
    reference: str, lookup: Lookup, projections: Projections, entities: EntityQueries
) -> list[Link]:
    catalog, view = projections.catalog, projections.view
    if memory := lookup.find_memory(reference):
        box = view.box_of(memory.id)
        return links_of(memory, catalog) + ([Link("boxed in", box.id)] if box else [])
    if turn := lookup.find_turn(reference):
        name = turn.link.partition("#")[0]
        return links_of_turns(name, [turn.link], catalog, view, whole=False)
    if (page := lookup.find_page(reference)) and not isinstance(page.content, Memory):
        if isinstance(page.content, Summary):
            return links_of_summary(page.content, catalog)
        return links_of_page(page.content, view)
    if name := conversation_named(reference, catalog):
        said = [link for link in catalog.turns.links_of(name) if link not in catalog.hidden()]
        return links_of_turns(name, said, catalog, view, whole=True)
    with suppress(NotFound):  # one that no page is of yet
        return links_of_page(entities.find(bare_name(reference)), view)
    return links_of(lookup.memory(reference), catalog)  # which raises NotFound
