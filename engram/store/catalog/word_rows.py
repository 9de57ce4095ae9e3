"""Words of live memories in the catalog: term and block of memories <-> which of the block hold it.

A row holds the places of up to 4,096 memories (`memories.place`), two bytes each, in no order:
a twentieth of the rows that one for each word of each memory would take. Rows are kept by adding
and taking out; which terms a memory has is not kept, but computed from it again. Guarantees: no
place stands twice in a row, no row is empty. Written inside the catalog's transaction.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engram.store.catalog.database import CacheDatabase, Row

#: memories of one row; a common word's row is no longer than two pages
BLOCK = 4_096
#: bytes of a place in its block
_WIDTH = 2
_PLACES = "H"
#: places that are looked up at once: who asks for a few of very many has them in the first portion
_PORTION = 512


class WordRows:
    """The words of one catalog's live memories."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    def add(self, words: Iterable[tuple[int, Iterable[str]]]) -> None:
        """Note the terms of memories, by their places; none of them is known to hold it yet."""
        self._db.many(
            "insert into words values(?,?,?) on conflict(term, block) do update"
            " set members = cast(members || excluded.members as blob)",
            _gathered(words),
        )

    def remove(self, words: Iterable[tuple[int, Iterable[str]]]) -> None:
        """Take out the terms of memories that hold them, by their places."""
        kept: list[tuple[bytes, str, int]] = []
        for term, block, gone in _gathered(words):
            row = self._db.row(
                "select members from words where term = ? and block = ?", term, block
            )
            out = set(_decoded(gone))
            left = [place for place in _decoded(row[0]) if place not in out] if row else []
            kept.append((array(_PLACES, left).tobytes(), term, block))
        self._db.many("update words set members = ? where term = ? and block = ?", kept)
        self._db.many(
            "delete from words where term = ? and block = ? and length(members) = 0",
            [(term, block) for members, term, block in kept if not members],
        )

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        """How many memories hold each term; a term that none holds is absent."""
        return dict(
            self._db.rows(
                f"select term, sum(length(members)) / {_WIDTH} from words"
                " where term in (select value from json_each(?)) group by term",
                json.dumps([*terms]),
            )
        )

    def holding(self, terms: Iterable[str]) -> list[str]:
        """Ids of the memories that hold at least one of these terms, oldest first."""
        rows = self._db.rows(
            "select id from memories where place in (select value from json_each(?))"
            " order by created, id",
            json.dumps([*set(self.held(terms))]),
        )
        return [row[0] for row in rows]

    def held(self, terms: Iterable[str]) -> Iterator[int]:
        """The places of the memories that hold these terms, a place once for each of them."""
        rows = self._db.rows(
            "select block, members from words where term in (select value from json_each(?))",
            json.dumps([*terms]),
        )
        return (place for row in rows for place in _places(*row))


def holders(ask: Callable[..., list[Row]], term: str) -> Iterator[list[int]]:
    """The places of the memories that hold a term, in portions; `ask` answers a statement."""
    for row in ask("select block, members from words where term = ? order by block", term):
        places = _places(*row)
        for start in range(0, len(places), _PORTION):
            yield places[start : start + _PORTION]


def _gathered(words: Iterable[tuple[int, Iterable[str]]]) -> Iterator[tuple[str, int, bytes]]:
    """Term, block, and the places within that block; sorted."""
    blocks: dict[int, defaultdict[str, list[bytes]]] = {}
    for place, terms in words:
        block, within = divmod(place, BLOCK)
        found = blocks.setdefault(block, defaultdict(list))
        member = within.to_bytes(_WIDTH, sys.byteorder)
        for term in terms:
            found[term].append(member)
    for term in sorted({term for found in blocks.values() for term in found}):
        for block, found in blocks.items():
            if term in found:
                yield term, block, b"".join(found[term])


def _decoded(members: bytes) -> array[int]:
    found = array(_PLACES)
    found.frombytes(members)
    return found


def _places(block: int, members: bytes) -> list[int]:
    first = block * BLOCK
    return [first + within for within in _decoded(members)]
