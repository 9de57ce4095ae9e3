"""A box, an entity, a conversation or a turn -> its links in both directions.

Read from the pages, from what memories name and from their receipts. Guarantees: each link is told
once; nothing is changed. Links of memories and of summaries are those of `memory_links`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engram.model.box import Box
from engram.model.edge import Link

if TYPE_CHECKING:
    from engram.model.entity import Entity
    from engram.model.view import VaultView
    from engram.store.catalog.catalog import Catalog


def links_of_page(page: Box | Entity, view: VaultView) -> list[Link]:
    """The links of a box or an entity."""
    return _links_of_box(page) if isinstance(page, Box) else _links_of_entity(page, view)


def links_of_turns(
    conversation: str, links: Sequence[str], catalog: Catalog, view: VaultView, *, whole: bool
) -> list[Link]:
    """What became of these turns of a conversation: memories, and of the whole one its boxes."""
    made = dict.fromkeys(name for link in links for name in catalog.cited_by(link))
    told = [Link("source of", name) for name in made]
    if whole:
        told += (Link("boxed in", one.id) for one in view.boxes() if one.session == conversation)
    else:
        told.append(Link("said in", conversation))
    return told


def _links_of_box(box: Box) -> list[Link]:
    """Its memories, the conversation that they are of, and its neighbours in a trace."""
    named = [("conversation", box.session), ("earlier", box.previous), ("later", box.next)]
    told = [Link("holds", name) for name in box.memories]
    return [*told, *(Link(relation, name) for relation, name in named if name)]


def _links_of_entity(entity: Entity, view: VaultView) -> list[Link]:
    """The memories that name it, newest first, and the entities that a memory relates it to."""
    about = sorted(view.about(entity.id), key=lambda one: (one.created, one.id), reverse=True)
    told = [Link("named by", one.id) for one in about]
    told += (Link(label or "related to", other) for other, label, _ in entity.relations)
    for other in view.entities():
        labels = [label for name, label, _ in other.relations if name == entity.id]
        told += (Link(f"{label} of" if label else "related to", other.id) for label in labels)
    return [*dict.fromkeys(told)]
