"""Content file: a file of the content folders -> the memory or page in it, by its folder.

The one function through which the store reads what a person may have written. Never raises for
bytes: what cannot be used is named in `problems`. An id is unique among its kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.summary import Summary
from engram.store.base.layout import Content, content_type

if TYPE_CHECKING:
    from engram.store.files.document import NoteDocument

#: how the problem of a file begins that is no memory; its kind follows
NO_MEMORY = "no memory: "


@dataclass(frozen=True, slots=True)
class ContentFile:
    """The content of a file, in words what of it could not be used, and the file.

    `left_out` is the kind of a note that is no memory; its content is what it would be as one.
    """

    content: Content
    problems: tuple[str, ...]
    document: NoteDocument
    left_out: str = ""

    @property
    def id(self) -> str:
        """The id in its header, or from its name."""
        return self.content.id

    @property
    def kind(self) -> type[Content]:
        """Its content type."""
        return type(self.content)


def read_content(path: str, data: bytes) -> ContentFile:
    """Any bytes as the type of their path's folder; a memory in any other folder."""
    # imported here: most commands find every file as the catalog has it, and read none
    from engram.store.files.box_file import read_box
    from engram.store.files.document import parse
    from engram.store.files.entity_file import read_entity
    from engram.store.files.memory_file import read_memory
    from engram.store.files.summary_file import read_summary

    kind = content_type(path)
    if kind is Box:
        box = read_box(path, data)
        return ContentFile(box.box, box.problems, parse(data))
    if kind is Entity:
        entity = read_entity(path, data)
        return ContentFile(entity.entity, entity.problems, parse(data))
    if kind is Summary:
        summary = read_summary(path, data)
        return ContentFile(summary.summary, summary.problems, parse(data))
    memory = read_memory(path, data)
    return ContentFile(memory.memory, memory.problems, memory.document, memory.left_out)
