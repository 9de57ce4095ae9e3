"""Whoosh codec for bags of weighted terms: smaller and faster than the standard one.

Whoosh's W3 codec pickles and compresses every block of postings and looks up a document's length
for each. A bag needs none of that: of a term it keeps the documents that hold it and what it weighs
in each. So:

- A term is one block: the gaps between document numbers in the smallest type that holds them, then
  a byte of weight each (tenths, at most 25.5). No pickles, no compression.
- `CellColumn` and `KeyColumn` are read cell by cell, or as a whole; nothing is read to open them.
- `MappedSegment` reads from the mapped file: Whoosh copies every part of it into memory besides.

This module reads; `segment_writer` writes. Segments, deletions, table of contents and the
dictionary of terms are Whoosh's own.
"""

from __future__ import annotations

import io
import mmap
import os
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from operator import sub
from struct import Struct
from typing import Any
from zlib import crc32

from engram.index.whoosh_library import (
    BufferFile,
    CompoundStorage,
    OrderedHashReader,
    SegmentReader,
    W3Codec,
    W3Segment,
    W3TermsReader,
    columns,
    pack_ushort,
)  # fmt: skip

#: weights are kept in tenths
SCALE = 10
#: the numbers of the fields, with which a key of the dictionary of terms begins
FIELDS = {"body": 0, "key": 1}
BODY, KEY = (pack_ushort(number) for number in FIELDS.values())
#: what Whoosh keeps of a term (`W3TermInfo`): inlined, weight, documents, least and most length,
#: most weight, first and last document, and where its block is
TERM = Struct("!BfIBBfIIqi")
#: Whoosh's number for CRC-32, the cheapest of its hashes
CRC = 1
#: place of a hash table, number of its slots
_TABLE = Struct("!qi")
#: bytes of a block before its postings: the type of its gaps, the number of documents
_HEAD = 5
_SWAPPED = sys.byteorder == "big"

#: documents and weights of one term, in order of the documents
Postings = tuple["array[int]", bytes]


class BagCodec(W3Codec):  # type: ignore[misc]
    """W3 with the postings format of this module."""

    def new_segment(self, storage: Any, indexname: str) -> MappedSegment:
        """A segment to be written."""
        return MappedSegment(self, indexname)

    def per_document_writer(self, storage: Any, segment: Any) -> None:
        """None: `segment_writer` writes all of a segment."""

    def field_writer(self, storage: Any, segment: Any) -> None:
        """None, as well."""

    def terms_reader(self, storage: Any, segment: Any) -> BagTerms:
        """The terms of a segment."""
        name = segment.make_filename(self.TERMS_EXT)
        postings = segment.open_file(storage, self.POSTS_EXT)
        return BagTerms(storage.open_file(name), storage.file_length(name), postings)


class _Dictionary(OrderedHashReader):  # type: ignore[misc]
    """Whoosh's dictionary of terms; the directory of its hash tables is read at once."""

    def __init__(self, dbfile: Any, length: int) -> None:
        self.dbfile, self.is_closed = dbfile, False
        # a mark, the number of the hash, two numbers that mean nothing yet
        if dbfile.get(0, 5) != b"HSH3" + bytes([CRC]):
            raise ValueError("the dictionary of terms is damaged")
        self.hashfn, self.startofdata = crc32, 13
        extras = length - 4 - dbfile.get_int(length - 4)
        dbfile.seek(extras)
        self._read_extras()
        size = 256 * _TABLE.size
        self.tables = list(_TABLE.iter_unpack(dbfile.get(extras - size, size)))
        self.endofdata = self.tables[0][0]


class BagTerms(W3TermsReader):  # type: ignore[misc]
    """The terms of a segment."""

    def __init__(self, dbfile: Any, length: int, postings: Any) -> None:
        self._dbfile, self._postfile = dbfile, postings
        self._tindex = _Dictionary(dbfile, length)
        self._fieldmap, self._fieldunmap = FIELDS, list(FIELDS)

    def found(self, key: bytes) -> Postings | None:
        """Documents and weights of a term, deleted documents included; None without any."""
        info = self._tindex.get(key)
        return None if info is None else decoded(self._postfile, TERM.unpack(info)[-2])

    def rows(self) -> Iterator[tuple[bytes, array[int], bytes]]:
        """Key of the dictionary, documents and weights of each term, in order."""
        for key, info in self._tindex.items():
            yield key, *decoded(self._postfile, TERM.unpack(info)[-2])


class BagReader(SegmentReader):  # type: ignore[misc]
    """A segment."""

    def found(self, field: str, term: bytes) -> Postings | None:
        """Documents and weights of a term, deleted documents included; None without any."""
        found: Postings | None = self._terms.found((BODY if field == "body" else KEY) + term)
        return found

    def rows(self) -> Iterator[tuple[bytes, array[int], bytes]]:
        """Key of the dictionary, documents and weights of each term, in order."""
        found: Iterator[tuple[bytes, array[int], bytes]] = self._terms.rows()
        return found

    def cells(self, name: str) -> list[bytes]:
        """The cell of each document in a column."""
        column = self.column_reader(name, self.schema[name].column_type, translate=False)
        found: list[bytes] = column.cells()
        return found

    def living(self) -> Sequence[int]:
        """The numbers of the documents that are not deleted."""
        numbers, gone = range(self.doc_count_all()), self.deleted_docs_set
        return [number for number in numbers if number not in gone] if gone else numbers


class MappedSegment(W3Segment):  # type: ignore[misc]
    """A segment whose files are read where they are mapped."""

    @classmethod
    def _random_id(cls, size: int = 16) -> str:
        """Whoosh's hook: a name that no other segment has, however the program seeds its numbers.

        Of the same name, a new file would be written over the one that it is merged from.
        """
        return os.urandom(size // 2).hex()

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


class CellColumn(columns.Column):  # type: ignore[misc]
    """A cell of fixed width per document."""

    def __init__(self, width: int) -> None:
        self.width = width

    def reader(self, dbfile: Any, basepos: int, length: int, doccount: int) -> Cells:
        """The cells of a segment."""
        if length != doccount * self.width:
            raise ValueError("a column is not as long as its segment")
        return Cells(dbfile.get(basepos, length), self.width)


class Cells:
    """The cells of one segment, one after the other in `whole`."""

    def __init__(self, whole: bytes, width: int) -> None:
        self.whole = whole
        self._width = width

    def cells(self) -> list[bytes]:
        """Each of them."""
        width, whole = self._width, self.whole
        return [whole[at : at + width] for at in range(0, len(whole), width)]


class KeyColumn(columns.Column):  # type: ignore[misc]
    """The key of each document: where each ends, then all of them."""

    def reader(self, dbfile: Any, basepos: int, length: int, doccount: int) -> Keys:
        """The keys of a segment."""
        return Keys(dbfile, basepos, doccount)


class Keys:
    """The keys of one segment; nothing is read before one is asked for."""

    def __init__(self, dbfile: Any, start: int, count: int) -> None:
        self._file, self._start, self._count = dbfile, start, count

    def __getitem__(self, document: int) -> bytes:
        before = max(document - 1, 0)
        ends = numbers("I", self._file.get(self._start + 4 * before, 4 * (document - before + 1)))
        first = ends[0] if document else 0
        found: bytes = self._file.get(self._start + 4 * self._count + first, ends[-1] - first)
        return found

    def cells(self) -> list[bytes]:
        """Each of them."""
        ends = numbers("I", self._file.get(self._start, 4 * self._count))
        whole = self._file.get(self._start + 4 * self._count, ends[-1] if ends else 0)
        return [whole[first:last] for first, last in pairwise((0, *ends))]


def column_of_keys(keys: Sequence[bytes]) -> bytes:
    """The bytes of a `KeyColumn`."""
    return packed("I", accumulate(map(len, keys))) + b"".join(keys)


def packed(typecode: str, values: Iterable[int]) -> bytes:
    """Numbers as little-endian bytes."""
    made = array(typecode, values)
    if _SWAPPED:
        made.byteswap()
    return made.tobytes()


def numbers(typecode: str, data: bytes) -> array[int]:
    """Little-endian numbers as an array."""
    found = array(typecode, data)
    if _SWAPPED:
        found.byteswap()
    return found


def encoded(documents: array[int], weights: bytes) -> bytes:
    """A term's block: the type of its gaps, the number of documents, the gaps, the weights."""
    gaps = [documents[0], *map(sub, documents[1:], documents)]
    most = max(gaps)
    typecode = "B" if most < 1 << 8 else "H" if most < 1 << 16 else "I"
    head = typecode.encode("ascii") + len(documents).to_bytes(4, "little")
    return head + packed(typecode, gaps) + weights


def decoded(dbfile: Any, start: int) -> Postings:
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
