"""What the tests of every source need: a clock that stands still, and what was said by whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engram.model.ports import Source, SourceReading
from engram.model.turn import Turn


@dataclass(frozen=True)
class Noon:
    """A clock that stands still."""

    time: str = "2026-05-01T12:00:00Z"

    def now(self) -> str:
        return self.time


def said(turns: Iterable[Turn]) -> list[tuple[str, str]]:
    """Role and text of each turn."""
    return [(turn.role, turn.text) for turn in turns]


def check_two_pieces(
    read: Callable[[bytes], tuple[list[Turn], SourceReading]],
    read_on: Callable[[bytes, SourceReading], list[Turn]],
    whole: bytes,
    cut: int,
) -> None:
    """Reading up to a byte and then on finds what reading at once does."""
    once, _ = read(whole)
    first, reading = read(whole[:cut])
    pieces = first + read_on(whole, reading)
    assert [turn.message for turn in pieces] == [turn.message for turn in once]


def check_nothing_raises(
    read: Callable[[bytes], tuple[list[Turn], SourceReading]], source: Source, data: bytes
) -> None:
    """Whatever a file holds is read to its end, and gives words that can be written."""
    turns, reading = read(data)
    source.recognises(data)
    for turn in turns:
        (turn.text + turn.session + turn.project + turn.title).encode("utf-8")
    assert reading.offset <= len(data)
