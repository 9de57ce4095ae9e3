"""One collection as Whoosh indexes in a folder: its writer and its reader.

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

from engram.index.day_scores import documents_of_days, number_of
from engram.index.finding import place_of
from engram.index.turn_order import TurnOrder, turn_order
from engram.index.whoosh_codec import (
    BagMatcher,
    BagWriter,
    ColumnBytes,
    MappedStorage,
    WholeColumn,
    numbers,
)
from engram.index.whoosh_library import (
    OverlayStorage,
    TermNotFound,
    columns,
    fields,
    index,
    versionstring,
)
from engram.model.hit import Document

if TYPE_CHECKING:
    from engram.index.scoring import Postings

#: Name and version, which tell the distributions of Whoosh apart: only Whoosh-Reloaded has a 2.7.5.
#: Indexes of another one are rebuilt.
MADE_BY = f"whoosh {versionstring()}"

_FIELDS = fields.Schema(
    key=fields.ID(unique=True, sortable=columns.VarBytesColumn()),
    body=fields.TEXT(phrase=False),
    length=fields.COLUMN(ColumnBytes(2)),
    day=fields.COLUMN(ColumnBytes(2)),
    place=fields.COLUMN(ColumnBytes(8)),
    prior=fields.COLUMN(ColumnBytes(1)),
)
_TOC = re.compile(r"_([a-z0-9]+)_\d+\.toc")


def _name(document: Document) -> str:
    """The index that a document belongs to: of its collection, or of its quarter."""
    if document.collection != "turns":
        return document.collection
    if not number_of(document.day):
        return "undated"
    return f"y{document.day[:4]}q{(int(document.day[5:7]) + 2) // 3}"


def _names(folder: Path) -> list[str]:
    """The indexes in a folder, oldest quarter first."""
    found = (_TOC.fullmatch(path.name) for path in folder.iterdir())
    return sorted({match[1] for match in found if match is not None})


class CollectionWriter:
    """One batch of changes to a collection; visible in the folder after `commit`."""

    def __init__(self, folder: Path, *, new: bool) -> None:
        """Change the collection in `folder`, or make one in it."""
        self._folder = folder
        self._new = new
        self._writers: dict[str, BagWriter] = {}
        self._known = set() if new else set(_names(folder))
        #: the index of each key's last document, and the keys that came more than once
        self._homes: dict[str, str] = {}
        self._repeated: dict[str, None] = {}

    def add(self, document: Document) -> None:
        """Add a document; one of that key that was committed before must have been removed."""
        # imported here: a search adds nothing
        from engram.index.bag import bag_of

        bag = bag_of(document)
        cells = {
            "length": bag.length.to_bytes(2, "little"),
            "day": number_of(document.day).to_bytes(2, "little"),
            "place": place_of(document).to_bytes(8, "little"),
            "prior": bag.prior.to_bytes(1, "little"),
        }
        name = _name(document)
        if self._new:
            if document.key in self._homes:
                self._repeated[document.key] = None
            self._homes[document.key] = name
        self._writer(name).add_bag(_encoded(document.key), bag.terms, cells)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove the committed documents of some keys, where there are any."""
        unwanted = list(keys)
        for name in sorted(self._known):
            reader = _opened(self._folder, name).reader()
            try:
                held = [number for key in unwanted for number in _documents_of(reader, key)]
            finally:
                reader.close()
            for number in held:
                self._writer(name).delete_document(number)

    def commit(self) -> int:
        """Make the changes visible; returns how many documents the collection has.

        Of several documents of one key the last stays in a new collection; in an old one the
        caller gives each key once.
        """
        for writer in self._writers.values():
            writer.commit()
        if self._repeated:
            for name in self._writers:
                self._drop_repeats(name)
        for name in self._writers:
            (self._folder / f"{name}_WRITELOCK").unlink(missing_ok=True)
        return sum(_opened(self._folder, name).doc_count() for name in _names(self._folder))

    def cancel(self) -> None:
        """Discard the changes."""
        for writer in self._writers.values():
            if not writer.is_closed:
                writer.cancel()

    def _writer(self, name: str) -> BagWriter:
        if name not in self._writers:
            if name in self._known:
                opened = _opened(self._folder, name)
            else:
                opened = index.create_in(str(self._folder), schema=_FIELDS, indexname=name)
                self._known.add(name)
            self._writers[name] = BagWriter(opened)
        return self._writers[name]

    def _drop_repeats(self, name: str) -> None:
        """Of documents added under one key keep the last: in an index they stand in order."""
        opened = _opened(self._folder, name)
        reader = opened.reader()
        try:
            unwanted: list[int] = []
            for key in self._repeated:
                held = _documents_of(reader, key)
                unwanted += held[:-1] if self._homes[key] == name else held
        finally:
            reader.close()
        if unwanted:
            writer = BagWriter(opened)
            for number in unwanted:
                writer.delete_document(number)
            writer.commit(merge=False)


def _opened(folder: Path, name: str) -> Any:
    return index.open_dir(str(folder), indexname=name, schema=_FIELDS)


def _encoded(key: str) -> bytes:
    """A key as bytes, also with file names that are no valid text."""
    return key.encode("utf-8", "surrogatepass")


def _documents_of(reader: Any, key: str) -> list[int]:
    """The numbers of the documents of a key, deleted ones left out."""
    try:
        held = reader.postings("key", _encoded(key)).all_ids()
    except TermNotFound:
        return []
    return [number for number in held if not reader.is_deleted(number)]


class CollectionReader:
    """An open collection, fixed at the moment of opening: the `Corpus` of a search."""

    def __init__(self, folder: Path) -> None:
        """Open what is in `folder`."""
        self._readers: list[Any] = []
        self._leaves: list[tuple[Any, int]] = []
        first = 0
        for name in _names(folder):
            reader = index.open_dir(
                str(folder), indexname=name, readonly=True, schema=_FIELDS
            ).reader()
            self._readers.append(reader)
            for leaf, _ in reader.leaf_readers():
                self._leaves.append((leaf, first))
                first += leaf.doc_count_all()
        self._held: dict[str, list[Postings]] = {}
        self._keys: dict[int, Any] = {}

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
                if (found := _living(leaf, encoded)) is not None
            ]
            self._held[term] = held
        return held

    def expand(self, prefix: str, most: int) -> list[str]:
        """The first terms that begin with a prefix."""
        found: set[str] = set()
        for leaf, _ in self._leaves:
            terms: Iterator[bytes] = leaf.expand_prefix("body", prefix.encode("utf-8"))
            if leaf.has_deletions():
                terms = (term for term in terms if _living(leaf, term) is not None)
            found.update(term.decode("utf-8") for term in islice(terms, most))
        return sorted(found)[:most]

    def key(self, document: int) -> str:
        """The key of a document."""
        for leaf, first in reversed(self._leaves):
            if document >= first:
                if first not in self._keys:
                    column = _FIELDS["key"].column_type
                    self._keys[first] = leaf.column_reader("key", column, translate=False)
                data: bytes = self._keys[first][document - first]
                return data.decode("utf-8", "surrogatepass")
        raise IndexError(document)

    def forget_pages(self) -> None:
        """Give back the memory of the files; they are read again where they are needed."""
        for leaf, _ in self._leaves:
            storage = leaf.storage()
            if isinstance(storage, OverlayStorage) and isinstance(storage.a, MappedStorage):
                storage.a.forget_pages()

    def close(self) -> None:
        """Close the files."""
        for reader in self._readers:
            reader.close()

    def _column(self, name: str, typecode: str) -> array[int]:
        found = array(typecode)
        for leaf, _ in self._leaves:
            cells = leaf.column_reader(name, _FIELDS[name].column_type, translate=False)
            if isinstance(cells, WholeColumn):
                found.extend(numbers(typecode, cells.whole()))
            else:  # no document of the segment has one
                found.extend([0] * leaf.doc_count_all())
        return found


#: terms whose postings are cached during one search
_HELD_TERMS = 256


def _matcher(leaf: Any, term: bytes) -> BagMatcher | None:
    """The postings of a term in one segment, deleted documents included."""
    if ("body", term) not in leaf:
        return None
    matcher = leaf.postings("body", term)
    while not isinstance(matcher, BagMatcher):
        matcher = matcher.child
    return matcher


def _living(leaf: Any, term: bytes) -> tuple[Sequence[int], Sequence[int]] | None:
    """Live documents and weights of a term in one segment; None when there are none."""
    matcher = _matcher(leaf, term)
    if matcher is None:
        return None
    documents, tenths = matcher.documents, matcher.tenths
    gone = leaf.deleted_docs_set.intersection(documents) if leaf.has_deletions() else ()
    if not gone:
        return documents, tenths
    kept = [at for at, document in enumerate(documents) if document not in gone]
    return ([documents[at] for at in kept], [tenths[at] for at in kept]) if kept else None
