"""Content file: a file of the content folders -> the memory or page in it, by its folder.

The one function through which the store reads what a person may have written. Never raises for
bytes: what cannot be used is named in `problems`. An id is unique among its kind.

A change that is noticed, planned, recorded and indexed reads the same bytes several times, and so
the last files that were read are kept, by path and bytes: at most `_MOST_FILES` of them, together
at most `_MOST_BYTES` long, and none that is longer than `_LONGEST`.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.summary import Summary
from engram.store.base.layout import Content, content_type

if TYPE_CHECKING:
    from engram.store.files.document import NoteDocument

#: how the problem of a file begins that is no memory; its kind follows
NO_MEMORY = "no memory: "


#: more than one batch of files that are taken up together (2,000)
_MOST_FILES = 3000
_MOST_BYTES = 4_000_000
_LONGEST = 16_384


@dataclass(frozen=True)
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

    @cached_property
    def meaning(self) -> str:
        """The digest of what it says, apart from how (`meaning`)."""
        from engram.store.files.meaning import digest_of

        said = self.document
        return digest_of(self.content, said.header, self.problems, said.body)


class _LastRead:
    """Files that were read, the oldest of which gives way to a new one."""

    def __init__(self) -> None:
        self._files: OrderedDict[tuple[str, bytes], ContentFile] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, path: str, data: bytes) -> ContentFile | None:
        return self._files.get((path, data))

    def keep(self, path: str, data: bytes, read: ContentFile) -> None:
        with self._lock:
            if (path, data) in self._files:
                return
            self._files[path, data] = read
            self._size += len(data)
            while len(self._files) > _MOST_FILES or self._size > _MOST_BYTES:
                (_, oldest), _ = self._files.popitem(last=False)
                self._size -= len(oldest)


_last_read = _LastRead()


def read_content(path: str, data: bytes) -> ContentFile:
    """Any bytes as the type of their path's folder; a memory in any other folder."""
    if len(data) > _LONGEST:
        return _read(path, data)
    found = _last_read.get(path, data)
    if found is None:
        found = _read(path, data)
        _last_read.keep(path, data, found)
    return found


def _read(path: str, data: bytes) -> ContentFile:
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


def meaning_of(path: str, data: bytes) -> str:
    """The digest of what a file's bytes say; equal ones mean the same."""
    return read_content(path, data).meaning


def same_meaning(path: str, one: bytes | None, other: bytes | None) -> bool:
    """Whether two versions of a file mean the same; a missing file means nothing."""
    if one == other:
        return True
    return None not in (one, other) and meaning_of(path, one or b"") == meaning_of(
        path, other or b""
    )
