"""Writer of an index: new documents, and the segments that are merged with them, -> one segment.

Postings are collected by term in typed arrays, four bytes each; nothing is sorted but the terms.
A segment is written in one pass as the one file that it stays: postings, dictionary of terms,
columns. Segments that are merged are read term by term; of them only the columns are held whole.

Table of contents and deletions are Whoosh's own; `merge_rule` says which segments are merged.
"""

from __future__ import annotations

import heapq
import io
import struct
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from functools import partial
from itertools import chain, groupby, starmap
from operator import itemgetter
from typing import Any
from zlib import crc32

from engram.index.merge_rule import Size, to_merge
from engram.index.whoosh_codec import (
    BODY,
    CRC,
    FIELDS,
    KEY,
    SCALE,
    TERM,
    BagCodec,
    BagReader,
    column_of_keys,
    encoded,
)
from engram.index.whoosh_library import (
    CompoundStorage,
    GrowableArray,
    HashWriter,
    OrderedHashWriter,
    SegmentWriter,
    StructFile,
)

#: a document and its weight share a number, of which the weight is the lowest byte
_MOST_WEIGHT, _WEIGHT_BITS = 0xFF, 8

#: key of the dictionary, documents, weights
_Row = tuple[bytes, "array[int]", bytes]


class Bags:
    """Postings by term, collected by a writer and read back in order."""

    def __init__(self) -> None:
        self._terms: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))

    def add(self, document: int, bag: Mapping[str, int]) -> None:
        """Add the postings of a document: the weight of each term in tenths."""
        terms, number = self._terms, document << _WEIGHT_BITS
        for term, weight in bag.items():
            terms[term].append(number + (weight if weight < _MOST_WEIGHT else _MOST_WEIGHT))

    def rows(self) -> Iterator[_Row]:
        """Documents and weights of each term, in the order of the dictionary."""
        for term in sorted(self._terms):
            found = self._terms[term]
            documents = array("I", [one >> _WEIGHT_BITS for one in found])
            weights = bytes([one & _MOST_WEIGHT for one in found])
            yield BODY + term.encode("utf-8"), documents, weights

    def cleanup(self) -> None:
        """Drop all postings."""
        self._terms.clear()


class BagWriter(SegmentWriter):  # type: ignore[misc]
    """One batch of changes to an index; takes documents as bags."""

    def __init__(self, index: Any) -> None:
        # who writes holds the vault's lock, in a folder that nobody else knows
        SegmentWriter.__init__(self, index, codec=BagCodec(), _lk=False)
        self.pool = Bags()
        #: postings that are held, keys included
        self.held = 0
        self._keys: list[bytes] = []
        self._columns: defaultdict[str, list[bytes]] = defaultdict(list)
        self._merged: list[Any] = []

    def add_bag(self, key: bytes, bag: Mapping[str, int], cells: Mapping[str, bytes]) -> None:
        """Add a document: its key, the weight of each term in tenths, its cell in each column."""
        self.pool.add(self.docnum, bag)
        self._keys.append(key)
        for name, cell in cells.items():
            self._columns[name].append(cell)
        self.held += len(bag) + 1
        self._added = True
        self.docnum += 1

    def _merge_segments(self, mergetype: Any, optimize: Any, merge: Any) -> list[Any]:
        """Whoosh's hook: the segments that stay as they are."""
        if merge is False:
            return list(self.segments)
        sizes = [Size(one.doc_count_all(), one.deleted_count()) for one in self.segments]
        chosen = range(len(sizes)) if optimize else to_merge(self.docnum, sizes)
        self._merged = [self.segments[number] for number in chosen if sizes[number].live]
        self._added = self._added or bool(self._merged)
        return [one for number, one in enumerate(self.segments) if number not in chosen]

    def _finalize_segment(self) -> Any:
        """Whoosh's hook: write the segment."""
        new = [(KEY + key, number) for number, key in enumerate(self._keys)]
        sources: list[Iterator[_Row]] = [chain(self.pool.rows(), _rows_of_keys(sorted(new)))]
        with ExitStack() as opened:
            for segment in self._merged:
                reader = BagReader(self.storage, self.schema, segment)
                opened.enter_context(closing(reader))
                living = reader.living()
                sources.append(_moved(reader.rows(), living, self.docnum))
                self._keys += _of(reader.cells("key"), living)
                for name in self.schema.names():
                    if name not in FIELDS:
                        self._columns[name] += _of(reader.cells(name), living)
                self.docnum += len(living)
            self._write(_merged(sources) if self._merged else sources[0])
        self._close_segment()
        segment = self.get_segment()
        segment.compound = True
        return segment

    def _write(self, rows: Iterable[_Row]) -> None:
        segment, codec = self.newsegment, self.codec
        file = segment.create_file(self.storage, segment.COMPOUND_EXT)
        file.write_long(0)  # place and length of the directory, which Whoosh writes at the end
        file.write_int(0)
        directory: dict[str, dict[str, int]] = {}

        def ended(name: str, start: int) -> None:
            directory[name] = {"offset": start, "length": file.tell() - start}

        start, at, terms = file.tell(), 0, _Terms()
        for key, documents, weights in rows:
            block = encoded(documents, weights)
            file.write(block)
            weight, most = sum(weights) / SCALE, max(weights) / SCALE
            first, last = documents[0], documents[-1]
            place = (first, last, at, len(block))
            terms.add(key, TERM.pack(0, weight, len(documents), 1, 1, most, *place))
            at += len(block)
        ended(segment.make_filename(codec.POSTS_EXT), start)
        start = file.tell()
        terms.write_to(file)
        ended(segment.make_filename(codec.TERMS_EXT), start)
        columns = {name: b"".join(cells) for name, cells in self._columns.items()}
        for name, data in (columns | {"key": column_of_keys(self._keys)}).items():
            start = file.tell()
            file.write(data)
            ended(codec.column_filename(segment, name), start)
        CompoundStorage.write_dir(file, 0, directory)

    def _close_segment(self) -> None:
        """Whoosh's hook: drop what was collected."""
        self.pool.cleanup()
        self._keys.clear()
        self._columns.clear()
        self.held = 0


class _Terms(OrderedHashWriter):  # type: ignore[misc]
    """Whoosh's dictionary of terms, with its cheaper hash and fewer calls a term."""

    _LENGTHS, _SLOT = struct.Struct("!ii"), struct.Struct("!Iq")

    def __init__(self) -> None:
        self._made = _Kept()
        HashWriter.__init__(self, StructFile(self._made), hashtype=CRC)
        self.index, self._at = GrowableArray("H"), self._made.tell()
        self.extras["fieldmap"] = FIELDS

    def add(self, key: bytes, value: bytes) -> None:
        """Add a term; they come in order."""
        self.index.append(self._at)
        number = crc32(key)
        self.buckets[number & 0xFF].append((number, self._at))
        self._at += self._made.write(self._LENGTHS.pack(len(key), len(value)) + key + value)

    def _write_hashes(self) -> None:
        empty = (0, 0)
        for entries in self.buckets:
            slots = [empty] * (2 * len(entries))
            self.directory.append((self._made.tell(), len(slots)))
            for entry in entries:
                at = (entry[0] >> 8) % len(slots)
                while slots[at] != empty:
                    at = (at + 1) % len(slots)
                slots[at] = entry
            self._made.write(b"".join(starmap(self._SLOT.pack, slots)))

    def write_to(self, file: Any) -> None:
        """Complete it, and write it to a file."""
        self.close()
        file.write(self._made.getbuffer())


class _Kept(io.BytesIO):
    """Bytes that are still there once the file is closed."""

    def close(self) -> None:
        """Not yet."""


def _rows_of_keys(keys: Iterable[tuple[bytes, int]]) -> Iterator[_Row]:
    for key, same in groupby(keys, key=itemgetter(0)):
        documents = array("I", [number for _, number in same])
        yield key, documents, bytes([SCALE]) * len(documents)


def _of(cells: list[bytes], living: Iterable[int]) -> list[bytes]:
    return cells if isinstance(living, range) else [cells[number] for number in living]


def _moved(rows: Iterable[_Row], living: Iterable[int], first: int) -> Iterator[_Row]:
    """The postings of a segment without deleted documents, which are counted from `first` on."""
    if isinstance(living, range):
        for key, documents, weights in rows:
            yield key, array("I", [one + first for one in documents]), weights
        return
    numbers = {old: first + number for number, old in enumerate(living)}
    for key, documents, weights in rows:
        kept = [at for at, one in enumerate(documents) if one in numbers]
        if kept:
            moved = array("I", [numbers[documents[at]] for at in kept])
            yield key, moved, bytes([weights[at] for at in kept])


def _merged(sources: Iterable[Iterator[_Row]]) -> Iterator[_Row]:
    """The rows of all sources in order; of a term that several have, the postings of each."""
    rows = heapq.merge(*sources, key=itemgetter(0))
    last, documents, weights = next(rows)
    for key, others, more in rows:
        if key == last:
            documents, weights = documents + others, weights + more
        else:
            yield last, documents, weights
            last, documents, weights = key, others, more
    yield last, documents, weights
