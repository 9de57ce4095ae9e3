"""Vocabulary: the function from a text to its index terms, as a value that can be passed on.

The catalog keeps the terms of live memories, so that a hook finds memories without the index.
Equal `version`s mean equal terms: a catalog with terms of another version computes them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engram.model.memory import Memory
from engram.model.text import words

#: the beginning of a longer memory by which it is found, characters
_MOST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A function from texts to terms, and its version.

    `telling` gives the same terms without those of stop-words.
    """

    version: str
    terms: Callable[[str], Iterable[str]]
    telling: Callable[[str], Iterable[str]]

    def of(self, memory: Memory) -> set[str]:
        """The distinct terms of a memory: title, statement, quote, tags and entities."""
        said = (memory.title, memory.text[:_MOST_TEXT], memory.quote[:_MOST_TEXT])
        return set(self.terms("\n".join((*said, *memory.tags, *memory.entities))))


#: words as they are: for catalogs that are not searched by word
PLAIN = Vocabulary("plain", words, words)
