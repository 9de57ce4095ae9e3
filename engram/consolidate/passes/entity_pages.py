"""Entity page pass: changed memories -> the pages of the entities they name.

An entity gets a page once a live memory names it, in its header or in its words, and keeps it from
then on: a link that a memory was written with has a target. A
run over what changed updates the entities of those memories, and pages that were edited; that a
person took a link out of a memory shows at the next full run.
"""

from __future__ import annotations

from collections.abc import Iterable

from engram.consolidate.context import PassContext
from engram.consolidate.entity_book import EntityBook, WantedPage, is_worth_a_page
from engram.language.proper_names import mentioned_in
from engram.model.entity import Entity
from engram.model.entity_ids import is_entity_id
from engram.model.ids import is_memory_id
from engram.model.step import Step

TASK = "entity_pages"


def plan(context: PassContext) -> list[Step]:
    """One step for each page to make or update."""
    book = EntityBook(context)
    wanted = [WantedPage(name, book.memories(name)) for name in _concerned(context, book)]
    wanted = [
        one for one in wanted if book.page(one.id) is not None or is_worth_a_page(one.memories)
    ]
    steps: list[Step] = []
    for one, after in zip(wanted, book.written(wanted), strict=True):
        former = book.page(one.id)
        if after != former:
            steps.append(_step(former, after, sum(memory.live for memory in one.memories)))
    return steps


def _concerned(context: PassContext, book: EntityBook) -> list[str]:
    """The ids of entities to check: those of changed memories, in a full run all."""
    if context.changed is None:
        named = [name for name, live in context.view.mentioned().items() if live]
        linked = [name for memory in context.view.live() for name in memory.entities]
        paged = (one.id for one in context.view.entities() if not one.merged_into)
        return _named({*map(book.lead, (*named, *linked)), *paged})
    found: set[str] = set()
    gone: set[str] = set()
    for identifier in context.changed:
        memory = context.view.memory(identifier)
        if memory is not None:
            found.update(map(book.lead, mentioned_in(memory)))
        elif is_memory_id(identifier):
            gone.add(identifier)
        elif book.is_page(identifier):
            found.add(book.lead(identifier))
    if gone:
        found.update(one.id for one in context.view.entities() if _tells_of(one, gone))
    return _named(found)


def _named(found: Iterable[str]) -> list[str]:
    """Sorted entity ids; links to anything else are left out."""
    return sorted(name for name in found if is_entity_id(name))


def _tells_of(entity: Entity, memories: set[str]) -> bool:
    lines = (*entity.timeline, *entity.activity)
    return not entity.merged_into and any(name in memories for _, name, _ in lines)


def _step(former: Entity | None, after: Entity, live: int) -> Step:
    if former is None:
        why = f"{live} {'memory names' if live == 1 else 'memories name'} {after.name}"
        return Step(TASK, "make", (after.id,), why, pages=((None, after),))
    new = {name for _, name, _ in after.timeline} - {name for _, name, _ in former.timeline}
    why = f"{len(new)} more about {after.name}" if new else f"what is known of {after.name} changed"
    return Step(TASK, "update", (after.id,), why, pages=((former, after),))
