"""Estimate before an import: how many questions a model would be asked, and of what size.

Turns are held only until they fill a question of their conversation; many small conversations need
little memory, and nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from engram.extract.llm.prompt import MOST_TURNS, ExtractionPrompt
from engram.model.turn import Turn


class Forecast:
    """Counts while an import is read."""

    def __init__(self, prompt: ExtractionPrompt) -> None:
        self._prompt = prompt
        #: transcript -> messages and their tokens in the question that is being filled, and whether
        #: a person speaks in it
        self._open: dict[str, tuple[int, int, bool]] = {}
        self._calls = 0
        self._tokens = 0

    def add(self, turns: Iterable[Turn]) -> None:
        """Count new turns, of any conversations, in order."""
        for turn in turns:
            size = self._prompt.size_of(turn)
            count, tokens, asked = self._open.get(turn.transcript, (0, 0, False))
            if count and (count == MOST_TURNS or tokens + size > self._prompt.room):
                self._close(tokens, asked)
                count, tokens, asked = 0, 0, False
            self._open[turn.transcript] = (
                count + 1, tokens + size, asked or turn.role == "user",
            )  # fmt: skip

    def total(self) -> tuple[int, int]:
        """Questions, and input tokens at most."""
        for _, tokens, asked in self._open.values():
            self._close(tokens, asked)
        self._open.clear()
        return self._calls, self._tokens

    def _close(self, tokens: int, asked: bool) -> None:
        if asked:
            self._calls += 1
            self._tokens += tokens + self._prompt.own_tokens
