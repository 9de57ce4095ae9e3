"""Port adapter for entity pages: consolidation calls the folds and name rules through it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engram.language import names
from engram.model.entity import Entity, Named
from engram.model.memory import Memory
from engram.weave.entities import fold


class EntityFolder:
    """Stateless: equal arguments have equal answers."""

    def page(
        self, identifier: str, memories: Iterable[Memory], former: Entity | None,
        aliases: Sequence[str], lead: Callable[[str], str], said: str = "",
    ) -> Entity:  # fmt: skip
        """The page of an entity, folded from its memories."""
        return fold(identifier, memories, former, aliases, lead, said)

    def fragments(self, entities: Sequence[Named], said: Iterable[str]) -> list[tuple[str, ...]]:
        """Groups of ids that mean one entity, the id to keep first."""
        return names.fragments(entities, said)

    def likely(self, ids: Iterable[str], wanted: Iterable[str], said: Iterable[str]) -> set[str]:
        """Those of many ids that could mean the same as a wanted one, and the wanted ones."""
        return names.likely(ids, wanted, said)
