"""Memories and turns that a search found -> the sentences of them that tell a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engram.model.answer import AnswerSource


class Evidence(NamedTuple):
    """One memory or turn: all of its text, and how well it was found.

    `score` is its share of the best score, 0..1; `before` are the texts of the turn before it and
    of the one before that. `source.said` is the day of the vault's time zone on which it was said.
    """

    source: AnswerSource
    text: str
    score: float
    before: tuple[str, ...] = ()
