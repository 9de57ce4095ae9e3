"""Naming: what a person names, one by one or by a text in it -> the memories and turns that it is.

A memory means the turns that it came from too; a turn or a conversation also the memories that rest
on nothing else. Guarantees: nothing is written; turns that were taken back count as well, for their
words are still there. Raises NotFound for what is named and is not there, BadInput for a text that
is too short to look for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from engram.language.distinct_words import SHORTEST, holds, phrase_of
from engram.model.errors import BadInput, NotFound
from engram.model.link_targets import stem_of
from engram.model.memory import SESSION
from engram.model.report import Scope
from engram.queries.lookup import link_named

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.model.ports import TurnLog
    from engram.queries.lookup import Lookup
    from engram.store.commits.projections import Projections
    from engram.store.commits.transaction_log import TransactionLog


class Naming:
    """What names and texts mean in one vault."""

    def __init__(
        self,
        projections: Projections,
        turn_log: TurnLog,
        transaction_log: TransactionLog,
        lookup: Lookup,
    ) -> None:
        self._projections = projections
        self._turn_log = turn_log
        self._transaction_log = transaction_log
        self._lookup = lookup

    def scope(
        self, references: Sequence[str], matching: str = "", *, gone: bool = True
    ) -> Scope:  # fmt: skip
        """All that is named by references, or holds a text, whatever its case and spaces.

        With `gone` also memories whose files are gone, as they were last.
        """
        if matching:
            return self._matching(matching, gone)
        memories: dict[str, Memory] = {}
        links: dict[str, None] = {}
        conversations: dict[str, None] = {}
        for reference in map(self._lookup.file_named, references):
            memory = self._lookup.find_memory(reference)
            name = reference.strip().removeprefix("[[").removesuffix("]]")
            if memory is not None:
                memories[memory.id] = memory
                if memory.schema != SESSION:  # of a conversation more is left than its record
                    links.update(dict.fromkeys(memory.sources))
                    memories.update(self._sessions_of(memory.sources, gone))
            elif found := self._conversation(name):
                conversations[found] = None
                said = self._projections.catalog.turns.links_of(found)
                links.update(dict.fromkeys(said))
                memories.update(self._resting_on(said, gone))
            elif found := link_named(name, self._projections.catalog.turns.every_link()):
                links[found] = None
                memories.update(self._resting_on([found], gone))
            else:
                last = self._last(reference, gone)
                memories[last.id] = last
                if last.schema != SESSION:
                    links.update(dict.fromkeys(last.sources))
        return Scope(tuple(memories.values()), tuple(links), tuple(conversations))

    def _last(self, reference: str, gone: bool) -> Memory:
        """A memory whose file is gone, as it was last."""
        if gone:
            with suppress(NotFound):
                return self._transaction_log.last_memory(reference)
        raise NotFound(
            f"there is no memory, turn or conversation {reference!r}",
            "`engram search WORDS` shows ids; `--matching TEXT` looks for words",
        )

    def _memories(self, gone: bool, names: Sequence[str] | None = None) -> Iterator[Memory]:
        """The memories of the vault, or some of them, and those whose files are gone."""
        catalog = self._projections.catalog
        yield from catalog.memories(names)
        if gone:
            yield from self._transaction_log.gone(catalog)

    def _conversation(self, name: str) -> str:
        """The transcript of that name, or at that path."""
        stem = stem_of(name)
        turns = self._projections.catalog.turns
        return stem if stem in turns.transcript_names() else ""

    def _resting_on(self, links: Iterable[str], gone: bool) -> dict[str, Memory]:
        """The memories that came from these turns and from no other.

        The record of a session that cites one of them has its words, whatever else it tells.
        """
        catalog, said = self._projections.catalog, frozenset(links)
        names = sorted({name for link in said for name in catalog.cited_by(link)})
        return {
            one.id: one
            for one in self._memories(gone, names)
            if one.sources and _rests_on(one, said)
        }

    def _sessions_of(self, links: Iterable[str], gone: bool) -> dict[str, Memory]:
        """The records of sessions that cite one of these turns."""
        found = self._resting_on(links, gone)
        return {name: one for name, one in found.items() if one.schema == SESSION}

    def _matching(self, text: str, gone: bool) -> Scope:
        phrase = phrase_of(text)
        if len(phrase) < SHORTEST:
            raise BadInput(
                f"{text!r} is too short to look for", f"give {SHORTEST} characters at least"
            )
        memories = tuple(one for one in self._memories(gone) if holds(_said_by(one), phrase))
        links = dict.fromkeys(self._links_with(phrase))
        return Scope(memories, tuple(links), (), phrase)

    def _links_with(self, phrase: str) -> Iterator[str]:
        for entry in self._turn_log.entries():
            turn = entry.turn
            if holds("\n".join((turn.text, turn.speaker, *turn.tools)), phrase):
                yield f"{turn.transcript}#^{turn.block}"
        transcripts = self._projections.transcripts
        foreign = self._projections.catalog.turns.foreign_links()
        for name in sorted({link.partition("#")[0] for link in foreign}):
            path = transcripts.find(name)
            for block in transcripts.blocks(path) if path else ():
                if block.link in foreign and (
                    holds(block.text, phrase) or holds(block.said.text, phrase)
                ):
                    yield block.link


def _rests_on(memory: Memory, links: frozenset[str]) -> bool:
    if memory.schema == SESSION:
        return not links.isdisjoint(memory.sources)
    return links.issuperset(memory.sources)


def _said_by(memory: Memory) -> str:
    """All the words of a memory's file."""
    lists = (*memory.tags, *memory.entities, *memory.aliases, *memory.extras.values())
    told = (text for _, text in memory.sections)
    return "\n".join((memory.text, memory.quote, memory.title, *told, *lists))
