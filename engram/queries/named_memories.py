"""Name of a memory, in the vault that is asked or in one that is read beside it -> what is told.

What another vault holds is told under its label (`@shop/ID`), with what is logged there. Nothing is
written. Raises NotFound, and BadInput for a name of several memories.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from engram.model.errors import NotFound
from engram.model.memory import Memory
from engram.model.shown import GivenTo, MemoryOrigin, ShownFile, ShownSession, ShownTurn
from engram.queries.lives import life_of
from engram.queries.named_pages import bare_name
from engram.recall.beside import seen_beside

if TYPE_CHECKING:
    from engram.queries.entity_queries import EntityQueries
    from engram.queries.given_queries import GivenQueries
    from engram.queries.memories import Memories, VaultMemories


def shown(reference: str, memories: Memories) -> ShownFile | ShownTurn:
    """The file of a memory or page, or a turn."""
    found, beside = memories.named(reference, lambda vault, name: vault.lookup.shown(name))
    if beside is None or not (isinstance(found, ShownFile) and isinstance(found.content, Memory)):
        return found
    return found._replace(content=seen_beside(found.content, beside))


def shown_by_any_name(
    reference: str, memories: Memories,
    session: Callable[[str, bool], ShownSession | None], entities: EntityQueries,
) -> ShownFile | ShownTurn | ShownSession:  # fmt: skip
    """The same; also a conversation, and an entity that has no page yet as its page would be."""
    if found := session(reference, True):
        return found
    try:
        return shown(reference, memories)
    except NotFound:
        if found := session(reference, False):
            return found
        with suppress(NotFound):
            entity = entities.find(bare_name(reference))
            return ShownFile(entity, entities.text_of(entity))
        raise


def origin(reference: str, memories: Memories, timezone: str) -> MemoryOrigin:
    """Where a memory came from, every event since, and both in sentences."""

    def told(vault: VaultMemories, name: str) -> MemoryOrigin:
        known = vault.lookup.origin(vault.lookup.memory(name))
        catalog = vault.projections.catalog
        life = life_of(known.memory, catalog, vault.disk, vault.lookup, timezone)
        return known._replace(life=life)

    found, beside = memories.named(reference, told)
    if beside is None:
        return found
    return found._replace(memory=seen_beside(found.memory, beside))


def given(
    reference: str, memories: Memories, givens: GivenQueries, limit: int
) -> Sequence[GivenTo]:
    """To whom a memory was given, newest first; also one that is gone, by its whole id."""
    try:
        memory, beside = memories.named(reference, lambda vault, name: vault.lookup.memory(name))
    except NotFound:
        if not (found := givens.of_memory(reference, limit)):
            raise
        return found
    name = memory.id if beside is None else seen_beside(memory, beside).id
    return givens.of_memory(name, limit)
