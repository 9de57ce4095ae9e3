"""Estimate before an import: how many questions a model would be asked, and of what size.

Turns are held only until they fill a question of their conversation; many small conversations need
little memory, and nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engram.extract.llm.portions import Piece, cut, is_asked, shown_in
from engram.extract.llm.prompt import ExtractionPrompt
from engram.model.turn import Turn


class Forecast:
    """Counts while an import is read."""

    def __init__(self, prompt: ExtractionPrompt) -> None:
        self._prompt = prompt
        #: transcript -> what the question that is being filled takes in
        self._open: dict[str, list[Piece]] = {}
        self._calls = 0
        self._tokens = 0

    def add(self, turns: Iterable[Turn]) -> None:
        """Count new turns, of any conversations, in order."""
        for turn in turns:
            pieces = self._open.setdefault(turn.transcript, [])
            pieces.append(self._prompt.piece(turn))
            while (count := cut(pieces, self._prompt.room)) < len(pieces):
                self._close(pieces[:count])
                del pieces[:count]

    def total(self) -> tuple[int, int]:
        """Questions, and input tokens at most."""
        for pieces in self._open.values():
            self._close(pieces)
        self._open.clear()
        return self._calls, self._tokens

    def _close(self, pieces: Sequence[Piece]) -> None:
        if is_asked(pieces):
            self._calls += 1
            self._tokens += sum(pieces[at].size for at in shown_in(pieces))
            self._tokens += self._prompt.own_tokens
