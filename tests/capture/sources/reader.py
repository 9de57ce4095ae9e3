"""What the tests of every source need: a clock that stands still, and what was said by whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
