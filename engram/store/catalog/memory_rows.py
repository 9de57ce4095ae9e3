"""Memories of the catalog: a batch of memories -> rows of every table that tells of one.

One statement for each table and batch, and the rows in the order of their keys. Guarantees: what
was known of a memory is replaced as a whole, its words, topics and item included; nothing is
looked up or taken out that an id which is not known cannot have. Written inside the catalog's
transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from engram.language.proper_names import mentioned_in
from engram.language.tokens import memory_terms
from engram.model.edge import edges_of
from engram.model.ids import slug
from engram.model.memory import SESSION, Audience, Memory, is_settled, schema_name
from engram.model.text import content_hash, sha256_bytes
from engram.store.catalog.page_rows import UNBOX
from engram.store.catalog.row_body import decode
from engram.store.catalog.row_body import encode as body_of
from engram.store.catalog.tier_rows import SEPARATOR

if TYPE_CHECKING:
    from engram.store.catalog.database import CacheDatabase, Row
    from engram.store.catalog.item_rows import ItemRows
    from engram.store.catalog.topic_rows import TopicRows
    from engram.store.catalog.word_rows import WordRows

#: tables that name a memory by its id, and how; tags are found by themselves
_NAMING = {
    "sources": "id", "called": "id", "pointers": "source",
    "unboxed": "memory", "unnumbered": "memory",
}  # fmt: skip
#: a known memory: its place among the rows, and what it was
_Known = tuple[int, Memory]


class MemoryRows:
    """The memories of one vault, as they are written."""

    def __init__(
        self, database: CacheDatabase, words: WordRows, topics: TopicRows, items: ItemRows
    ) -> None:
        self._db = database
        self._words = words
        self._topics = topics
        self._items = items

    def put(self, batch: Iterable[tuple[Memory, Audience]]) -> None:
        """Record memories as their files say them, and to whom each may be given.

        Of several with one id the last counts.
        """
        put = {memory.id: (memory, audience) for memory, audience in batch}
        known = self._known(put)
        self._forget(known)
        memories = [memory for memory, _ in put.values()]
        terms = {one.id: memory_terms(one) for one in memories if one.live}
        following = self._db.number("select max(place) from memories") + 1
        places: dict[str, int] = {}
        for name in put:
            if name in known:
                places[name] = known[name][0]
            else:
                places[name], following = following, following + 1
        self._db.many(
            f"insert or replace into memories values({','.join('?' * 23)})",
            sorted(
                _row(places[name], memory, audience, len(terms.get(name, ())))
                for name, (memory, audience) in put.items()
            ),
        )
        self._follow_words(known, {places[name]: some for name, some in terms.items()})
        for memory in memories:
            if _is_counted(memory):
                self._topics.add(memory.text)
        self._name(memories, places)
        self._db.many(UNBOX, [(one.id,) for one in memories if one.conversation])
        self._items.place(memories)

    def drop(self, identifiers: Iterable[str]) -> None:
        """Remove those of these memories that there are."""
        known = self._known(identifiers)
        self._forget(known)
        self._follow_words(known, {})
        self._db.many("delete from memories where id = ?", [(name,) for name in sorted(known)])

    def _known(self, identifiers: Iterable[str]) -> dict[str, _Known]:
        rows = self._db.rows(
            "select place, body from memories where id in (select value from json_each(?))",
            json.dumps([*identifiers]),
        )
        found = ((place, decode(Memory, body)) for place, body in rows)
        return {memory.id: (place, memory) for place, memory in found}

    def _forget(self, known: Mapping[str, _Known]) -> None:
        """Take out what other tables tell of memories, but for their words."""
        if not known:
            return
        for _, memory in known.values():
            if _is_counted(memory):
                self._topics.subtract(memory.text)
        names = [(name,) for name in sorted(known)]
        for table, column in _NAMING.items():
            self._db.many(f"delete from {table} where {column} = ?", names)
        places = sorted((place,) for place, _ in known.values())
        self._db.many("delete from mentions where place = ?", places)
        tags = sorted({(tag, name) for name, (_, one) in known.items() for tag in one.tags})
        self._db.many("delete from tags where tag = ? and id = ?", tags)

    def _follow_words(self, known: Mapping[str, _Known], now: Mapping[int, set[str]]) -> None:
        """Note which terms memories hold, by place, and take out those that they held before."""
        before = {place: memory_terms(one) for place, one in known.values() if one.live}
        self._words.remove((place, held - now.get(place, set())) for place, held in before.items())
        self._words.add(
            (place, held - before[place] if place in before else held)
            for place, held in now.items()
        )

    def _name(self, memories: Iterable[Memory], places: Mapping[str, int]) -> None:
        """Note what memories link to and name, and what they are called by."""
        rows: dict[str, set[tuple[str, str]] | set[tuple[str, int]]] = {
            "sources": {(link, one.id) for one in memories for link in one.sources},
            "tags": {(tag, one.id) for one in memories for tag in one.tags},
            # what a session holds stands on no page of an entity
            "mentions": {
                (name, places[one.id])
                for one in memories
                if one.space != SESSION
                for name in mentioned_in(one)
            },
            "called": {
                (slug(name, ""), one.id)
                for one in memories
                for name in (one.title, *one.aliases)
                if name
            },
            "pointers": {
                (name, one.id)
                for one in memories
                for edge in edges_of(one)
                for name in (edge.source, edge.target)
                if name != one.id
            },
        }
        for table, told in rows.items():
            if told:
                self._db.many(f"insert into {table} values(?,?)", sorted(told))


def _row(place: int, memory: Memory, audience: Audience, terms: int) -> Row:
    return (
        place, _number(memory.id), memory.id, memory.path, memory.status, memory.category,
        memory.created, memory.project, memory.space, memory.key,
        content_hash(memory.text, memory.scope), memory.importance, memory.expires,
        memory.valid_until, memory.conversation, _is_forgotten(memory), audience,
        schema_name(memory), is_settled(memory), SEPARATOR.join(memory.superseded_by),
        memory.confidence, terms, body_of(memory),
    )  # fmt: skip


def _number(identifier: str) -> int:
    """The number of a memory: the same in every catalog, whatever the order of its rows."""
    return int(sha256_bytes(identifier.encode("utf-8"))[:14], 16)


def _is_counted(memory: Memory) -> bool:
    """Whether its words count among the topics."""
    return memory.live and memory.space != SESSION


def _is_forgotten(memory: Memory) -> bool:
    """Whether the person forgot it: its source turns are hidden then (design 5.21).

    The record of a session that goes hides nothing: more of its conversation is left.
    """
    if memory.schema == SESSION:
        return False
    return memory.status == "retired" and memory.status_reason == "forgotten"
