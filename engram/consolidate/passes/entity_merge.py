"""Entity merge pass: several ids of one entity -> one page, to which the other ids lead.

The survivor gets the other ids and names as aliases and the evidence of all; the page of each
fragment stays where it is and says `merged_into`, and one is made where there was none, so that no
link is left dead. The memories are not touched: what they link to is part of the scope of their
content hash (design 5.3), and a merge that the person undoes must leave no trace in them. Which
names are one is decided in `language/names.py`, which errs on the side of two pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from engram.consolidate.context import PassContext
from engram.consolidate.entity_book import EntityBook, WantedPage, is_worth_a_page
from engram.language.names import fragments, likely
from engram.language.proper_names import mentioned_in
from engram.model.entity import Entity, Named
from engram.model.entity_ids import is_entity_id, stem_of
from engram.model.memory import Memory
from engram.model.step import Step

TASK = "entity_merge"


def plan(context: PassContext) -> list[Step]:
    """One step a group of fragments."""
    book = EntityBook(context)
    mentioned = context.view.mentioned()
    told = _told(context)
    said = [memory.text for memory in told if memory.status == "active"]
    touched = {book.lead(name) for memory in told for name in mentioned_in(memory)}
    found = {*map(book.lead, mentioned), *touched}
    if context.changed is None or any(map(book.is_page, context.changed)):
        # a person may have written an alias on a page
        found.update(entity.id for entity in context.view.entities())
    else:
        found = likely(found, touched, said)
    counts = Counter({book.lead(name): 0 for name in filter(is_entity_id, found)})
    for name, count in mentioned.items():
        if (entity := book.lead(name)) in counts:
            counts[entity] += count
    named = [_named(book, name, count) for name, count in sorted(counts.items())]
    groups = [(group, _wanted(book, group)) for group in fragments(named, said)]
    worth = [(group, page) for group, page in groups if page is not None]
    written = book.written([page for _, page in worth])
    return [_step(book, group, after) for (group, _), after in zip(worth, written, strict=True)]


def _told(context: PassContext) -> Sequence[Memory]:
    """The memories whose words may equate two names."""
    if context.changed is None:
        return context.view.live()
    found = map(context.view.memory, sorted(context.changed))
    return [memory for memory in found if memory is not None and memory.live]


def _named(book: EntityBook, identifier: str, count: int) -> Named:
    page = book.page(identifier)
    if page is None:
        return Named(identifier, memories=count)
    # an id among the aliases counts as a name
    aliases = (stem_of(alias) if is_entity_id(alias) else alias for alias in page.aliases)
    return Named(identifier, (page.name, *aliases), count, paged=True)


def _wanted(book: EntityBook, group: Sequence[str]) -> WantedPage | None:
    """The page that stays of one group; None when none of it justifies a page."""
    stays, *others = group
    pages = [book.page(one) for one in others]
    aliases = [*others]
    for page in pages:
        aliases += (page.name, *page.aliases) if page is not None else ()
    found = {memory.id: memory for one in group for memory in book.memories(one)}
    memories = list(found.values())
    if book.page(stays) is None and not any(pages) and not is_worth_a_page(memories):
        return None
    return WantedPage(stays, memories, aliases)


def _step(book: EntityBook, group: Sequence[str], after: Entity) -> Step:
    """The merge of one group into its page."""
    stays, *others = group
    pages = {one: book.page(one) for one in others}
    merged = [(page, _merged(one, page, stays)) for one, page in pages.items()]
    names = ", ".join(
        stem_of(one) if page is None else one if page.name == after.name else page.name
        for one, page in pages.items()
    )
    why = f"{names} and {after.name} are one {after.type}"
    return Step(TASK, "merge", tuple(group), why, pages=((book.page(stays), after), *merged))


def _merged(identifier: str, page: Entity | None, stays: str) -> Entity:
    if page is None:
        kind, name = identifier.partition("-")[0], stem_of(identifier).replace("-", " ")
        return Entity(identifier, kind, name, merged_into=stays)
    return replace(page, merged_into=stays)
