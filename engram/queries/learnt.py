"""What a batch brought: its memories, the best first, and a question that one of them answers.

    import-1  ->  memories that are in use, ("recall", "what was decided about postgres?")

What a person said comes before the records of sessions; then what is more important, more certain,
newer. A question is tried before it is offered; where none finds its memory, words are offered that
`search` finds it by, or nothing. Nothing is written, and no read is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from engram.language.stop_words import QUERY
from engram.model.memory import SESSION, Memory
from engram.model.text import words

if TYPE_CHECKING:
    from engram.model.intake import FindVerb
    from engram.store.catalog.catalog import Catalog

#: as many memories are asked about until one is found
_TRIED = 5
#: as many words of a memory tell it from others in a search
_WORDS = 3
_QUESTIONS = {
    "decision": "what was decided about {}?",
    "preference": "what do I prefer about {}?",
}
_ABOUT = "what do you know about {}?"

#: a question, or words, and whether the memory of that id is what comes of them first
Tried = Callable[[str, str], bool]


def memories_of(batch: str, catalog: Catalog) -> list[Memory]:
    """The live memories that a batch wrote, best first."""
    found = (catalog.memory(one) for one in catalog.log.written_by(batch))
    newest_first = sorted((one for one in found if one is not None and one.live), key=_age)[::-1]
    return sorted(newest_first, key=_worth)


def _age(memory: Memory) -> tuple[str, str]:
    return memory.created, memory.id


def _worth(memory: Memory) -> tuple[bool, float, float]:
    return memory.schema == SESSION, -memory.importance, -memory.confidence


def command_for(memories: Sequence[Memory], recalls: Tried, finds: Tried) -> tuple[FindVerb, str]:
    """The verb and what to ask it, so that it answers with one of some memories."""
    said = [one for one in memories if one.schema != SESSION]
    for memory in said[:_TRIED]:
        for question in _questions(memory):
            if recalls(question, memory.id):
                return "recall", question
    for memory in memories[:_TRIED]:
        wanted = " ".join(islice(_telling(memory.title or memory.text), _WORDS))
        if wanted and finds(wanted, memory.id):
            return "search", wanted
    return "recall", ""


def _questions(memory: Memory) -> Iterator[str]:
    """Questions about the topics of a memory, as its words name them, the widest first."""
    held = set(words(memory.text))
    topics = [tag for tag in memory.tags if tag in held]
    form = _QUESTIONS.get(memory.category, _ABOUT)
    for most in (2, 1):
        if len(topics) >= most:
            yield form.format(" and ".join(topics[:most]))


def _telling(text: str, passed: Collection[str] = QUERY) -> Iterator[str]:
    return (word for word in dict.fromkeys(words(text)) if word not in passed and len(word) > 2)
