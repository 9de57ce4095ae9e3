"""Catalog of a vault: memories, files, turns, pages and events as SQLite rows in the user's cache.

Rows are computed from files, transactions and the turn journal, and the whole can be deleted at any
time. Guarantees: one SQLite transaction per vault transaction, which also carries the number last
seen; every failure to open or read is `CatalogUnusable`, upon which it is rebuilt.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engram.model.authority import AUTHORITIES
from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.link_targets import stem_of
from engram.model.memory import LIVE, Audience, Memory
from engram.model.summary import Summary
from engram.model.text import sha256_bytes
from engram.store.base import layout
from engram.store.catalog.database import CacheDatabase, CatalogUnusable
from engram.store.catalog.link_rows import LinkRows
from engram.store.catalog.page_rows import PageRows
from engram.store.catalog.row_body import decode
from engram.store.catalog.schema import NAMES, SCHEMA, TABLES
from engram.store.catalog.tier_rows import TierRows
from engram.store.catalog.turn_rows import TurnRows

if TYPE_CHECKING:
    from engram.model.change import Transaction
    from engram.store.catalog.access import AccessRows
    from engram.store.catalog.activity_rows import ActivityRows
    from engram.store.catalog.age_rows import AgeRows
    from engram.store.catalog.conditions import Where
    from engram.store.catalog.consolidation_rows import ConsolidationRows
    from engram.store.catalog.conversation_rows import ConversationRows
    from engram.store.catalog.item_rows import ItemRows
    from engram.store.catalog.log_rows import LogRows
    from engram.store.catalog.memory_rows import MemoryRows
    from engram.store.catalog.phase_rows import PhaseRows
    from engram.store.catalog.topic_rows import TopicRows
    from engram.store.catalog.word_rows import WordRows


class FileRow(NamedTuple):
    """Last state of one content file: its stat and SHA-256, the memory in it, a problem.

    `meaning` is the digest of its content (`meaning.meaning_of`); empty when that is not known.
    """

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    sha: str
    id: str
    problem: str = ""
    meaning: str = ""


_FILE = ", ".join(FileRow._fields)
#: size in bytes, times of the last change of the content and of the file, nanoseconds
FileMark = list[int]
_TABLES: dict[type[layout.Content], str] = {
    Memory: "memories", Box: "boxes", Entity: "entities", Summary: "summaries",
}  # fmt: skip


class Catalog:
    """One vault's catalog.

    `turns`, `log`, `items`, `ages`, `consolidations`, `topics`, `pages` (boxes, entities,
    summaries), `links` (names of files) and `accesses` are parts; what they hold together is asked
    through `CatalogView`.
    """

    def __init__(self, database: CacheDatabase, vault: str) -> None:
        self.db = database
        self._vault = vault
        self.turns = TurnRows(database)
        self.pages = PageRows(database)
        self.links = LinkRows(database)

    # imported here: a question asks for none of these

    @cached_property
    def log(self) -> LogRows:
        """Transactions and events."""
        from engram.store.catalog.log_rows import LogRows

        return LogRows(self.db)

    @cached_property
    def conversations(self) -> ConversationRows:
        """How far each conversation is on record."""
        from engram.store.catalog.conversation_rows import ConversationRows

        return ConversationRows(self.db)

    @cached_property
    def consolidations(self) -> ConsolidationRows:
        """What consolidations did, and what is due."""
        from engram.store.catalog.consolidation_rows import ConsolidationRows

        return ConsolidationRows(self.db)

    @cached_property
    def topics(self) -> TopicRows:
        """Totals of the words of live memories."""
        from engram.store.catalog.topic_rows import TopicRows

        return TopicRows(self.db)

    @cached_property
    def items(self) -> ItemRows:
        """Which item each memory is."""
        from engram.store.catalog.item_rows import ItemRows

        return ItemRows(self.db)

    @cached_property
    def words(self) -> WordRows:
        """Which live memories hold a term."""
        from engram.store.catalog.word_rows import WordRows

        return WordRows(self.db)

    @cached_property
    def _memories(self) -> MemoryRows:
        from engram.store.catalog.memory_rows import MemoryRows

        return MemoryRows(self.db, self.words, self.topics, self.items)

    @cached_property
    def phases(self) -> PhaseRows:
        """Memories and items of a store, for its phases."""
        from engram.store.catalog.phase_rows import PhaseRows

        return PhaseRows(self.db)

    @cached_property
    def ages(self) -> AgeRows:
        """How many ticks memories have lived."""
        from engram.store.catalog.age_rows import AgeRows

        return AgeRows(self.db)

    @cached_property
    def accesses(self) -> AccessRows:
        """How often each memory was read."""
        from engram.store.catalog.access import AccessRows

        return AccessRows(self.db)

    @cached_property
    def tiers(self) -> TierRows:
        """What the tier of each memory is computed from."""
        return TierRows(self.db.rows)

    @cached_property
    def activity(self) -> ActivityRows:
        """How much was said and learnt when."""
        from engram.store.catalog.activity_rows import ActivityRows

        return ActivityRows(self.db.rows)

    @classmethod
    def open(cls, path: Path, vault: str) -> Catalog:
        """Open, or raise CatalogUnusable when there is none that is ours and sound."""
        if not path.exists():
            raise CatalogUnusable("missing")
        catalog = cls(CacheDatabase(path), vault)
        if not catalog.is_sound():
            catalog.close()
            raise CatalogUnusable("another schema or another vault")
        return catalog

    def is_sound(self) -> bool:
        """Whether it is ours, as far as a quick check can tell."""
        try:
            names = self.db.rows("select name from sqlite_master where type = 'table'")
            expected = (SCHEMA, self._vault)
            ours = (self._meta("schema"), self._meta("vault")) == expected
        except CatalogUnusable:
            return False
        return ours and {name for (name,) in names} >= NAMES

    @classmethod
    def make(cls, path: Path, vault: str) -> Catalog:
        """The catalog's file, created anew if foreign or damaged; to be cleared and filled."""
        try:
            return cls.open(path, vault)
        except CatalogUnusable:
            return cls(CacheDatabase.create(path), vault)

    def clear(self) -> None:
        """Drop every table and create them empty; called inside a transaction."""
        for (name,) in self.db.rows("select name from sqlite_master where type = 'table'"):
            self.db.do(f'drop table "{name}"')
        for statement in TABLES.split(";"):
            self.db.do(statement)
        for key, value in (("schema", SCHEMA), ("vault", self._vault), ("last", "0")):
            self._set(key, value)

    def is_at(self, path: Path) -> bool:
        """Whether this is still the file at that path, and not one that was replaced."""
        return self.db.is_at(path)

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes inside are committed together, or none."""
        try:
            with self.db.transaction():
                yield
                self.topics.write()
        finally:
            self.topics.forget()

    # -- memories ------------------------------------------------------------------------------

    @property
    def last(self) -> int:
        """The number of the last transaction seen."""
        return int(self._meta("last") or 0)

    def memory(self, identifier: str) -> Memory | None:
        """The memory of that id, whatever its status."""
        row = self.db.row("select body from memories where id = ?", identifier)
        return decode(Memory, row[0]) if row else None

    def memories(self, identifiers: Iterable[str] | None = None) -> Iterator[Memory]:
        """These memories in the order asked for, or all, oldest first."""
        if identifiers is None:
            for row in self.db.rows("select body from memories order by created, id"):
                yield decode(Memory, row[0])
            return
        for identifier in identifiers:
            found = self.memory(identifier)
            if found is not None:
                yield found

    def pointing_to(self, identifier: str) -> list[Memory]:
        """The memories whose header or text names a memory, by id."""
        rows = self.db.rows("select source from pointers where target = ?", identifier)
        return list(self.memories(sorted(row[0] for row in rows)))

    def summaries_of(self, identifier: str) -> list[str]:
        """Ids of the summaries that a memory is a source of."""
        rows = self.db.rows("select summary from summary_sources where source = ?", identifier)
        return sorted(row[0] for row in rows)

    def audience(self, identifier: str) -> Audience:
        """To whom a memory may be given; one that there is not to nobody."""
        row = self.db.row("select audience from memories where id = ?", identifier)
        return row[0] if row else "nobody"

    def withheld(self) -> frozenset[str]:
        """Ids of the memories that nobody may be given."""
        rows = self.db.rows("select id from memories where audience = 'nobody'")
        return frozenset(row[0] for row in rows)

    @property
    def judged(self) -> str:
        """By what it was decided to whom memories may be given."""
        return self._meta("judged") or ""

    def judge_again(self, audience_of: Callable[[Memory], Audience], judged: str) -> None:
        """Decide that anew for every memory; called inside a transaction."""
        rows = [(audience_of(memory), memory.id) for memory in self.memories()]
        self.db.many("update memories set audience = ? where id = ?", rows)
        self.set_judged(judged)

    def set_judged(self, judged: str) -> None:
        """Record by what it was decided."""
        self._set("judged", judged)

    @property
    def most(self) -> str:
        """The most authority that headers were let claim, where the files were read."""
        return self._meta("most_authority") or AUTHORITIES[-1]

    def set_most(self, authority: str) -> None:
        """Record that."""
        if authority != self.most:
            self._set("most_authority", authority)

    @property
    def unrecorded(self) -> bool:
        """Whether files are in it that no transaction recorded: the vault could only be read."""
        return bool(self._meta("unrecorded"))

    def set_unrecorded(self) -> None:
        """Record that, until it is made anew."""
        self._set("unrecorded", "yes")

    def keep_policy(self, mark: str) -> None:
        """Keep which policy holds, for hooks (`settings/policy_mark`)."""
        if self._meta("policy") != mark:
            with self.db.transaction():
                self._set("policy", mark)

    def knows_project(self, name: str) -> bool:
        """Whether anything was said in a project, or is remembered of it."""
        return any(
            self.db.row(f"select 1 from {table} where project != '' and project = ?", name)
            for table in ("turns", "memories")
        )

    def listing(self, wanted: Where, limit: int = -1) -> list[Memory]:
        """The newest memories that match a condition, newest first; by default all of them."""
        rows = self.db.rows(
            f"select body from memories where {wanted.condition}"
            " order by created desc, id desc limit ?",
            *wanted.values, limit,
        )  # fmt: skip
        return [decode(Memory, row[0]) for row in rows]

    @property
    def last_sha(self) -> str:
        """SHA-256 of the last transaction's file, to notice that the vault was replaced."""
        return self._meta("last_sha") or ""

    @property
    def chain(self) -> str | None:
        """The link of the last transaction that has one, None where none was seen."""
        return self._meta("chain")

    @property
    def indexed(self) -> str:
        """The time zone by whose days the index was built from this catalog, or one that it
        continues; empty for an index that is none of its.
        """
        return self._meta("indexed") or ""

    def set_indexed(self, timezone: str) -> None:
        """Record that the index was built from this catalog as it is; '' that it was not."""
        self._set("indexed", timezone)

    def names_with(self, beginning: str) -> list[str]:
        """Ids that begin so, sorted."""
        rows = self.db.rows(
            "select id from memories where substr(id, 1, ?) = ? order by id",
            len(beginning), beginning,
        )  # fmt: skip
        return [row[0] for row in rows]

    def called(self, name: str) -> list[str]:
        """Ids of the memories that have this slug as an alias, or whose title has it, sorted."""
        rows = self.db.rows("select id from called where name = ? order by id", name)
        return [row[0] for row in rows]

    def status_counts(self) -> dict[str, int]:
        """How many memories have each status."""
        counts = "select status, count(*) from memories group by status order by status"
        return dict(self.db.rows(counts))

    def cited_by(self, link: str) -> list[str]:
        """Ids of the memories whose receipts point to this `transcript#^block`."""
        rows = self.db.rows("select id from sources where link = ? order by id", link)
        return [row[0] for row in rows]

    def hidden(self) -> set[str]:
        """Links of turns that are hidden: forgotten, or sources of what is (design 5.21)."""
        rows = self.db.rows(
            "select link from memories indexed by memories_forgotten"
            " join sources using (id) where forgotten union select link from hidden"
        )
        return {row[0] for row in rows}

    def hide(self, links: Iterable[str]) -> None:
        """Record which turns are forgotten without a memory of them: these and no others."""
        self.db.do("delete from hidden")
        self.db.many("insert or ignore into hidden values(?)", [(link,) for link in links])

    def live_hashes(self) -> list[tuple[str, str]]:
        """`(hash, id)` of every active or needs-review memory, sorted: `state/fact-hashes.txt`."""
        marks = ",".join("?" * len(LIVE))
        asked = f"select hash, id from memories where status in ({marks}) order by hash, id"
        return [(row[0], row[1]) for row in self.db.rows(asked, *sorted(LIVE))]

    def hashes_of(self, identifiers: Iterable[str]) -> set[tuple[str, str]]:
        """`(hash, id)` of those of these memories that are active or need a review."""
        asked = "select hash, id, status from memories where id = ?"
        rows = (self.db.row(asked, identifier) for identifier in identifiers)
        return {(row[0], row[1]) for row in rows if row is not None and row[2] in LIVE}

    # -- files ---------------------------------------------------------------------------------

    def files(self, paths: Iterable[str] | None = None) -> dict[str, FileRow]:
        """These content files as last seen, or all, by path; one that is not known is absent."""
        rows = (
            self.db.rows(f"select {_FILE} from files")
            if paths is None
            else self.db.rows(
                f"select {_FILE} from files where path in (select value from json_each(?))",
                json.dumps([*paths]),
            )
        )
        return {row[0]: FileRow._make(row) for row in rows}

    def marks(self, folders: Collection[str] | None = None) -> dict[str, FileMark]:
        """The stat of every content file as last seen, by path; or of those that lie in some
        folders, and not below them.
        """
        asked = "select path, size, mtime_ns, ctime_ns from files"
        if folders is None:
            return {path: mark for path, *mark in self.db.rows(asked)}
        found = (
            self.db.rows(f"{asked} where path > ? and path < ?", f"{folder}/", f"{folder}0")
            for folder in folders
        )
        return {
            path: mark
            for some in found
            for path, *mark in some
            if path.rpartition("/")[0] in folders
        }

    def file(self, path: str) -> FileRow | None:
        """One content file as last seen."""
        row = self.db.row(f"select {_FILE} from files where path = ?", path)
        return FileRow(*row) if row else None

    def put_files(self, rows: Iterable[FileRow]) -> None:
        """Record what files look like now; of several rows of one path the last counts."""
        put = {row.path: row for row in rows}
        self.db.many(
            "insert or replace into files values(?,?,?,?,?,?,?,?,?)",
            [(*row, stem_of(path)) for path, row in sorted(put.items())],
        )
        for path, row in put.items():
            self.links.named(path, row.id)

    def put_file(self, row: FileRow) -> None:
        """Record what one file looks like now."""
        self.put_files([row])

    def drop_file(self, path: str) -> None:
        """Remove a file that is gone, and the memory or page whose home it was."""
        row = self.file(path)
        self.db.do("delete from files where path = ?", path)
        self.links.dropped()
        kind = layout.content_type(path)
        if row is None or kind is None or self.home(kind, row.id) != path:
            return
        if kind is Memory:
            self._memories.drop([row.id])
        else:
            self.pages.drop(kind, row.id)

    def homes(self, kind: type[layout.Content], identifiers: Iterable[str]) -> dict[str, str]:
        """The paths of the files that own these ids among their kind; a free id is absent."""
        rows = self.db.rows(
            f"select id, path from {_TABLES[kind]} where id in (select value from json_each(?))",
            json.dumps([*identifiers]),
        )
        return dict(rows)

    def home(self, kind: type[layout.Content], identifier: str) -> str:
        """The path of the file that owns an id among its kind, '' when there is none."""
        table = _TABLES[kind]
        row = self.db.row(f"select path from {table} where id = ?", identifier)
        return str(row[0]) if row else ""

    def homeless(self) -> list[str]:
        """The files whose id belongs to another file, sorted."""
        return [
            row[0]
            for row in self.db.rows(
                "select path from files where id = '' and problem like 'the id %' order by path"
            )
        ]

    def put_memories(self, batch: Iterable[tuple[Memory, Audience]]) -> None:
        """Record memories as their files say them, and to whom each may be given.

        Of several with one id the last counts.
        """
        self._memories.put(batch)

    def put_memory(self, memory: Memory, audience: Audience = "person") -> None:
        """Record one memory."""
        self.put_memories([(memory, audience)])

    # -- transactions --------------------------------------------------------------------------

    def record(self, transaction: Transaction) -> None:
        """Record a transaction, its events, and its effect on turns; not its files."""
        from engram.store.commits.transaction import encode

        self.log.record(transaction)
        self._name_files(transaction)
        self.items.follow(transaction)
        self.turns.follow(transaction)
        self.conversations.follow(transaction)
        if transaction.plan.kind == "purge":
            self._set("scrub", "due")
        self._set("last", str(transaction.number))
        self._set("last_sha", sha256_bytes(encode(transaction)))
        if transaction.chain:
            self._set("chain", transaction.chain)

    def _name_files(self, transaction: Transaction) -> None:
        """Record the names that people gave to files which may be gone by now."""
        from engram.store.commits.transaction import Purged
        from engram.store.files.content_file import read_content
        from engram.store.files.link_names import is_given

        for change in transaction.plan.seen:
            kind = layout.content_type(change.path)
            if kind is None or change.after is None or isinstance(change, Purged):
                continue
            if not is_given(stem_of(change.path)):
                self.links.named(change.path, read_content(change.path, change.after).id)

    @property
    def scrub_due(self) -> bool:
        """Whether the files may hold rows that a purge deleted."""
        return self._meta("scrub") == "due"

    def scrub(self) -> None:
        """Leave nothing of deleted rows in the file or its log."""
        self.db.do("vacuum")
        self._set("scrub", "")
        self.db.row("pragma wal_checkpoint(truncate)")

    def _meta(self, key: str) -> str | None:
        row = self.db.row("select value from meta where key = ?", key)
        return str(row[0]) if row else None

    def _set(self, key: str, value: str) -> None:
        self.db.do("insert or replace into meta values(?,?)", key, value)
