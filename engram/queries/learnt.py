"""What a batch brought: its memories, the best first, and a question that one of them answers.

    import-1  ->  memories that are in use, ("recall", "what was decided about postgres?")

What a person said comes before the records of sessions; then what is more important, more certain,
newer. A question is tried before it is offered; where none finds its memory, words are offered that
`search` finds it by, or nothing. Nothing is written, and no read is counted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from engram.language.stop_words import QUERY
from engram.model.intake import Learnt
from engram.model.memory import SESSION, Memory
from engram.model.text import words
from engram.queries.review_questions import written_by

if TYPE_CHECKING:
    from engram.model.intake import FindVerb
    from engram.queries.recalling import Recalling
    from engram.queries.search import SearchQueries
    from engram.recall.borders import Recipient
    from engram.recall.rank import Setting
    from engram.store.catalog.catalog import Catalog

#: as many memories are asked about until one is found
_TRIED = 5
#: as many words of a memory tell it from others in a search
_WORDS = 3
_QUESTIONS = {
    "decision": "what was decided about {}?",
    "preference": "what do I prefer about {}?",
}
#: something with its article, of one word or two
_NAMED = re.compile(r"\b(the|our|my) ((?!user\b)[A-Za-z][\w-]+(?: [A-Za-z][\w-]+)?)")
_ABOUT = "what do you know about {}?"


class Tried(NamedTuple):
    """How a person would ask: in a folder of some projects, for so many memories and tokens."""

    recalling: Recalling
    search: SearchQueries
    setting: Setting
    recipient: Recipient
    limit: int
    budget: int

    def recalls(self, question: str, identifier: str) -> bool:
        """Whether the block that answers a question begins with a memory."""
        block = self.recalling.block(
            question, setting=self.setting, limit=self.limit, budget=self.budget,
            recipient=self.recipient,
        )  # fmt: skip
        return block.shown[:1] == (identifier,)

    def finds(self, wanted: str, identifier: str) -> bool:
        """Whether a search for some words finds a memory."""
        found = self.search.search(wanted, limit=self.limit, setting=self.setting)
        return any(hit.id == identifier for hit in found.memories)


def learnt(batch: str, catalog: Catalog, tried: Tried) -> Learnt:
    """What a batch brought, and a question or words that find one of it."""
    memories = memories_of(batch, catalog)
    return Learnt(memories, *_command_for(memories, tried))


def memories_of(batch: str, catalog: Catalog) -> list[Memory]:
    """The live memories that a batch wrote, best first."""
    found = (catalog.memory(one) for one in written_by(catalog, [batch]))
    newest_first = sorted((one for one in found if one is not None and one.live), key=_age)[::-1]
    return sorted(newest_first, key=_worth)


def _age(memory: Memory) -> tuple[str, str]:
    return memory.created, memory.id


def _worth(memory: Memory) -> tuple[bool, float, float]:
    return memory.schema == SESSION, -memory.importance, -memory.confidence


def _command_for(memories: Sequence[Memory], tried: Tried) -> tuple[FindVerb, str]:
    """The verb and what to ask it, so that it answers with one of some memories."""
    said = [one for one in memories if one.schema != SESSION]
    for memory in said[:_TRIED]:
        for question in _questions(memory):
            if tried.recalls(question, memory.id):
                return "recall", question
    for memory in memories[:_TRIED]:
        wanted = " ".join(islice(_telling(memory.title or memory.text), _WORDS))
        if wanted and tried.finds(wanted, memory.id):
            return "search", wanted
    return "recall", ""


def _questions(memory: Memory) -> Iterator[str]:
    """Questions about what a memory names with an article, and then about its topics."""
    held = set(words(memory.text))
    topics = [tag for tag in memory.tags if tag in held]
    form = _QUESTIONS.get(memory.category, _ABOUT)
    for named in _NAMED.finditer(memory.text):
        told = [one for one in named[2].split() if one.casefold() not in QUERY]
        if told and named[2].startswith(told[0]):
            yield form.format(" ".join((named[1], *told)))
    for most in (2, 1):
        if len(topics) >= most:
            yield form.format(" and ".join(topics[:most]))


def _telling(text: str, passed: Collection[str] = QUERY) -> Iterator[str]:
    return (word for word in dict.fromkeys(words(text)) if word not in passed and len(word) > 2)
