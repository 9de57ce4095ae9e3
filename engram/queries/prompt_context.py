"""What a vault knows around some turns (the PromptContext port): for a model to see updates.

Turns a portion of one conversation into the memories that may have changed (the weightiest of the
person, then those nearest to each thing that the person said), the names that these and the words
mention, and what was said just before. Guarantees: nothing that was learnt after the last of the
turns, nothing of another project, and of conversations without a project only their own; bounded,
the same vault and turns give the same context, no forgotten turn, nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from engram.extract.llm.portions import piece_of, shown_in
from engram.extract.llm.prompt import MOST_KNOWN
from engram.language.spelling import preferred, spellings
from engram.model.entity import NAMES_FIELD
from engram.model.entity_ids import entity_id, stem_of, type_of
from engram.model.ids import slug, without_digest
from engram.model.memory import SESSION, Memory
from engram.model.model_request import Context
from engram.model.turn import Turn
from engram.queries.index_sync import IndexSync
from engram.store.commits.attributed_turns import AttributedTurns
from engram.store.commits.projections import Projections

#: of the person whatever was said, memories at most
WEIGHTIEST = 5
#: found for each turn, memories at most: so many, and one for every so many characters of it
_LEAST_FOUND, _MOST_FOUND, _FOUND_EVERY = 5, 12, 120
#: names and earlier turns that are shown at most
NAMES, EARLIER = 30, 2
#: turns among which the earlier ones are looked for: an agent reports its progress between
_LOOK_BACK = 12
#: how long a process that writes is waited for before the index is asked, seconds
_PATIENCE = 5.0
#: as much of what was said in one turn is searched for
_QUERY_CHARACTERS = 1000
#: names of a vault that are looked for, the most used first
_KNOWN_NAMES = 2000


class VaultPromptContext:
    """Of one vault."""

    def __init__(
        self, projections: Projections, attributed: AttributedTurns, index_sync: IndexSync
    ) -> None:
        self._projections = projections
        self._attributed = attributed
        self._index_sync = index_sync

    def near(self, turns: Sequence[Turn]) -> Context:
        """The context of turns of one conversation, in order."""
        if not turns:
            return Context()
        # what an earlier question brought is to be seen by the next one
        self._index_sync.refresh(_PATIENCE)
        said = [turn.text for turn in turns if turn.by_person] or [turns[-1].text]
        memories = self._memories(said, turns)
        return Context(memories, self._names(said, memories), self._earlier(turns))

    def _memories(self, said: Sequence[str], turns: Sequence[Turn]) -> tuple[Memory, ...]:
        """The weightiest of the person, then the best for each turn, their second best, ..."""
        catalog, seen = self._projections.catalog, _Seen(turns)
        read: dict[str, Memory] = {}

        def admit(keys: list[str]) -> list[str]:
            read.update((one.id, one) for one in catalog.memories(set(keys) - read.keys()))
            return [key for key in keys if key in read and seen.admits(read[key])]

        def found(words: str) -> list[Memory]:
            most = min(_LEAST_FOUND + len(words) // _FOUND_EVERY, _MOST_FOUND)
            hits = self._index_sync.find(words, "memories", most, admit=admit)
            return [read[hit.key] for hit in hits]

        first = self._projections.view.weightiest(seen.until, WEIGHTIEST)
        queries = dict.fromkeys(text[:_QUERY_CHARACTERS] for text in said)
        ranks = zip_longest(*map(found, queries))
        near = (memory for rank in ranks for memory in rank if memory is not None)
        known = {memory.id: memory for memory in (*first, *near)}
        return tuple(known.values())[:MOST_KNOWN]

    def _names(self, said: Sequence[str], memories: Sequence[Memory]) -> tuple[str, ...]:
        """`Postgres (tool)` and the like: of what is shown, and whose name was said."""
        words = "\n".join(text[:_QUERY_CHARACTERS] for text in said)
        here = f"-{slug(words, limit=len(words) * 8 + 60)}-"
        known = self._projections.view.most_mentioned(_KNOWN_NAMES)
        named = [name for name in known if f"-{without_digest(stem_of(name))}-" in here]
        shown = [name for memory in memories for name in memory.entities]
        texts = [words, *(memory.text for memory in memories)]
        texts += [memory.extras.get(NAMES_FIELD, "") for memory in memories]
        return tuple(_written(name, texts) for name in [*dict.fromkeys((*named, *shown))][:NAMES])

    def _earlier(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """The last turns before these, without reports of progress; one of a person among them."""
        first, catalog = turns[0], self._projections.catalog
        places = catalog.turns.before(first.transcript, first.seq, _LOOK_BACK)
        before = list(self._attributed.read(places))
        pieces, hidden = [piece_of(turn) for turn in (*before, first)], catalog.hidden()
        told = [before[at] for at in shown_in(pieces)[:-1]]
        told = [turn for turn in told if f"{turn.transcript}#^{turn.block}" not in hidden]
        last = told[-EARLIER:]
        asked = [turn for turn in told[:-EARLIER] if turn.by_person]
        if asked and not any(turn.by_person for turn in last):
            last = [asked[-1], *last[1:]]
        return tuple(last)


class _Seen:
    """Which memories may be seen beside some turns."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.until = max(turn.time for turn in turns)
        self._transcript = turns[0].transcript
        self._projects = {turn.project for turn in turns} - {""}

    def admits(self, memory: Memory) -> bool:
        """Live, not learnt later, and of the person, of this project or of this conversation.

        The record of a session is nothing that could be said again.
        """
        if not memory.live or memory.created > self.until or memory.schema == SESSION:
            return False
        if memory.space in ("user", "system"):
            return True
        if memory.space == "project" and memory.project:
            return memory.project in self._projects
        return any(link.partition("#")[0] == self._transcript for link in memory.sources)


def _written(identifier: str, texts: Sequence[str]) -> str:
    """A name as these texts spell it, else as its id does, in a form that leads to that id."""
    type = type_of(identifier)
    found = preferred(spellings(texts, [stem_of(identifier)]), "")
    name = found if entity_id(found, type) == identifier else stem_of(identifier).replace("-", " ")
    return f"{name} ({'thing' if type == 'other' else type})"
