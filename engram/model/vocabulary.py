"""How a text becomes the terms that it is found by, as a value that can be handed on.

The catalog keeps the terms of live memories, so that a hook finds memories without the index; what
a term is, only the index knows. Equal `version`s mean equal terms: who kept terms of another
version computes them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engram.model.memory import Memory
from engram.model.text import words

#: A longer memory is found by what it begins with, characters.
_MOST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A function from texts to terms, and the name of what it does.

    `telling` gives the same terms but those of words that stand in any text.
    """

    version: str
    terms: Callable[[str], Iterable[str]]
    telling: Callable[[str], Iterable[str]]

    def of(self, memory: Memory) -> set[str]:
        """The distinct terms of a memory: title, statement, quote, tags and entities."""
        said = (memory.title, memory.text[:_MOST_TEXT], memory.quote[:_MOST_TEXT])
        return set(self.terms("\n".join((*said, *memory.tags, *memory.entities))))


#: Words as they stand: for catalogs that nobody asks by word.
PLAIN = Vocabulary("plain", words, words)
