"""Hits: what a search returns, and documents: what an index is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Collection = Literal["memories", "turns"]


@dataclass(frozen=True, slots=True)
class Document:
    """One searchable thing: a memory, or a turn. `key` is unique in its collection."""

    key: str
    collection: Collection
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Found:
    """One raw answer of a Finder: best first, `score` comparable within one query only."""

    key: str
    collection: Collection
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer for a person or a program (design 6: the shape of `search --json`).

    `docid` is `#` and six hex digits; `file` is relative to the vault; `line` is 1-based.
    `why` says in words how the score came about; `spans` are (start, end) offsets of the matches
    in `snippet`.
    """

    docid: str
    score: float
    file: str
    line: int
    title: str
    snippet: str
    id: str
    collection: Collection
    category: str = ""
    status: str = ""
    created: str = ""
    project: str = ""
    source: str = ""
    why: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
