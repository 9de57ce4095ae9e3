"""Remains of a purged memory on other pages: found by its id and by its words, and removed.

Turns the bytes of a box, an entity or a plain page into the same without it: the program's own
lines are written again, and any other line that links to it, or begins with its words, is removed.
Pure; idempotent; every other byte stays. A list item that links to another memory belongs to that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.errors import BadInput
from engram.model.text import normalise
from engram.store.files.box_file import box_changes
from engram.store.files.content_file import read_content
from engram.store.files.entity_file import entity_changes
from engram.store.files.links import LINK, target_of

#: length of the beginning of a statement, normalised, by which a line is recognised
_BEGINNING = 40
#: a shorter statement ("yes") is not searched inside other texts
_LEAST = 12
_ITEM = re.compile(r"\s*[-*+] ")


@dataclass(frozen=True, slots=True)
class PurgeRemains:
    """A purged memory as other pages show it: its id, and how its texts begin, normalised."""

    id: str
    words: frozenset[str]

    @classmethod
    def of(cls, identifier: str, said: Iterable[str]) -> PurgeRemains:
        """The search data: all that the memory, its quotes and its source turns said."""
        lines = (normalise(line) for text in said for line in (text, *text.splitlines()))
        return cls(identifier, frozenset(_beginning(line) for line in lines if line))

    def without(self, path: str, data: bytes) -> bytes:
        """A page's bytes without the memory."""
        content = read_content(path, data).content
        try:
            if isinstance(content, Box):
                data = box_changes(data, content, self._unboxed(content))
            elif isinstance(content, Entity):
                data = entity_changes(data, content, self.unmentioned(content))
        except BadInput:
            pass  # a header that cannot be patched: its lines are removed one by one, as below
        text = data.decode("utf-8", "surrogateescape")
        kept = "".join(line for line in text.splitlines(keepends=True) if not self._in(line))
        return kept.encode("utf-8", "surrogateescape")

    def _unboxed(self, box: Box) -> Box:
        lines = tuple(line for line in box.lines if line[0] != self.id)
        return replace(
            box,
            lines=lines,
            # where it was the only memory the topics are its words
            topics=box.topics if lines else (),
            title="" if not lines or self._said(box.title) else box.title,
            goal="" if self._said(box.goal) else box.goal,
            outcome="" if self._said(box.outcome) else box.outcome,
        )

    def unmentioned(self, entity: Entity) -> Entity:
        """An entity without the memory; what a person wrote of it stays."""
        lines = entity.synthesis.split("\n")
        person = entity.synthesis_by == "person"
        kept = lines if person else [line for line in lines if not self._in(line)]
        return replace(
            entity,
            timeline=tuple(item for item in entity.timeline if item[1] != self.id),
            relations=tuple(item for item in entity.relations if item[2] != self.id),
            activity=tuple(item for item in entity.activity if item[1] != self.id),
            synthesis="\n".join(kept),
        )

    def _in(self, line: str) -> bool:
        """Whether a line is to be removed."""
        names = {target_of(link).partition("#")[0] for link in LINK.findall(line)}
        if self.id in names:
            return True
        if names and _ITEM.match(line):
            return False
        # a heading that is as short as a short statement is still a heading
        return self._told(line) if line.startswith("#") else self._said(line)

    def _said(self, text: str) -> bool:
        """Whether a text is what the memory said, or contains it."""
        return normalise(text) in self.words or self._told(text)

    def _told(self, text: str) -> bool:
        normal = normalise(text)
        return any(words in normal for words in self.words if len(words) >= _LEAST)


def _beginning(line: str) -> str:
    """The first words of a normalised line."""
    if len(line) <= _BEGINNING:
        return line
    return line[:_BEGINNING].rpartition(" ")[0] or line[:_BEGINNING]
