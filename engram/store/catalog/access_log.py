"""Access log: which memories a person or an agent read or was given, one line each.

`state/access.jsonl` holds `{"ids": [...], "time": ...}` for what was looked at by name, and a line
for each block that was given (`given_line`). Appended without lock and without fsync: it is a log,
and losing a line loses nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from engram.model.instant import Instant
from engram.store.base import layout

if TYPE_CHECKING:
    from engram.model.given import GivenBlock
    from engram.model.phase_diff import AskedDiff
    from engram.store.base.disk import VaultDisk

#: read at once, bytes
_PIECE = 1 << 20


class AccessLog:
    """The log of one vault."""

    def __init__(self, disk: VaultDisk) -> None:
        self.disk = disk

    def note(self, identifiers: Iterable[str], time: Instant) -> None:
        """Append one query's memories, each once. Raises StorageError."""
        asked = list(dict.fromkeys(identifiers))
        if asked:
            line = json.dumps({"ids": asked, "time": time}, sort_keys=True)
            self.disk.append(layout.ACCESS, line.encode("ascii") + b"\n", sync=False)

    def give(self, block: GivenBlock) -> None:
        """Append what was given, if it was anything. Raises StorageError."""
        from engram.store.catalog.given_line import line_of

        if block.items:
            self.disk.append(layout.ACCESS, line_of(block), sync=False)

    def ask(self, diff: AskedDiff) -> None:
        """Append that a difference of two phases was asked for. Raises StorageError."""
        from engram.store.catalog.diff_line import diff_line

        self.disk.append(layout.ACCESS, diff_line(diff), sync=False)

    def size(self) -> int:
        """Its length in bytes."""
        return self.disk.size(layout.ACCESS) or 0

    def piece(self, start: int, length: int) -> bytes:
        """A part of it."""
        (found,) = self.disk.pieces(layout.ACCESS, [(start, length)])
        return found

    def pieces(self, places: Sequence[tuple[int, int]]) -> list[bytes]:
        """Several parts of it, `(offset, length)` each."""
        return self.disk.pieces(layout.ACCESS, places)

    def whole_lines(self, start: int) -> Iterator[bytes]:
        """It from a byte on, in pieces that end with a line; a very long one is in several.

        The last line, which is being written, is left out.
        """
        while piece := self.piece(start, _PIECE):
            whole = piece[: piece.rfind(b"\n") + 1]
            if not whole and len(piece) < _PIECE:
                return
            yield whole or piece
            start += len(whole or piece)

    def whole_lines_back(self, end: int) -> Iterator[bytes]:
        """It before a byte, newest piece first, each of whole lines, without very long ones."""
        rest = b""
        while end > 0:
            start = max(0, end - _PIECE)
            piece = self.piece(start, end - start) + rest
            cut = piece.find(b"\n") + 1 if start else 0
            rest = piece[: cut or _PIECE] if start else b""
            if whole := piece[cut : piece.rfind(b"\n") + 1]:
                yield whole
            end = start
