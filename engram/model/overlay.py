"""Overlay: the vault as it would be once some memories, boxes, entities and pages are written.

A VaultView on top of a VaultView, so that each decision sees those before it: a candidate those of
its batch, a pass of consolidation what earlier passes planned. Pure. Checks nothing: the caller
has. The text of a memory that the vault has never changes here, only its header.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from engram.model.box import Box
from engram.model.candidate import Candidate
from engram.model.entity import Entity
from engram.model.instant import Day, Instant
from engram.model.memory import SESSION, Memory, is_uncollected, schema_name
from engram.model.step import Step
from engram.model.summary import Summary
from engram.model.text import content_hash
from engram.model.view import VaultView

#: a word that more memories of an overlay hold finds none of them; so many are found at most
_COMMON, _NEIGHBOURS = 100, 8


class Overlay:
    """A vault and what would come to it. `memories` are those born or amended, in that order."""

    def __init__(self, under: VaultView) -> None:
        self._under = under
        self.memories: dict[str, Memory] = {}
        self._gone: set[str] = set()
        self._boxes: dict[str, Box | None] = {}
        self._entities: dict[str, Entity | None] = {}
        self._summaries: dict[str, Summary | None] = {}
        self._pages: dict[str, str | None] = {}
        #: entity -> those of the memories that link to it
        self._linked: dict[str, set[str]] = defaultdict(set)
        #: what is still to be found by content and words: consolidation asks for neither
        self._unread: list[Memory] = []
        self._by_hash: dict[str, dict[str, None]] = defaultdict(dict)
        self._by_word: dict[str, set[str]] = defaultdict(set)
        self._live: Sequence[Memory] | None = None
        #: what was due below: two passes ask
        self._due: dict[Day, Sequence[Memory]] = {}
        #: memory below -> the new one that has its words
        self._again: dict[str, str] = {}
        #: those of the memories that are live below, and neither here nor said again
        self._ended: set[str] = set()
        #: the names that live ones link to here and not below
        self._gained: Counter[str] = Counter()
        self._mentioned: Mapping[str, int] | None = None
        # counted as the vault is now: how rare a word is need not be exact
        self.terms, self.frequencies = under.terms, under.frequencies
        self.mentions_of, self.accesses = under.mentions_of, under.accesses
        self.beginning = under.beginning
        self.spoken, self.purged = under.spoken, under.purged

    def put(self, memory: Memory) -> None:
        """Add a memory, new or as it will be amended."""
        self.memories[memory.id] = memory
        for name in memory.entities if memory.space != SESSION else ():
            self._linked[name].add(memory.id)
        self._unread.append(memory)
        self._live = None

    def remove(self, identifier: str) -> None:
        """Leave a memory out, which the vault still has."""
        self._gone.add(identifier)
        self._live = None

    def take(self, step: Step) -> None:
        """Add what a step of consolidation writes and removes."""
        for memory in (*step.born, *(after for _, after in step.amended)):
            self.put(memory)
        words = {before.text: before.id for before, _ in step.amended}
        again = {words[born.text]: born.id for born in step.born if born.text in words}
        self._again.update(again)
        ended = {after.id for before, after in step.amended if before.live and not after.live}
        self._ended |= ended - again.keys()
        for known, changed in step.amended:
            if changed.live:
                self._gained.update(set(changed.entities).difference(known.entities))
        self._mentioned = None
        for before, after in step.pages:
            page = after or before
            if isinstance(page, Box):
                self._boxes[page.id] = after if isinstance(after, Box) else None
            elif isinstance(page, Entity):
                self._entities[page.id] = after if isinstance(after, Entity) else None
            elif isinstance(page, Summary):
                self._summaries[page.id] = after if isinstance(after, Summary) else None
        for change in step.prose:
            text = None if change.after is None else change.after.decode("utf-8")
            self._pages[change.path] = text

    # -- memories by what they are -------------------------------------------------------------

    def memory(self, identifier: str) -> Memory | None:
        """The memory as it would be."""
        if identifier in self._gone:
            return None
        return self.memories.get(identifier) or self._under.memory(identifier)

    def taken(self, names: Iterable[str]) -> set[str]:
        """Those of the given names that would exist; what would go keeps its name until it has."""
        asked = set(names)
        here = {*self.memories, *self._boxes, *self._entities, *self._summaries}
        return self._under.taken(asked) | (asked & here)

    def owners(self, content_hash: str) -> Sequence[Memory]:
        """Every memory with this scoped content hash, those that are only here last."""
        self._read()
        found = {memory.id: memory for memory in self._under.owners(content_hash)}
        for name in (*found, *self._by_hash.get(content_hash, ())):
            found[name] = self.memories.get(name) or found[name]
        return [memory for name, memory in found.items() if name not in self._gone]

    def called(self, alias: str) -> Sequence[Memory]:
        """Every memory with this alias, as it would be."""
        found = {memory.id: memory for memory in self._under.called(alias)}
        found.update(self.memories)
        return [
            memory
            for name, memory in found.items()
            if alias in memory.aliases and name not in self._gone
        ]

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

    def live(self) -> Sequence[Memory]:
        """Every memory that would be active or in need of review."""
        if self._live is None:
            self._live = self._over(self._under.live(), lambda memory: True)
        return self._live

    def due(self, day: Day) -> Sequence[Memory]:
        """Live ones whose `expires` is that day or before."""
        if day not in self._due:
            self._due[day] = self._under.due(day)
        return self._over(self._due[day], lambda memory: "" < memory.expires <= day)

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

    def records(self, schema: str, space: str = "", project: str = "") -> Sequence[Memory]:
        """Live ones that would have this schema."""
        return self._over(
            self._under.records(schema, space, project),
            lambda memory: (
                schema_name(memory) == schema
                and space in ("", memory.space)
                and (space != "project" or memory.project == project)
            ),
        )

    def retired(self) -> Sequence[Memory]:
        """Those that would be retired, and not in the archive."""
        here = {memory.id: memory for memory in self._under.retired()} | self.memories
        return _oldest_first(
            memory
            for name, memory in here.items()
            if name not in self._gone and is_uncollected(memory)
        )

    def _over(self, found: Iterable[Memory], wanted: Callable[[Memory], bool]) -> Sequence[Memory]:
        """What was found below, as it would be, with what would come to it."""
        if not (self.memories or self._gone):
            return list(found)
        here = {memory.id: self.memories.get(memory.id, memory) for memory in found}
        here.update(self.memories)
        kept = (memory for name, memory in here.items() if memory.live and name not in self._gone)
        return _oldest_first(
            memory for memory in kept if memory.id not in self.memories or wanted(memory)
        )

    # -- memories by their words ---------------------------------------------------------------

    def holding(self, terms: Iterable[str]) -> Sequence[str]:
        """Ids of memories that would be live and hold at least one of these terms."""
        wanted = frozenset(terms)
        found = dict.fromkeys(self._under.holding(wanted))
        for name, memory in self.memories.items():
            if memory.live and wanted & self.terms(memory.text):
                found[name] = None
        return [
            name
            for name in found
            if name not in self._gone and (name not in self.memories or self.memories[name].live)
        ]

    def around(self, candidate: Candidate) -> Sequence[Memory]:
        """Live memories of a candidate's scope that share words with it."""
        self._read()
        below = self._under.around(candidate)
        found = {memory.id: self.memories.get(memory.id, memory) for memory in below}
        shared = Counter(
            name
            for word in self.terms(candidate.text)
            if len(names := self._by_word.get(word, ())) <= _COMMON
            for name in names
        )
        nearest = sorted((-count, name) for name, count in shared.items())
        for _, name in nearest[:_NEIGHBOURS]:
            found.setdefault(name, self.memories[name])
        return [
            memory
            for memory in found.values()
            if memory.live and memory.id not in self._gone and memory.space == candidate.space
            and memory.schema != SESSION
            and (memory.space != "project" or memory.project == candidate.project)
            and (memory.space != SESSION or memory.conversation == candidate.conversation)
        ]  # fmt: skip

    def _read(self) -> None:
        for memory in self._unread:
            self._by_hash[content_hash(memory.text, memory.scope)][memory.id] = None
            for word in self.terms(memory.text):
                self._by_word[word].add(memory.id)
        self._unread.clear()

    # -- boxes, entities, pages ----------------------------------------------------------------

    def unboxed(self) -> Sequence[Memory]:
        """Memories that no box would hold."""
        boxed = {name for box in self._boxes.values() if box is not None for name in box.memories}
        found = {memory.id: memory for memory in self._under.unboxed()}
        for name, memory in self.memories.items():
            new = memory.conversation and memory.space != SESSION
            if name in found or (new and self._under.memory(name) is None):
                found[name] = memory
        left_out = boxed | self._gone
        return [
            memory
            for memory in found.values()
            if memory.id not in left_out and memory.status != "retired"
        ]

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

    def summaries(self) -> Sequence[Summary]:
        """Every summary that would have a file."""
        found: dict[str, Summary | None] = {one.id: one for one in self._under.summaries()}
        found.update(self._summaries)
        return [one for _, one in sorted(found.items()) if one is not None]

    def summary(self, identifier: str) -> Summary | None:
        """The summary of that id."""
        if identifier in self._summaries:
            return self._summaries[identifier]
        return self._under.summary(identifier)

    def mentioned(self) -> Mapping[str, int]:
        """The names that memories have below, and how many of those that would be live do."""
        if self._mentioned is None:
            found = Counter(self._under.mentioned())
            found.subtract(self.mentions_of(self._ended))
            found.update(self._gained)
            self._mentioned = dict(sorted(found.items()))
        return self._mentioned

    def about(self, entity: str) -> Sequence[Memory]:
        """Memories of any status that name an entity; of new ones those that link to it.

        New ones with the words of another name what that names.
        """
        below = [one for one in self._under.about(entity) if one.id not in self._gone]
        kept = [self._now(one, entity) for one in below]
        known = {one.id for one in below}
        here = (self.memories[name] for name in self._linked.get(entity, ()) if name not in known)
        new = {one.id: one for one in here if entity in one.entities}
        again = (self._again[one.id] for one in below if one.id in self._again)
        new.update((name, self.memories[name]) for name in again if name not in known)
        return _oldest_first([*(one for one in kept if one is not None), *new.values()])

    def _now(self, before: Memory, entity: str) -> Memory | None:
        """A memory that names an entity, as it will be; None when it will not name it."""
        now = self.memories.get(before.id, before)
        by_words = entity not in before.entities and now.text == before.text
        return now if by_words or entity in now.entities else None

    def page(self, path: str) -> str | None:
        """The text of a plain page."""
        return self._pages[path] if path in self._pages else self._under.page(path)


def _oldest_first(memories: Iterable[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda memory: (memory.created, memory.id))
