"""Entity index of a pass: pages, aliases and merged ids, and how a page would read now.

Reads an entity's own memories and pages only, so that a run over few changed memories stays small.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engram.consolidate.context import PassContext
from engram.consolidate.passes.entity_synthesis import can_be_asked, syntheses
from engram.language.proper_names import entities_of_names
from engram.model.entity import Entity
from engram.model.entity_ids import is_entity_id
from engram.model.memory import Memory

#: entities for which one pass asks a model; the rest follows in the next run
MOST_ASKED = 20


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
        self._led = entities_of_names(context.view.mentioned())
        self._names: defaultdict[str, list[str]] = defaultdict(list)
        for name, entity in self._led.items():
            self._names[entity].append(name)
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
        """The entity that a mentioned id resolves to: of a name the entity that bears it.

        That is what it was merged into, over any number of steps.
        """
        seen = [self._led.get(identifier, identifier)]
        while (page := self.page(seen[-1])) is not None and page.merged_into not in ("", *seen):
            seen.append(page.merged_into)
        return seen[-1]

    def memories(self, identifier: str) -> list[Memory]:
        """Memories that name an entity, or link to an id that resolves to it."""
        page = self.page(identifier)
        aliases = filter(is_entity_id, page.aliases if page is not None else ())
        ids = dict.fromkeys([identifier, *filter(self._is_no_page, aliases)])
        names = [name for one in ids for name in self._names.get(one, ())]
        found = {memory.id: memory for one in (*ids, *names) for memory in self._view.about(one)}
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


def is_worth_a_page(memories: Iterable[Memory]) -> bool:
    """Whether anything is known now of an entity that these memories name."""
    return any(memory.live for memory in memories)
