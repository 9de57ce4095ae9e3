"""Export archives: the documents of an export, from a single file or the members of a zip.

Nothing is extracted to disk: members are chosen by the end of their names and streamed, one at a
time, so that where a name would lead does not matter. What may do harm is refused and counted,
member by member: encrypted ones, archives in the archive, ones packed in another way than deflate,
and what grows beyond 8 GiB in all or to more than 200 times its packed size. A damaged member is
read up to the damage. BadInput is raised for an archive that cannot be opened at all, whose
directory is longer than 4 MiB, or that holds nothing of this export.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import IO, BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from engram.capture.sources.formats.json_lines import unknown
from engram.capture.sources.formats.json_stream import Readable
from engram.model.errors import BadInput
from engram.model.ports import SourceReading

#: The list of members is held in memory: about ten times its length in the file.
MAX_DIRECTORY = 4 << 20
MAX_MEMBERS = 10_000
MAX_SIZE = 8 << 30
#: Text packs to a tenth; 200 times is repetition without end. Small members may be that.
MAX_RATIO = 200
_SMALL = 256 << 20
_LOCAL = b"PK\x03\x04"
_BEGINS = (_LOCAL, b"PK\x05\x06")
_HEADER = struct.Struct("<4s5H3I2H")
_ENCRYPTED, _SIZE_LATER = 1, 8
_MAX_GLIMPSE = 65_536
_MAX_GLIMPSES = 200
#: What `zipfile` raises for archives that are none, or damaged.
_BROKEN = (
    BadZipFile, zlib.error, struct.error, EOFError, ValueError, OverflowError, LookupError,
    NotImplementedError, RuntimeError,
)  # fmt: skip


def documents(
    stream: BinaryIO, reading: SourceReading, wanted: Sequence[re.Pattern[str]]
) -> Iterator[tuple[str, Readable]]:
    """Each document with its name; of an archive the wanted members, those of the first pattern
    before those of the next, by name."""
    if stream.seekable():
        begin = stream.seek(0) or stream.read(4)
        stream.seek(0)
        if begin in _BEGINS:
            yield from _members(stream, reading, wanted)
            return
    yield reading.path.name, stream


def glimpses(head: bytes) -> Iterator[tuple[str, bytes]]:
    """The members that an archive begins with, as far as its first bytes go: name and beginning."""
    at = 0
    for _ in range(_MAX_GLIMPSES):
        if not head.startswith(_LOCAL, at) or len(head) < at + _HEADER.size:
            return
        _, _, flags, method, _, _, _, packed, _, named, extra = _HEADER.unpack_from(head, at)
        at += _HEADER.size
        name = head[at : at + named].decode("utf-8", "replace")
        at += named + extra
        end = head.find(_LOCAL, at) if flags & _SIZE_LATER else at + packed
        data = head[at:end] if end >= 0 else head[at:]
        yield name, _beginning(data, method)
        if end < 0:
            return
        at = end


def _beginning(data: bytes, method: int) -> bytes:
    if method == ZIP_STORED:
        return data[:_MAX_GLIMPSE]
    if method != ZIP_DEFLATED:
        return b""
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, _MAX_GLIMPSE)
    except zlib.error:
        return b""


class _Guarded:
    """A file as `zipfile` may read it: never so much at once that a directory fills memory."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.seek = stream.seek
        self.tell = stream.tell
        self.seekable = stream.seekable

    def read(self, size: int = -1) -> bytes:
        most = MAX_DIRECTORY + 1
        data = self._stream.read(min(size, most) if size >= 0 else most)
        if len(data) == most:
            raise BadZipFile("its directory is too long")
        return data


class _Member:
    """One member as it is unpacked; damage ends it and is counted."""

    def __init__(self, file: IO[bytes], reading: SourceReading) -> None:
        self._file = file
        self._reading = reading

    def read(self, size: int, /) -> bytes:
        try:
            return self._file.read(size)
        except _BROKEN:
            _refuse(self._reading, "damaged member")
            return b""


def _members(
    stream: BinaryIO, reading: SourceReading, wanted: Sequence[re.Pattern[str]]
) -> Iterator[tuple[str, Readable]]:
    try:
        archive = ZipFile(cast("IO[bytes]", _Guarded(stream)))
    except _BROKEN as error:
        raise BadInput(
            "the archive cannot be opened: it is damaged, or its directory is too long",
            "download the export again, or unpack it and import the folder",
        ) from error
    with archive:
        chosen, inner = _chosen(archive.infolist(), wanted)
        if not chosen:
            raise BadInput(
                "nothing of this export is in the archive",
                "give the archive as it was downloaded"
                + ("; unpack the archives that are in it first" if inner else ""),
            )
        for _ in range(inner):
            _refuse(reading, "archive in the archive")
        for _ in chosen[MAX_MEMBERS:]:
            _refuse(reading, "too many members")
        room = MAX_SIZE
        for member in chosen[:MAX_MEMBERS]:
            why = _harm(member, room)
            if why:
                _refuse(reading, why)
                continue
            room -= member.file_size
            try:
                file = archive.open(member)
            except _BROKEN:
                _refuse(reading, "damaged member")
                continue
            with file:
                yield member.filename, _Member(file, reading)


def _chosen(
    members: Sequence[ZipInfo], wanted: Sequence[re.Pattern[str]]
) -> tuple[list[ZipInfo], int]:
    """The wanted members in their order, and how many archives are among all."""
    found: list[tuple[int, str, ZipInfo]] = []
    inner = 0
    for member in members:
        name = member.filename
        if name.startswith("__MACOSX/") or name.rpartition("/")[2].startswith("."):
            continue  # shadows that a system keeps of the files
        inner += name.lower().endswith(".zip")
        rank = next((rank for rank, one in enumerate(wanted) if one.search(name)), None)
        if rank is not None:
            found.append((rank, name, member))
    found.sort(key=lambda one: one[:2])
    return [member for _, _, member in found], inner


def _harm(member: ZipInfo, room: int) -> str:
    """Why a member is not unpacked; empty when it may be."""
    if member.flag_bits & _ENCRYPTED:
        return "encrypted member"
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return "member packed in another way"
    if member.file_size > room:
        return "member too large"
    if member.file_size > max(_SMALL, MAX_RATIO * member.compress_size):
        return "member packed too densely"
    return ""


def _refuse(reading: SourceReading, why: str) -> None:
    """Count what is left out, under a name for the reason."""
    reading.tally.lines += 1
    reading.tally.unparsed_lines += 1
    unknown(reading, why)
