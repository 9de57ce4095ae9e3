"""Whoosh codec for bags of weighted terms: smaller and faster than the standard one.

Whoosh's W3 codec writes each posting through several Python calls, with a document length looked up
from disk, and pickles and compresses every block. A bag needs none of that: of a term it keeps the
documents that hold it and what it weighs in each. So:

- `Bags` collects postings by term in typed arrays (the pool of a writer), five bytes a posting;
  nothing is sorted but the terms, and nothing spills to disk.
- A term is one block: the gaps between document numbers in the smallest type that holds them, then
  a byte of weight each (tenths, at most 25.5). No pickles, no compression.
- `ColumnBytes` are fixed bytes per document that can be read as a whole.
- `MappedSegment` reads from the mapped file: Whoosh copies every part of it into memory besides.

Segments, deletions, merging, table of contents and term dictionary are Whoosh's own.
"""

from __future__ import annotations

import io
import mmap
import os
import sys
from array import array
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

from engram.index.whoosh_library import (
    BufferFile,
    CompoundStorage,
    ListMatcher,
    SegmentWriter,
    W3Codec,
    W3FieldWriter,
    W3Segment,
    W3TermInfo,
    columns,
    pack_ushort,
)  # fmt: skip

#: weights are kept in tenths
SCALE = 10
_MOST_WEIGHT = 255
_GAPS = (("B", 1 << 8), ("H", 1 << 16), ("I", 1 << 32))
#: bytes of a block before its postings: the type of its gaps, the number of documents
_HEAD = 5
_SWAPPED = sys.byteorder == "big"

#: documents and weights of one term, in order of the documents
Postings = tuple["array[int]", bytes]


class Bags:
    """Postings by field and term, collected by a writer and read back in order."""

    def __init__(self) -> None:
        self._fields: dict[str, dict[bytes, tuple[array[int], bytearray]]] = {}

    def put(self, field: str, term: bytes, document: int, weight: int) -> None:
        """Add one posting; documents of a term come in order."""
        terms = self._fields.setdefault(field, {})
        held = terms.get(term)
        if held is None:
            terms[term] = held = (array("I"), bytearray())
        held[0].append(document)
        held[1].append(weight if weight < _MOST_WEIGHT else _MOST_WEIGHT)

    def add(self, item: tuple[str, bytes, int, float, bytes | None]) -> None:
        """Add one posting of a segment that is merged, in Whoosh's form."""
        field, term, document, weight, _ = item
        self.put(field, term, document, round(weight * SCALE))

    def iter_postings(self) -> Iterator[tuple[str, bytes, array[int], bytes]]:
        """Field, term, documents and weights, in the order of fields and terms."""
        for field in sorted(self._fields):
            terms = self._fields[field]
            for term in sorted(terms):
                documents, weights = terms[term]
                yield field, term, documents, bytes(weights)

    def cleanup(self) -> None:
        """Drop all postings."""
        self._fields.clear()


class BagCodec(W3Codec):  # type: ignore[misc]
    """W3 with the postings format of this module."""

    #: no lengths in Whoosh's format: it would look them up for every posting
    length_stats = False

    def new_segment(self, storage: Any, indexname: str) -> MappedSegment:
        """A segment to be written."""
        return MappedSegment(self, indexname)

    def field_writer(self, storage: Any, segment: Any) -> _BagFieldWriter:
        """The writer of terms and postings of a segment."""
        return _BagFieldWriter(self, storage, segment)

    def postings_reader(
        self, dbfile: Any, terminfo: Any, format_: Any, term: Any = None, scorer: Any = None
    ) -> BagMatcher:
        """The postings of a term, for Whoosh's merging and for `whoosh_index`."""
        start, _ = terminfo.extent()
        return BagMatcher(*_decoded(dbfile, start), format_, term)


class MappedSegment(W3Segment):  # type: ignore[misc]
    """A segment whose files are read where they are mapped."""

    def open_compound_file(self, storage: Any) -> MappedStorage:
        """The files of the segment, which are one on disk."""
        file = storage.open_file(self.make_filename(self.COMPOUND_EXT))
        return MappedStorage(file, use_mmap=storage.supports_mmap)


class MappedStorage(CompoundStorage):  # type: ignore[misc]
    """The files of a mapped segment."""

    def open_file(self, name: str, *arguments: Any, **options: Any) -> Any:
        """One of the files; read through the disk where it could not be mapped."""
        if self._source is None:
            return CompoundStorage.open_file(self, name, *arguments, **options)
        offset, length = self.range(name)
        return _MappedFile(memoryview(self._source)[offset : offset + length], name)

    def forget_pages(self) -> None:
        """Give back the memory of what was read; the next search maps it again."""
        if self._source is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._source.madvise(mmap.MADV_DONTNEED)


class _MappedFile(BufferFile):  # type: ignore[misc]
    """What BufferFile is, without its copy of the bytes."""

    def __init__(self, data: memoryview, name: str) -> None:
        BufferFile.__init__(self, b"", name)
        self._buf = data
        self.file = _View(data)


class _View(io.RawIOBase):
    """Bytes in memory as a stream."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: len(self._data)}[whence]
        self._at = base + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        data = bytes(self._data[self._at : self._at + size if size >= 0 else None])
        self._at += len(data)
        return data


class BagMatcher(ListMatcher):  # type: ignore[misc]
    """The postings of one term of one segment, deleted documents included."""

    def __init__(self, documents: array[int], weights: bytes, format_: Any, term: Any) -> None:
        self.documents = documents
        self.tenths = weights
        ListMatcher.__init__(self, documents, None, None, format_, term=term)

    def weight(self) -> float:
        """The weight in the current document."""
        return self.tenths[self._i] / SCALE

    def value(self) -> None:
        """No value is stored."""


class BagWriter(SegmentWriter):  # type: ignore[misc]
    """A writer that takes documents as bags."""

    def __init__(self, index: Any) -> None:
        SegmentWriter.__init__(self, index, codec=BagCodec(), limitmb=1)
        self.pool = Bags()

    def add_bag(self, key: bytes, bag: dict[str, int], cells: dict[str, bytes]) -> None:
        """Add a document: its key, the weight of each term in tenths, its cells by column."""
        document, put = self.docnum, self.pool.put
        rows, schema = self.perdocwriter, self.schema
        rows.start_doc(document)
        put("key", key, document, SCALE)
        for term, weight in bag.items():
            put("body", term.encode("utf-8"), document, weight)
        rows.add_column_value("key", schema["key"].column_type, key)
        for name, cell in cells.items():
            rows.add_column_value(name, schema[name].column_type, cell)
        rows.finish_doc()
        self._added = True
        self.docnum += 1


class _BagFieldWriter(W3FieldWriter):  # type: ignore[misc]
    def add_postings(
        self, schema: Any, lengths: Any, items: Iterator[tuple[str, bytes, array[int], bytes]]
    ) -> None:
        """Write whole terms."""
        field = None
        for name, term, documents, weights in items:
            if name != field:
                if field is not None:
                    self.finish_field()
                self.start_field(name, schema[name])
                field = name
            self._write(term, documents, weights)
        if field is not None:
            self.finish_field()

    def _write(self, term: bytes, documents: array[int], weights: bytes) -> None:
        block = _encoded(documents, weights)
        info = W3TermInfo(
            weight=sum(weights) / SCALE, df=len(documents), minlength=1, maxlength=1,
            maxweight=max(weights) / SCALE, minid=documents[0], maxid=documents[-1],
        )  # fmt: skip
        info.set_extent(self._postfile.tell(), len(block))
        self._postfile.write(block)
        self._tindex.add(pack_ushort(self._fieldid) + term, info.to_bytes())


class ColumnBytes(columns.FixedBytesColumn):  # type: ignore[misc]
    """A cell of fixed width per document, readable as a whole."""

    def reader(self, dbfile: Any, basepos: int, length: int, doccount: int) -> WholeColumn:
        """The cells of a segment."""
        return WholeColumn(dbfile, basepos, length, doccount, self._fixedlen, self._default)


class WholeColumn(columns.FixedBytesColumn.Reader):  # type: ignore[misc]
    """The cells of one segment."""

    def whole(self) -> bytes:
        """All cells one after the other; documents without one have zeroes."""
        data: bytes = self._dbfile.get(self._basepos, self._count * self._fixedlen)
        return data + bytes((self._doccount - self._count) * self._fixedlen)


def numbers(typecode: str, data: bytes) -> array[int]:
    """Little-endian numbers as an array."""
    found = array(typecode, data)
    if _SWAPPED:
        found.byteswap()
    return found


def _encoded(documents: array[int], weights: bytes) -> bytes:
    """A term's block: the type of its gaps, the number of documents, the gaps, the weights."""
    gaps = [documents[0], *(after - before for before, after in pairwise(documents))]
    typecode = next(code for code, limit in _GAPS if max(gaps) < limit)
    packed = array(typecode, gaps)
    if _SWAPPED:
        packed.byteswap()
    head = typecode.encode("ascii") + len(documents).to_bytes(4, "little")
    return head + packed.tobytes() + weights


def _decoded(dbfile: Any, start: int) -> Postings:
    """The documents and weights of the block at an offset; raises ValueError for a damaged one."""
    head: bytes = dbfile.get(start, _HEAD)
    typecode, count = chr(head[0]), int.from_bytes(head[1:], "little")
    if typecode not in "BHI" or not count:
        raise ValueError("a block of postings is damaged")
    size = count * array(typecode).itemsize
    block: bytes = dbfile.get(start + _HEAD, size + count)
    if len(block) != size + count:
        raise ValueError("a block of postings is cut short")
    return array("I", accumulate(numbers(typecode, block[:size]))), block[size:]
