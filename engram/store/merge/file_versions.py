"""Merge of two versions of one file, neither the older -> one file without loss, or None.

For the conflict copies of sync tools, and the two sides between git's markers, without the common
ancestor. Values are united by `model.reconcile`, keys that only one header has are kept, and the
file is patched, never rendered again. Pure; whichever version comes first the result means the
same, and merging a version twice changes nothing.

None, which is a question for the person: other ids, a header that was not understood, two values of
a key of the person's own, other words in a memory, and a line of a page that only the person has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engram.model import reconcile
from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.errors import BadInput
from engram.model.memory import Memory
from engram.model.summary import Summary
from engram.store.base import layout
from engram.store.files.box_file import box_changes, render_box
from engram.store.files.content_file import ContentFile, read_content
from engram.store.files.document import NoteDocument, parse, patch
from engram.store.files.entity_file import entity_changes, render_entity
from engram.store.files.foreign_header import Value
from engram.store.files.meaning import said_in
from engram.store.files.memory_file import KEYS, memory_changes
from engram.store.files.phases_file import united_pages
from engram.store.files.summary_file import render_summary, summary_changes
from engram.store.merge.transcript_versions import merged_transcript

#: beginnings of git's marker lines; `diff3` shows the ancestor in between
_OPEN, _OLDER, _BETWEEN, _CLOSE = (sign * 7 for sign in (b"<", b"|", b"=", b">"))
#: marker -> the markers that may precede it
_AFTER = {
    _OPEN: (b"", _CLOSE), _OLDER: (_OPEN,), _BETWEEN: (_OPEN, _OLDER), _CLOSE: (_BETWEEN,),
}  # fmt: skip


def sides(data: bytes) -> tuple[bytes, bytes] | None:
    """Both versions in a file with git's markers; None when there are none, or broken ones."""
    if _OPEN not in data:
        return None
    versions: tuple[list[bytes], list[bytes]] = ([], [])
    last = b""
    for line in data.splitlines(keepends=True):
        mark = line[:7]
        if mark in _AFTER and line[7:8] in (b" ", b"\r", b"\n", b""):
            if last not in _AFTER[mark]:
                return None
            last = mark
        elif last != _OLDER:
            for version, apart in zip(versions, (_BETWEEN, _OPEN), strict=True):
                if last != apart:
                    version.append(line)
    return (b"".join(versions[0]), b"".join(versions[1])) if last == _CLOSE else None


def merged_file(path: str, one: bytes, other: bytes) -> bytes | None:
    """One file merged from two versions of the file at `path`; `one` itself when it holds all."""
    if layout.kind_of(path) == "transcript":
        return merged_transcript(one, other)
    if path == layout.PHASES:
        return united_pages(one, other)
    if layout.content_type(path) is None:
        return _longer(one, other)
    versions = read_content(path, one), read_content(path, other)
    meanings = [read.meaning for read in versions]
    if meanings[0] == meanings[1]:
        return one
    if any(read.problems or read.document.header_lines is None for read in versions):
        return None
    # the same base whichever comes first
    (base, read), (_, beside) = sorted(
        zip((one, other), versions, strict=True), key=lambda pair: (-len(pair[0]), pair[0])
    )
    try:
        found = _merged(base, read, beside)
    except BadInput:
        return None
    if found is None:
        return None
    meaning = read_content(path, found).meaning
    return next(
        (data for data, said in zip((one, other), meanings, strict=True) if said == meaning), found
    )


def _merged(base: bytes, read: ContentFile, beside: ContentFile) -> bytes | None:
    """The first version with the additions of the second. Raises BadInput for an odd header."""
    mine, theirs = read.content, beside.content
    if isinstance(mine, Memory) and isinstance(theirs, Memory):
        if said_in(read.document.body) != said_in(beside.document.body):
            return None
        memory = reconcile.memories(mine, theirs)
        if memory is None:
            return None
        keys, data = KEYS, memory_changes(base, mine, memory)
    elif isinstance(mine, Box) and isinstance(theirs, Box):
        box = reconcile.boxes(mine, theirs)
        if box is None:
            return None
        own = [parse(render_box(one)) for one in (mine, theirs, box)]
        keys, data = _known(own), box_changes(base, mine, box)
        if _lost(beside.document, own[1], data):
            return None
    elif isinstance(mine, Entity) and isinstance(theirs, Entity):
        page = reconcile.entities(mine, theirs)
        if page is None:
            return None
        own = [parse(render_entity(one)) for one in (mine, theirs, page)]
        keys, data = _known(own), entity_changes(base, mine, page)
        if _lost(beside.document, own[1], data):
            return None
    elif isinstance(mine, Summary) and isinstance(theirs, Summary):
        told = reconcile.summaries(mine, theirs)
        if told is None:
            return None
        own = [parse(render_summary(one)) for one in (mine, theirs, told)]
        # the lines were chosen between: nothing of a person's is lost by that
        keys, data = _known(own), summary_changes(base, replace(mine, edited=False), told)
        if _lost(beside.document, own[1], data):
            return None
    else:
        return None
    added = _added(read.document.header, beside.document.header, keys)
    return None if added is None else patch(data, added)


def _known(rendered: list[NoteDocument]) -> frozenset[str]:
    """The keys that the program writes into these pages."""
    return frozenset(key for document in rendered for key in document.header)


def _lost(beside: NoteDocument, own: NoteDocument, result: bytes) -> bool:
    """Whether a line of the person's is missing in the result."""
    kept = {line.strip() for line in parse(result).body.splitlines()}
    ours = {line.strip() for line in own.body.splitlines()}
    return any(line.strip() not in kept | ours for line in beside.body.splitlines())


def _added(
    mine: Mapping[str, Value], theirs: Mapping[str, Value], keys: frozenset[str]
) -> dict[str, Value] | None:
    """The person's keys as both have them; None when they say different things."""
    added: dict[str, Value] = {}
    for key, value in theirs.items():
        own = mine.get(key)
        if key in keys or own == value:
            continue
        if key not in mine:
            added[key] = value
        elif isinstance(own, list) and isinstance(value, list):
            added[key] = list(reconcile.united(tuple(own), tuple(value)))
        else:
            return None
    return added


def _longer(one: bytes, other: bytes) -> bytes | None:
    """The one of two plain pages that has every line of the other."""
    lines = [set(said_in(data.decode("utf-8", "replace")).split("\n")) for data in (one, other)]
    if lines[1] <= lines[0]:
        return one
    return other if lines[0] < lines[1] else None
