"""One collection as Whoosh indexes in a folder: their schema and their reader.

Memories are one index and pages another, turns one for each quarter of a year, so that a past
quarter is never merged again. The schema is lean: a key, and a bag of weighted terms; per
document a length, a day, a place and a prior. The terms come ready-made from `bag`; none of
Whoosh's own analysis or query language is used, so no query text can be a syntax error.

Guarantees nothing about the files it opens: they hold pickles, and `generations` decides whether
they may be opened. Raises whatever Whoosh raises (EOFError, struct.error, UnpicklingError, ...).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engram.index.day_scores import documents_of_days
from engram.index.turn_order import TurnOrder, turn_order
from engram.index.whoosh_codec import (
    BagReader,
    CellColumn,
    KeyColumn,
    MappedStorage,
    numbers,
)
from engram.index.whoosh_library import (
    FileStorage,
    OverlayStorage,
    RamStorage,
    fields,
    index,
    versionstring,
)

if TYPE_CHECKING:
    from engram.index.scoring import Postings

#: Name and version, which tell the distributions of Whoosh apart: only Whoosh-Reloaded has a 2.7.5.
#: Indexes of another one are rebuilt.
MADE_BY = f"whoosh {versionstring()}"

SCHEMA = fields.Schema(
    key=fields.ID(unique=True, sortable=KeyColumn()),
    body=fields.TEXT(phrase=False),
    length=fields.COLUMN(CellColumn(2)),
    day=fields.COLUMN(CellColumn(2)),
    place=fields.COLUMN(CellColumn(8)),
    prior=fields.COLUMN(CellColumn(1)),
)
_TOC = re.compile(r"_([a-z0-9]+)_\d+\.toc")


def names_in(folder: Path) -> list[str]:
    """The indexes in a folder, oldest quarter first."""
    found = (_TOC.fullmatch(path.name) for path in folder.iterdir())
    return sorted({match[1] for match in found if match is not None})


def opened(folder: Path, name: str) -> Any:
    """One of the indexes in a folder."""
    return index.FileIndex(_Storage(str(folder)), SCHEMA, name)


def made_in(folder: Path, name: str) -> Any:
    """A new index in a folder."""
    return index.FileIndex.create(_Storage(str(folder)), SCHEMA, name)


def segments_of(folder: Path, name: str) -> list[Any]:
    """The segments of one of the indexes in a folder."""
    found: list[Any] = index.TOC.read(_Storage(str(folder)), name, schema=SCHEMA).segments
    return found


class _Storage(FileStorage):  # type: ignore[misc]
    """Whoosh's folder of files; a writer's temporary files, which there are none, have no disk."""

    def temp_storage(self, name: str | None = None) -> Any:
        """A place for temporary files."""
        return RamStorage()


class CollectionReader:
    """An open collection, fixed at the moment of opening: the `Corpus` of a search."""

    def __init__(self, folder: Path, names: Iterable[str] | None = None) -> None:
        """Open what is in `folder`, or some indexes of it."""
        self._leaves: list[tuple[BagReader, int]] = []
        first = 0
        for name in names_in(folder) if names is None else names:
            storage = _Storage(str(folder))
            for segment in segments_of(folder, name):
                self._leaves.append((BagReader(storage, SCHEMA, segment), first))
                first += segment.doc_count_all()
        self._held: dict[str, list[Postings]] = {}
        self._keys: dict[int, Any] = {}

    def __enter__(self) -> CollectionReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def lengths(self) -> array[int]:
        """The length of each document, 0 for a deleted one."""
        lengths = self._column("length", "H")
        for leaf, first in self._leaves:
            if leaf.has_deletions():
                for number in leaf.deleted_docs_set:
                    lengths[first + number] = 0
        return lengths

    @cached_property
    def days(self) -> array[int]:
        """The day of each document, in days since 1970."""
        return self._column("day", "H")

    @cached_property
    def priors(self) -> array[int]:
        """What each document is like (`prior`)."""
        return self._column("prior", "B")

    @cached_property
    def count(self) -> int:
        """Number of live documents."""
        return sum(leaf.doc_count() for leaf, _ in self._leaves)

    @cached_property
    def average(self) -> float:
        """Mean length of live documents."""
        return sum(self.lengths) / (self.count or 1)

    @cached_property
    def on_day(self) -> Mapping[int, Sequence[int]]:
        """The documents of each day."""
        return documents_of_days(self.days)

    @cached_property
    def order(self) -> TurnOrder:
        """The order of turns."""
        return turn_order(self._column("place", "Q"), self.lengths)

    def postings(self, term: str) -> list[Postings]:
        """The postings of a term; a few are cached until this is closed."""
        held = self._held.get(term)
        if held is None:
            if len(self._held) >= _HELD_TERMS:
                self._held.clear()
            encoded = term.encode("utf-8")
            held = [
                (first, *found)
                for leaf, first in self._leaves
                if (found := _living(leaf, "body", encoded)) is not None
            ]
            self._held[term] = held
        return held

    def expand(self, prefix: str, most: int) -> list[str]:
        """The first terms that begin with a prefix."""
        found: set[str] = set()
        for leaf, _ in self._leaves:
            terms: Iterator[bytes] = leaf.expand_prefix("body", prefix.encode("utf-8"))
            if leaf.has_deletions():
                terms = (term for term in terms if _living(leaf, "body", term) is not None)
            found.update(term.decode("utf-8") for term in islice(terms, most))
        return sorted(found)[:most]

    def key(self, document: int) -> str:
        """The key of a document."""
        for leaf, first in reversed(self._leaves):
            if document >= first:
                if first not in self._keys:
                    column = SCHEMA["key"].column_type
                    self._keys[first] = leaf.column_reader("key", column, translate=False)
                data: bytes = self._keys[first][document - first]
                return data.decode("utf-8", "surrogatepass")
        raise IndexError(document)

    def documents_of(self, key: bytes) -> list[int]:
        """The live documents of a key, in order."""
        return [
            first + document
            for leaf, first in self._leaves
            if (found := _living(leaf, "key", key)) is not None
            for document in found[0]
        ]

    def forget_pages(self) -> None:
        """Give back the memory of the files; they are read again where they are needed."""
        for leaf, _ in self._leaves:
            storage = leaf.storage()
            if isinstance(storage, OverlayStorage) and isinstance(storage.a, MappedStorage):
                storage.a.forget_pages()

    def close(self) -> None:
        """Close the files."""
        for leaf, _ in self._leaves:
            leaf.close()

    def _column(self, name: str, typecode: str) -> array[int]:
        found = array(typecode)
        for leaf, _ in self._leaves:
            cells = leaf.column_reader(name, SCHEMA[name].column_type, translate=False)
            found.extend(numbers(typecode, cells.whole))
        return found


#: terms whose postings are cached during one search
_HELD_TERMS = 256


def _living(leaf: BagReader, field: str, term: bytes) -> tuple[Sequence[int], Sequence[int]] | None:
    """Live documents and weights of a term in one segment; None when there are none."""
    found = leaf.found(field, term)
    if found is None:
        return None
    documents, tenths = found
    gone = leaf.deleted_docs_set.intersection(documents) if leaf.has_deletions() else ()
    if not gone:
        return documents, tenths
    kept = [at for at, document in enumerate(documents) if document not in gone]
    return ([documents[at] for at in kept], [tenths[at] for at in kept]) if kept else None
