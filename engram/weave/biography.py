"""The Biographer port: names and folds, for those who plan what becomes of entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engram.language import names
from engram.model.entity import Entity, Named
from engram.model.memory import Memory
from engram.weave.entities import fold


class EntityFolder:
    """Pure: equal questions have equal answers."""

    def page(
        self, identifier: str, memories: Iterable[Memory], former: Entity | None,
        aliases: Sequence[str], lead: Callable[[str], str], said: str = "",
    ) -> Entity:  # fmt: skip
        """The page of an entity as its memories make it."""
        return fold(identifier, memories, former, aliases, lead, said)

    def fragments(self, entities: Sequence[Named], said: Iterable[str]) -> list[tuple[str, ...]]:
        """Groups of ids that are one entity, the one that stays first."""
        return names.fragments(entities, said)

    def likely(self, ids: Iterable[str], wanted: Iterable[str], said: Iterable[str]) -> set[str]:
        """Of many ids those that could be one with a wanted one, and the wanted ones."""
        return names.likely(ids, wanted, said)
