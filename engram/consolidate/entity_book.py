"""Entity index of a pass: pages, aliases and merged ids, and how a page would read now.

Reads an entity's own memories and pages only, so that a run over few changed memories stays small.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engram.consolidate.context import PassContext
from engram.consolidate.passes.entity_synthesis import can_be_asked, syntheses
from engram.model.entity import Entity
from engram.model.entity_ids import is_entity_id
from engram.model.memory import Memory

#: live memories that justify a page; one of these categories is enough
LEAST_MEMORIES = 2
#: entities for which one pass asks a model; the rest follows in the next run
MOST_ASKED = 20
#: how many of its first entities a memory of a category is about; None: all
_TELLING = {"entity": 1, "relationship": None}


class WantedPage(NamedTuple):
    """A page to be written: the entity's id, its memories, and names that lead to it."""

    id: str
    memories: Sequence[Memory]
    aliases: Sequence[str] = ()


class EntityBook:
    """The entities of one context, as they are when the pass begins."""

    def __init__(self, context: PassContext) -> None:
        self._context = context
        self._view = context.view
        self._asked = 0
        self._pages: dict[str, Entity | None] = {}
        if context.changed is None:
            self._pages.update((entity.id, entity) for entity in context.view.entities())

    def page(self, identifier: str) -> Entity | None:
        """The page with that id, a merged one too."""
        if identifier not in self._pages:
            self._pages[identifier] = self._view.entity(identifier)
        return self._pages[identifier]

    def is_page(self, identifier: str) -> bool:
        """Whether an id is that of an entity's page."""
        return is_entity_id(identifier) and self.page(identifier) is not None

    def lead(self, identifier: str) -> str:
        """The entity that an id resolves to: what it was merged into, over any number of steps."""
        seen = [identifier]
        while (page := self.page(seen[-1])) is not None and page.merged_into not in ("", *seen):
            seen.append(page.merged_into)
        return seen[-1]

    def memories(self, identifier: str) -> list[Memory]:
        """Memories that link to an entity, or to an id that resolves to it."""
        page = self.page(identifier)
        aliases = filter(is_entity_id, page.aliases if page is not None else ())
        ids = dict.fromkeys([identifier, *filter(self._is_no_page, aliases)])
        found = {memory.id: memory for one in ids for memory in self._view.about(one)}
        return list(found.values())

    def _is_no_page(self, identifier: str) -> bool:
        """Whether an id among aliases has no page of its own."""
        page = self.page(identifier)
        return page is None or bool(page.merged_into)

    def written(self, wanted: Sequence[WantedPage]) -> list[Entity]:
        """The pages folded from their memories, each with a model's synthesis where one is due.

        That is where the evidence changed and, in full runs, where the synthesis is a mere list.
        """
        pages = [self._folded(one) for one in wanted]
        due = [
            (place, page)
            for place, (one, page) in enumerate(zip(wanted, pages, strict=True))
            if self._is_due(one, page)
        ][: MOST_ASKED - self._asked]
        self._asked += len(due)
        told = syntheses(self._context, [(page, wanted[place].memories) for place, page in due])
        for (place, _), said in zip(due, told, strict=True):
            if said:
                pages[place] = self._folded(wanted[place], said)
        return pages

    def _folded(self, one: WantedPage, said: str = "") -> Entity:
        former = self.page(one.id)
        return self._context.entity_page(one.id, one.memories, former, one.aliases, self.lead, said)

    def _is_due(self, one: WantedPage, page: Entity) -> bool:
        former = self.page(one.id)
        changed = former is None or former.timeline != page.timeline
        due = page.synthesis_by == "listed" and (changed or self._context.changed is None)
        return due and can_be_asked(self._context, page)


def is_worth_a_page(names: Iterable[str], memories: Iterable[Memory]) -> bool:
    """Whether enough is known of an entity with these ids: two live memories, or one about it."""
    live = [memory for memory in memories if memory.live]
    own = set(names)
    return len(live) >= LEAST_MEMORIES or any(own.intersection(told_of(one)) for one in live)


def told_of(memory: Memory) -> tuple[str, ...]:
    """The entities that a memory is about by its category."""
    return memory.entities[: _TELLING.get(memory.category, 0)]
