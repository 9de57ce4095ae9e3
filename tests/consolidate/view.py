"""A VaultView in memory: what passes are tested on where files and catalog are not the subject."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engram.model.box import Box
from engram.model.candidate import Candidate
from engram.model.entity import Entity
from engram.model.instant import Day, Instant
from engram.model.memory import Memory, is_uncollected, schema_name
from engram.model.step import Access, Step
from engram.model.summary import Summary
from engram.model.text import content_hash as hash_of
from engram.model.text import words
from engram.model.turn import Turn
from engram.weave.boxes import in_time


@dataclass
class Remembered:
    """The VaultView of plain values; `loaded` counts how often all was asked for."""

    memories: dict[str, Memory] = field(default_factory=dict)
    reads: dict[str, Access] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    sealed: tuple[Box, ...] = ()
    named: tuple[Entity, ...] = ()
    order: tuple[str, ...] = ()
    told: dict[str, Summary] = field(default_factory=dict)
    loaded: int = 0

    def memory(self, identifier: str) -> Memory | None:
        return self.memories.get(identifier)

    def taken(self, names: Iterable[str]) -> set[str]:
        pages = {box.id for box in self.sealed} | {entity.id for entity in self.named}
        return set(names) & (self.memories.keys() | pages | self.told.keys())

    def owners(self, content_hash: str) -> Sequence[Memory]:
        return [one for one in self._all() if hash_of(one.text, one.scope) == content_hash]

    def around(self, candidate: Candidate) -> Sequence[Memory]:
        """All of the candidate's scope that share a word."""
        wanted = (candidate.space, candidate.project)
        found = map(self.memories.__getitem__, self.holding(words(candidate.text)))
        return [one for one in found if (one.space, one.project) == wanted]

    def called(self, alias: str) -> Sequence[Memory]:
        return [one for one in self._all() if alias in one.aliases]

    def purged(self, since: Instant) -> Sequence[str]:
        return ()

    def live(self) -> Sequence[Memory]:
        self.loaded += 1
        return [memory for memory in self._all() if memory.live]

    def _all(self) -> list[Memory]:
        return sorted(self.memories.values(), key=lambda memory: (memory.created, memory.id))

    def due(self, day: Day) -> Sequence[Memory]:
        return [one for one in self._all() if one.live and "" < one.expires <= day]

    def overdue(self, day: Day) -> Sequence[Memory]:
        active = [one for one in self._all() if one.status == "active"]
        promised = [one for one in active if one.category == "commitment"]
        return [one for one in promised if "" < one.extras.get("due", "") < day]

    def aged(self, before: Instant, importance: float) -> Sequence[Memory]:
        active = [one for one in self._all() if one.status == "active"]
        return [one for one in active if one.created <= before and one.importance < importance]

    def holders(self, slot: str, space: str, project: str) -> Sequence[Memory]:
        wanted = (slot, space, project)
        live = [one for one in self._all() if one.live]
        return [one for one in live if (one.key, one.space, one.project) == wanted]

    def terms(self, text: str) -> frozenset[str]:
        return frozenset(words(text))

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        counted = Counter(word for one in self._all() if one.live for word in set(words(one.text)))
        return {term: counted[term] for term in terms if counted[term]}

    def holding(self, terms: Iterable[str]) -> Sequence[str]:
        wanted = set(terms)
        return [one.id for one in self._all() if one.live and wanted & set(words(one.text))]

    def records(self, schema: str, space: str = "", project: str = "") -> Sequence[Memory]:
        live = [one for one in self._all() if one.live and schema_name(one) == schema]
        here = [one for one in live if space in ("", one.space)]
        return [one for one in here if space != "project" or one.project == project]

    def retired(self) -> Sequence[Memory]:
        return list(filter(is_uncollected, self._all()))

    def accesses(self, identifiers: Iterable[str] | None = None) -> Mapping[str, Access]:
        wanted = self.reads if identifiers is None else identifiers
        return {one: self.reads[one] for one in wanted if one in self.reads}

    def unboxed(self) -> Sequence[Memory]:
        held = {identifier for box in self.sealed for identifier in box.memories}
        return [one for one in self._all() if one.sources and one.id not in held]

    def boxes(self, since: Instant = "", until: Instant = "") -> Sequence[Box]:
        ended = [box for box in self.sealed if box.sealed >= since]
        return [box for box in ended if not until or box.sealed <= until]

    def box(self, identifier: str) -> Box | None:
        return next((box for box in self.sealed if box.id == identifier), None)

    def box_of(self, memory: str) -> Box | None:
        return next((box for box in self.sealed if memory in box.memories), None)

    def entities(self) -> Sequence[Entity]:
        return sorted(self.named, key=lambda entity: entity.id)

    def entity(self, identifier: str) -> Entity | None:
        return next((one for one in self.named if one.id == identifier), None)

    def summaries(self) -> Sequence[Summary]:
        return sorted(self.told.values(), key=lambda summary: summary.id)

    def summary(self, identifier: str) -> Summary | None:
        return self.told.get(identifier)

    def mentioned(self) -> Mapping[str, int]:
        return Counter(name for one in self._all() if one.live for name in one.entities)

    def mentions_of(self, identifiers: Iterable[str]) -> Mapping[str, int]:
        return Counter(entity for name in identifiers for entity in self.memories[name].entities)

    def about(self, entity: str) -> Sequence[Memory]:
        return [one for one in self._all() if entity in one.entities]

    def spoken(self, links: Iterable[str]) -> Mapping[str, int]:
        return {link: self.order.index(link) for link in links if link in self.order}

    def beginning(self, session: str, without: Iterable[str] = ()) -> Iterator[Turn]:
        return iter(())

    def page(self, path: str) -> str | None:
        return self.pages.get(path)


def remembering(*memories: Memory, **more: object) -> Remembered:
    """The view of a vault that has these memories."""
    made = Remembered({memory.id: memory for memory in memories})
    for name, value in more.items():
        setattr(made, name, value)
    return made


def after(view: Remembered, steps: Iterable[Step]) -> Remembered:
    """The view once these steps are done."""
    made = Remembered(dict(view.memories), view.reads, dict(view.pages), view.sealed, view.named)
    made.told.update(view.told)
    for step in steps:
        made.memories.update((new.id, new) for _, new in step.amended)
        made.memories.update((new.id, new) for new in step.born)
        for before, page in step.pages:
            if before is not None:
                made.sealed = tuple(one for one in made.sealed if one.id != before.id)
                made.named = tuple(one for one in made.named if one.id != before.id)
            if isinstance(page, Summary):
                made.told[page.id] = page
            elif isinstance(page, Box):
                made.sealed = tuple(sorted((*made.sealed, page), key=in_time))
            elif page is not None:
                made.named = (*made.named, page)
        for change in step.prose:
            made.pages[change.path] = (change.after or b"").decode("utf-8")
    return made
