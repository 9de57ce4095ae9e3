"""The people, tools and projects of a vault, listed and found by any of their names.

Answers from the pages of entities, and from memories for those that have no page yet. Nothing is
written; equal questions on equal vaults give equal answers. Raises NotFound for a name that there
is none of, BadInput for one of several entities.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from engram.language.names import find_entity
from engram.language.proper_names import entities_of_names
from engram.model.entity import TYPES, Entity
from engram.model.entity_ids import is_entity_id, stem_of
from engram.model.errors import BadInput, NotFound
from engram.model.ids import slug
from engram.model.shown import EntityRow
from engram.model.view import VaultView
from engram.store.base.disk import VaultDisk
from engram.store.files.entity_file import render_entity
from engram.weave.entities import fold


class EntityQueries:
    """What a vault knows of those that its memories speak of."""

    def __init__(self, disk: VaultDisk, view: VaultView) -> None:
        self._disk = disk
        self._view = view

    def listing(self) -> list[EntityRow]:
        """Every entity that was not merged into another, the most named first."""
        pages = {page.id: page for page in self._view.entities()}
        counts: Counter[str] = Counter()
        mentioned = self._view.mentioned()
        led = entities_of_names(mentioned)
        for name, count in mentioned.items():
            entity = led.get(name, name)
            if is_entity_id(entity):
                counts[_lead(entity, pages)] += count
        known = {*counts, *(page.id for page in pages.values() if not page.merged_into)}
        rows = (self._row(one, pages.get(one), counts[one], led) for one in known)
        return sorted(rows, key=lambda row: (-row.memories, row.id))

    def _row(
        self, identifier: str, page: Entity | None, count: int, led: Mapping[str, str]
    ) -> EntityRow:
        # a page that a person made has no timeline before the next consolidation
        told = page if page is not None and page.timeline else self._folded(identifier, led)
        shown = page or told
        last = max((day for day, _, _ in told.timeline), default="")
        return EntityRow(shown.id, shown.type, shown.name, count, last, shown.path)

    def find(self, name: str) -> Entity:
        """The entity of an id, a name or an alias; one that was merged leads on."""
        pages = {page.id: page for page in self._view.entities()}
        mentioned = self._view.mentioned()
        led = entities_of_names(mentioned)
        known = {*filter(is_entity_id, (*mentioned, *led.values())), *pages}
        wanted = name.strip().removeprefix("[[").removesuffix("]]").strip()
        if wanted in known:
            found = {_lead(wanted, pages)}
        else:
            found = {_lead(one, pages) for one in _called(wanted, known, pages.values())}
        if not found:
            raise NotFound(f"there is no entity {name!r}", "`engram entities` lists them")
        if len(found) > 1:
            shown = ", ".join(sorted(found)[:3])
            raise BadInput(f"{name!r} could be {len(found)} entities", f"for example {shown}")
        (identifier,) = found
        return pages.get(identifier) or self._folded(identifier, led)

    def text_of(self, entity: Entity) -> str:
        """An entity's page as it is on disk, or as it would be made."""
        data = self._disk.read(entity.path) if entity.path else None
        return (render_entity(entity) if data is None else data).decode("utf-8", "replace")

    def _folded(self, identifier: str, led: Mapping[str, str]) -> Entity:
        """What its page would be; `led` are the entities of names without a type."""
        names = (identifier, *(name for name, entity in led.items() if entity == identifier))
        return fold(identifier, [one for name in names for one in self._view.about(name)])


def _lead(identifier: str, pages: dict[str, Entity]) -> str:
    seen = [identifier]
    while (page := pages.get(seen[-1])) is not None and page.merged_into not in ("", *seen):
        seen.append(page.merged_into)
    return seen[-1]


def _called(name: str, known: Iterable[str], pages: Iterable[Entity]) -> set[str]:
    """The ids that a name may mean, of any type, by id, name or alias."""
    led: defaultdict[str, set[str]] = defaultdict(set)
    for page in pages:
        for other in (page.name, *page.aliases):
            led[slug(stem_of(other) if is_entity_id(other) else other)].add(page.id)
    ids = set(known)
    aliases = {alias: one for alias, (one, *more) in led.items() if not more}
    found = (find_entity(name, type, ids, aliases) for type in TYPES)
    return {one for one in found if one is not None} or led.get(slug(name), set())
