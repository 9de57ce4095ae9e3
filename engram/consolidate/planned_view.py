"""The vault as the steps planned so far leave it: what later passes are shown.

Turns Contents and a list of steps into Contents again, so that a memory that one pass merged away
is not archived by the next. Pure; the words of memories are those that the vault knows, since no
step changes a text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.instant import Day, Instant
from engram.model.memory import Memory
from engram.model.ports import Contents
from engram.model.step import Access, Step

Wanted = Callable[[Memory], bool]


class Sketch:
    """Contents on top of Contents."""

    def __init__(self, contents: Contents) -> None:
        self._under = contents
        self._memories: dict[str, Memory] = {}
        #: entity -> those of them that link to it
        self._linked: dict[str, set[str]] = defaultdict(set)
        self._boxes: dict[str, Box | None] = {}
        self._entities: dict[str, Entity | None] = {}
        self._prose: dict[str, str | None] = {}
        self._live: Sequence[Memory] | None = None
        #: what was due below: two passes ask
        self._due: dict[Day, Sequence[Memory]] = {}

    def take(self, step: Step) -> None:
        """Let a step be done."""
        for memory in (*step.born, *(after for _, after in step.amended)):
            self._memories[memory.id] = memory
            for name in memory.entities:
                self._linked[name].add(memory.id)
        for before, after in step.pages:
            page = after or before
            if isinstance(page, Box):
                self._boxes[page.id] = after if isinstance(after, Box) else None
            elif isinstance(page, Entity):
                self._entities[page.id] = after if isinstance(after, Entity) else None
        for change in step.prose:
            text = None if change.after is None else change.after.decode("utf-8")
            self._prose[change.path] = text
        if step.born or step.amended:
            self._live = None

    # -- memories ------------------------------------------------------------------------------

    def memory(self, identifier: str) -> Memory | None:
        """The memory as it would be."""
        return self._memories.get(identifier) or self._under.memory(identifier)

    def live(self) -> Sequence[Memory]:
        """Every memory that would be active or in need of review."""
        if self._live is None:
            self._live = self._over(self._under.live(), lambda memory: True)
        return self._live

    def due(self, day: Day) -> Sequence[Memory]:
        """Live ones whose `expires` is that day or before."""
        if day not in self._due:
            self._due[day] = self._under.due(day)
        return self._over(
            self._due[day], lambda memory: bool(memory.expires) and memory.expires <= day
        )

    def aged(self, before: Instant, importance: float) -> Sequence[Memory]:
        """Active ones of that age, below that importance."""
        return self._over(
            self._under.aged(before, importance),
            lambda memory: (
                memory.status == "active"
                and memory.created <= before
                and memory.importance < importance
            ),
        )

    def overdue(self, day: Day) -> Sequence[Memory]:
        """Active commitments that were due before a day."""
        return self._over(
            self._under.overdue(day),
            lambda memory: (
                memory.status == "active"
                and memory.category == "commitment"
                and "" < memory.extras.get("due", "") < day
            ),
        )

    def holders(self, slot: str, space: str, project: str) -> Sequence[Memory]:
        """Live holders of a slot."""
        return self._over(
            self._under.holders(slot, space, project),
            lambda memory: (
                memory.key == slot
                and memory.space == space
                and (space != "project" or memory.project == project)
            ),
        )

    def unboxed(self) -> Sequence[Memory]:
        """Memories that no box would hold."""
        boxed = {name for box in self._boxes.values() if box is not None for name in box.memories}
        found = (self._memories.get(memory.id, memory) for memory in self._under.unboxed())
        return [memory for memory in found if memory.id not in boxed and memory.status != "retired"]

    def about(self, entity: str) -> Sequence[Memory]:
        """Memories of any status that link to an entity."""
        found = {memory.id: memory for memory in self._under.about(entity)}
        changed = (self._memories[name] for name in self._linked.get(entity, ()))
        found.update((memory.id, memory) for memory in changed if entity in memory.entities)
        return _oldest_first(found.values())

    def _over(self, found: Iterable[Memory], wanted: Wanted) -> Sequence[Memory]:
        """What was found below, as it would be, with what would come to it."""
        if not self._memories:
            return list(found)
        here = {memory.id: self._memories.get(memory.id, memory) for memory in found}
        here.update(self._memories)
        kept = (memory for memory in here.values() if memory.live)
        return _oldest_first(
            memory for memory in kept if memory.id not in self._memories or wanted(memory)
        )

    # -- words ---------------------------------------------------------------------------------

    def terms(self, text: str) -> frozenset[str]:
        """The words that a text is found by."""
        return self._under.terms(text)

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """How many live memories hold each term; as the vault counts now."""
        return self._under.frequencies(terms)

    def holding(self, terms: Iterable[str]) -> Sequence[str]:
        """Ids of memories that would be live and hold at least one of these terms."""
        wanted = frozenset(terms)
        found = dict.fromkeys(self._under.holding(wanted))
        for name, memory in self._memories.items():
            if memory.live and wanted & self.terms(memory.text):
                found[name] = None
        return [name for name in found if name not in self._memories or self._memories[name].live]

    def accesses(self, identifiers: Iterable[str]) -> Mapping[str, Access]:
        """How often memories were asked for."""
        return self._under.accesses(identifiers)

    # -- pages ---------------------------------------------------------------------------------

    def boxes(self, since: Instant = "", until: Instant = "") -> Sequence[Box]:
        """The sealed boxes of a time that there would be."""
        found: dict[str, Box | None] = {box.id: box for box in self._under.boxes(since, until)}
        found.update(self._boxes)
        kept = (
            box
            for box in found.values()
            if box is not None and box.sealed >= since and (not until or box.sealed <= until)
        )
        return sorted(kept, key=lambda box: (box.created, box.id))

    def box(self, identifier: str) -> Box | None:
        """The box of that id."""
        if identifier in self._boxes:
            return self._boxes[identifier]
        return self._under.box(identifier)

    def box_of(self, memory: str) -> Box | None:
        """The box that would hold a memory."""
        for box in self._boxes.values():
            if box is not None and memory in box.memories:
                return box
        found = self._under.box_of(memory)
        return None if found is None or found.id in self._boxes else found

    def entities(self) -> Sequence[Entity]:
        """Every entity that would have a file."""
        found: dict[str, Entity | None] = {one.id: one for one in self._under.entities()}
        found.update(self._entities)
        return [one for _, one in sorted(found.items()) if one is not None]

    def entity(self, identifier: str) -> Entity | None:
        """The entity of that id."""
        if identifier in self._entities:
            return self._entities[identifier]
        return self._under.entity(identifier)

    def mentioned(self) -> Mapping[str, int]:
        """Entity names that memories link to."""
        return self._under.mentioned()

    def page(self, path: str) -> str | None:
        """The text of a plain page."""
        return self._prose[path] if path in self._prose else self._under.page(path)

    def opening(self, session: str, without: Iterable[str] = ()) -> str:
        """What the user said first in a conversation."""
        return self._under.opening(session, without)


def _oldest_first(memories: Iterable[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda memory: (memory.created, memory.id))
