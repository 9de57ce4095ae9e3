"""Turn journal: an append-only log of numbered turns, durable once per group.

One JSON line a turn in `state/turns/<first>.jsonl`, append-only, numbered without gaps, each with
its tick and the CRC-32 of the rest of its line. Guarantees: `append` returns only after one fsync
covered the whole group; a torn tail (killed or unplugged while writing) is moved into `*.torn` and
the journal continues after the last sound line. Refuses nothing; a damaged line in the middle is
left out, and `count_damaged` counts it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING

from engram.model.errors import BadInput
from engram.model.turn import Turn, TurnEntry, check

if TYPE_CHECKING:
    from engram.model.ports import Disk

FOLDER = "state/turns"
#: a segment is closed once it is larger, bytes: small enough to rewrite for a purge
SEGMENT_BYTES = 8_000_000
_SEGMENT = re.compile(r"[0-9]{8}\.jsonl")
#: numbers are below this, so that they fit wherever they are kept
_MOST = 1 << 40
_PREFIX = len('{"crc":"00000000",')
#: lines that are read in one go
_TOGETHER = 1_000
_FIELDS = ("source", "session", "role", "time", "message", "text")


class VaultTurnLog:
    """The turn journal of one vault; the writer lock must be held to append."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._end: tuple[str, int, int] | None = None

    def append(
        self, turns: Sequence[tuple[Turn, str]], batch: str = "", tick: int = 0
    ) -> list[TurnEntry]:
        """Number `(turn, signal level)` pairs from the end on; durable in one group.

        `tick` is the last one that the vault has used: each turn has one of its own after it.
        """
        if not turns:
            return []
        segment, size, last = self.end()
        if size >= SEGMENT_BYTES or not segment:
            segment, size = f"{FOLDER}/{last + 1:08d}.jsonl", 0
        entries: list[TurnEntry] = []
        lines: list[bytes] = []
        for seq, (turn, signal) in enumerate(turns, last + 1):
            tick += 1
            line = encode(turn, seq, signal, batch, tick)
            told = signal, batch, segment, size, len(line), tick
            entries.append(TurnEntry(turn.numbered(seq), *told))
            lines.append(line)
            size += len(line)
        self._end = None
        self._disk.append(segment, b"".join(lines))
        self._end = (segment, size, last + len(turns))
        if entries[0].offset == 0:
            self._disk.sync([FOLDER])
        return entries

    def end(self) -> tuple[str, int, int]:
        """The last segment, its size and the last number; moves a torn tail aside first."""
        segments = self.segments()
        if not segments:
            return "", 0, 0
        segment = segments[-1]
        if self._end and self._end[:2] == (segment, self._disk.size(segment)):
            return self._end
        data = self._disk.read(segment) or b""
        good = _sound_length(data)
        if good < len(data):
            self._disk.append(segment + ".torn", data[good:])
            self._disk.put(segment, data[:good])
            self._disk.sync([FOLDER])
        if not good:
            return segment, 0, int(segment.rpartition("/")[2][:8]) - 1
        start = data.rfind(b"\n", 0, good - 1) + 1
        decoded = decode(data[start:good])
        assert decoded is not None  # _sound_length decoded this very line
        self._end = (segment, good, decoded[0])
        return self._end

    def segments(self) -> list[str]:
        """The journal's files, oldest first."""
        names = self._disk.names(FOLDER)
        return [f"{FOLDER}/{name}" for name in names if _SEGMENT.fullmatch(name)]

    def entries(self, after: int = 0) -> Iterator[TurnEntry]:
        """Every sound entry numbered above `after`, in order; purged turns are left out."""
        segments = self.segments()
        firsts = [int(path.rpartition("/")[2][:8]) for path in segments]
        for index, segment in enumerate(segments):
            if index + 1 < len(segments) and firsts[index + 1] <= after + 1:
                continue
            offset = 0
            for line in self._lines(segment):
                decoded = decode(line)
                if decoded is not None and decoded[0] > after and decoded[1] is not None:
                    signal, batch, tick = decoded[2:]
                    yield TurnEntry(decoded[1], signal, batch, segment, offset, len(line), tick)
                offset += len(line)

    def purged(self) -> Iterator[tuple[int, str, str, int, int, int]]:
        """`(number, message, segment, offset, length, tick)` of every purged line, in order."""
        for segment in self.segments():
            offset = 0
            for line in self._lines(segment):
                # a line that was not purged is not decoded
                decoded = decode(line) if b'"purged":true' in line else None
                if decoded is not None and decoded[1] is None:
                    row = json.loads(b"{" + line[_PREFIX:-1])
                    message = str(row.get("message", ""))
                    yield decoded[0], message, segment, offset, len(line), decoded[4]
                offset += len(line)

    def _lines(self, segment: str) -> list[bytes]:
        return self._bytes(segment).splitlines(keepends=True)

    def _bytes(self, segment: str) -> bytes:
        """What a segment holds; nothing when it is no file (a link, a pipe)."""
        try:
            return self._disk.read(segment) or b""
        except BadInput:
            return b""

    def purge(
        self, messages: Iterable[str], change: Callable[[Turn], Turn] = lambda turn: turn
    ) -> int:
        """Blank the lines of these message digests, and `change` others; returns how many lines.

        A damaged line that names one of them is blanked, a torn tail that does is removed. A
        changed line keeps its length where it can.
        """
        unwanted, count = frozenset(messages), 0
        digests = [message.encode("utf-8") for message in unwanted]
        for segment in self.segments():
            lines = (self._disk.read(segment) or b"").splitlines(keepends=True)
            changed = False
            for index, line in enumerate(lines):
                decoded = decode(line)
                turn = decoded[1] if decoded else None
                if turn is not None and turn.message in unwanted:
                    tick = decoded[4] if decoded else 0
                    lines[index] = encode_purged(turn.seq, turn.message, len(line), tick)
                    changed, count = True, count + 1
                elif decoded and turn is not None and (other := change(turn)) != turn:
                    lines[index] = encode(other, turn.seq, *decoded[2:], length=len(line))
                    changed = True
                elif decoded is None and any(digest in line for digest in digests):
                    lines[index] = re.sub(rb"[^\n]", b" ", line)
                    changed = True
            if changed:
                self._disk.put(segment, b"".join(lines))
        for name in self._disk.names(FOLDER):
            torn = f"{FOLDER}/{name}" if name.endswith(".torn") else ""
            if torn and any(digest in self._bytes(torn) for digest in digests):
                self._disk.remove(torn)
        self._disk.sync([FOLDER])
        return count

    def rewrite(self, change: Callable[[Turn], Turn]) -> None:
        """Write turns as `change` makes them of what they were; their lines may move."""
        for segment in self.segments():
            lines = self._lines(segment)
            for index, line in enumerate(lines):
                decoded = decode(line)
                if decoded is None or decoded[1] is None:
                    continue
                if (turn := change(decoded[1])) != decoded[1]:
                    lines[index] = encode(turn, turn.seq, *decoded[2:])
            after = b"".join(lines)
            if after != self._bytes(segment):
                self._disk.put(segment, after)
        self._end = None
        self._disk.sync([FOLDER])

    def read(self, places: Iterable[tuple[str, int, int]]) -> Iterator[Turn]:
        """The turns at `(segment, offset, length)`, in the order asked for, without purged ones.

        Neighbours of one segment are read together, a bounded number at a time.
        """
        for segment, group in groupby(places, key=itemgetter(0)):
            while some := [place[1:] for place in islice(group, _TOGETHER)]:
                for line in self._pieces(segment, some):
                    decoded = decode(line)
                    if decoded is not None and decoded[1] is not None:
                        yield decoded[1]

    def _pieces(self, segment: str, places: Sequence[tuple[int, int]]) -> list[bytes]:
        """Byte ranges of a segment; none when it is no regular file."""
        try:
            return self._disk.pieces(segment, places)
        except BadInput:
            return []

    def count_damaged(self) -> int:
        """How many whole lines cannot be read; a torn last line is only unfinished."""
        return sum(
            decode(line) is None
            for segment in self.segments()
            for line in self._lines(segment)
            if line.endswith(b"\n")
        )


def encode(
    turn: Turn, seq: int, signal: str = "none", batch: str = "", tick: int = 0, *, length: int = 0
) -> bytes:
    """One journal line: JSON with the CRC-32 of its rest in front, and a line feed.

    With a `length` it is filled up to that, if it is shorter.
    """
    row: dict[str, object] = {
        "v": 1,
        "seq": seq,
        "source": turn.source,
        "session": turn.session,
        "role": turn.role,
        "time": turn.time,
        "message": turn.message,
        "text": turn.text,
    }
    if turn.project:
        row["project"] = turn.project
    if turn.title:
        row["title"] = turn.title
    if turn.tools:
        row["tools"] = turn.tools
    if turn.speaker:
        row["speaker"] = turn.speaker
    if turn.program:
        row["program"] = True
    if turn.guessed:
        row["guessed"] = True
    if signal != "none":
        row["signal"] = signal
    if batch:
        row["batch"] = batch
    if tick:
        row["tick"] = tick
    return _filled(row, length) if length else _sealed(row)


def encode_purged(seq: int, message: str, length: int, tick: int = 0) -> bytes:
    """The line that replaces a purged turn: number, tick and digest, no text, the same length.

    The lines after it keep their offsets, so that every reference to them stays valid.
    """
    row: dict[str, object] = {"v": 1, "seq": seq, "message": message, "purged": True}
    return _filled(row | ({"tick": tick} if tick else {}), length)


def _filled(row: dict[str, object], length: int) -> bytes:
    row["pad"] = ""
    row["pad"] = " " * (length - len(_sealed(row)))
    return _sealed(row)


def _sealed(row: dict[str, object]) -> bytes:
    # ASCII keeps lone surrogates of broken transcripts writable and readable again
    rest = json.dumps(row, ensure_ascii=True, separators=(",", ":"))[1:].encode("ascii")
    return b'{"crc":"%08x",' % zlib.crc32(rest) + rest + b"\n"


def decode(line: bytes) -> tuple[int, Turn | None, str, str, int] | None:
    """A line -> (number, turn or None when purged, signal, batch, tick); None when damaged."""
    if not line.endswith(b"\n") or not line.startswith(b'{"crc":"'):
        return None
    rest = line[_PREFIX:-1]
    if line[8:_PREFIX] != b'%08x",' % zlib.crc32(rest):
        return None
    try:
        row = json.loads(b"{" + rest)
        if not 0 < int(row["seq"]) < _MOST:
            return None
        if row.get("purged"):
            return int(row["seq"]), None, "none", "", _tick(row)
        turn = Turn(
            **{name: row[name] for name in _FIELDS},
            project=row.get("project", ""),
            title=row.get("title", ""),
            tools=tuple(row.get("tools", ())),
            seq=int(row["seq"]),
            speaker=row.get("speaker", ""),
            program=row.get("program") is True,
            guessed=row.get("guessed") is True,
        )
        check(turn)
    except (ValueError, KeyError, TypeError, RecursionError, BadInput):
        return None
    return turn.seq, turn, str(row.get("signal", "none")), str(row.get("batch", "")), _tick(row)


def _tick(row: Mapping[str, object]) -> int:
    """The tick of a line; 0 for one of an older version, and for what no tick can be."""
    tick = row.get("tick")
    return tick if type(tick) is int and 0 < tick < _MOST else 0


def _sound_length(data: bytes) -> int:
    """How many leading bytes end with a sound line: everything after a torn tail is cut."""
    end = data.rfind(b"\n") + 1
    while end:
        start = data.rfind(b"\n", 0, end - 1) + 1
        if decode(data[start:end]) is not None:
            return end
        end = start
    return 0
