"""The contents: the whole vault as consolidation asks about it, from the catalog and the disk.

The Contents port. Guarantees: nothing is written but the sums of the access log, and a question
about few memories reads few; only `live` and `entities` load all. Sequences are oldest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.instant import Day, Instant
from engram.model.memory import Memory
from engram.model.step import Access
from engram.store.base.disk import VaultDisk
from engram.store.catalog.access import AccessLog
from engram.store.commits.projections import Projections


class VaultContents:
    """One vault, as it is while a consolidation plans."""

    def __init__(self, disk: VaultDisk, projections: Projections) -> None:
        self._disk = disk
        self._projections = projections

    def memory(self, identifier: str) -> Memory | None:
        """The memory of that id, whatever its status."""
        return self._projections.catalog.memory(identifier)

    def live(self) -> Sequence[Memory]:
        """Every active or needs-review memory."""
        return self._projections.catalog.memory_queries.live()

    def due(self, day: Day) -> Sequence[Memory]:
        """Live memories whose `expires` is that day or before."""
        return self._projections.catalog.memory_queries.due(day)

    def aged(self, before: Instant, importance: float) -> Sequence[Memory]:
        """Active memories created at or before a time, of an importance below that."""
        return self._projections.catalog.memory_queries.aged(before, importance)

    def overdue(self, day: Day) -> Sequence[Memory]:
        """Active commitments whose header `due` is a day before that one."""
        return self._projections.catalog.memory_queries.overdue(day)

    def holders(self, slot: str, space: str, project: str) -> Sequence[Memory]:
        """Live memories whose header key is this slot, in that space and project."""
        return self._projections.catalog.holders(slot, space, project)

    def terms(self, text: str) -> frozenset[str]:
        """The words (stems) that a text is found by; words that tell nothing are left out."""
        return frozenset(self._projections.vocabulary.telling(text))

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """How many live memories hold each of these terms; a term that none holds is absent."""
        return self._projections.catalog.memory_queries.frequencies(terms)

    def holding(self, terms: Iterable[str]) -> Sequence[str]:
        """Ids of live memories that hold at least one of these terms."""
        return self._projections.catalog.memory_queries.holding(terms)

    def accesses(self, identifiers: Iterable[str]) -> Mapping[str, Access]:
        """How often these memories were asked for; those that never were are absent."""
        catalog, log = self._projections.catalog, AccessLog(self._disk)
        if catalog.accesses.is_behind(log):
            with catalog.transaction():
                catalog.accesses.count(log)
        return catalog.accesses.of(identifiers)

    def unboxed(self) -> Sequence[Memory]:
        """Memories with a source that no box holds, but those that the person forgot."""
        return self._projections.catalog.memory_queries.unboxed()

    def boxes(self, since: Instant = "", until: Instant = "") -> Sequence[Box]:
        """Boxes whose last memory is not before `since` nor after `until`."""
        return self._projections.catalog.pages.boxes(since, until)

    def box(self, identifier: str) -> Box | None:
        """The box of that id."""
        return self._projections.catalog.pages.box(identifier)

    def box_of(self, memory: str) -> Box | None:
        """The box that holds a memory."""
        return self._projections.catalog.pages.box_of(memory)

    def entities(self) -> Sequence[Entity]:
        """Every entity that has a file, those that were merged too, by id."""
        return list(self._projections.catalog.pages.entities())

    def entity(self, identifier: str) -> Entity | None:
        """The entity of that id."""
        return self._projections.catalog.pages.entity(identifier)

    def mentioned(self) -> Mapping[str, int]:
        """Entity names that memories link to, and how many live ones do."""
        return self._projections.catalog.memory_queries.mentioned()

    def about(self, entity: str) -> Sequence[Memory]:
        """Memories of any status that link to this entity name."""
        return self._projections.catalog.memory_queries.about(entity)

    def page(self, path: str) -> str | None:
        """The text of a plain page of the vault, None when there is none."""
        data = self._disk.read(path)
        return None if data is None else data.decode("utf-8", "replace")

    def opening(self, session: str, without: Iterable[str] = ()) -> str:
        """What the user said first in a conversation; empty where that is hidden or not known."""
        catalog, turn_log = self._projections.catalog, self._projections.turn_log
        hidden = catalog.hidden().union(without)
        places = [row[1:] for row in catalog.turns.opening(session) if row[0] not in hidden]
        return "".join(turn.text for turn in turn_log.read(places))
