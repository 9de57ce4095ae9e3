"""PairVerdict: what a model said about an older and a newer text, and by what it is found again."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from engram.model.text import sha256_text

PairRelation = Literal[
    "supersedes", "partial", "contradiction", "duplicate", "complementary", "unrelated"
]
PairConfidence = Literal["high", "medium", "low"]
RELATIONS: tuple[PairRelation, ...] = get_args(PairRelation)
CONFIDENCES: tuple[PairConfidence, ...] = get_args(PairConfidence)


class PairVerdict(NamedTuple):
    """One answer; `replaced` is the part that a partial replacement is about, as one line."""

    relation: PairRelation
    confidence: PairConfidence
    reason: str = ""
    replaced: str = ""


class PairKey(NamedTuple):
    """Digests of both texts, and of who was asked with which prompt: no text can be told of it."""

    older: str
    newer: str
    asked: str


def text_digest(text: str) -> str:
    """The digest by which a text is found again, however it is wrapped."""
    return sha256_text(" ".join(text.split()))
