"""Queries over many memories in the catalog: by age, due date, words, entity and box.

What consolidation asks about many memories at once, answered from indexed columns, so that a
question about few of ten thousand reads few. Nothing is written but the links to entities, and
which memories no box holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engram.model.instant import Day, Instant
from engram.model.memory import Memory
from engram.store.catalog.database import CacheDatabase, Row
from engram.store.catalog.page_rows import UNBOX
from engram.store.catalog.row_body import decode

TABLES = """
create index memories_due on memories(expires)
  where expires != '' and status in ('active', 'needs-review');
create index memories_aged on memories(importance, created)
  where status = 'active' and created != '';
create index memories_promised on memories(created)
  where category = 'commitment' and status = 'active';
create index memories_named on memories(id, status);
create index memories_forgotten on memories(id) where forgotten;
create table mentions(entity text, memory text, primary key(entity, memory)) without rowid;
create index mentions_memory on mentions(memory);
"""

_LIVE = "status in ('active', 'needs-review')"
#: values in one statement; SQLite takes 999 everywhere
_MOST = 400


class Census:
    """Queries over the catalog's memories."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    def put(self, memory: Memory) -> None:
        """Record which entities a memory links to, and whether it is in no box."""
        self._db.many(
            "insert or ignore into mentions values(?,?)",
            [(name, memory.id) for name in memory.entities],
        )
        self._db.do(UNBOX, memory.id)

    def drop(self, identifier: str) -> None:
        """Remove these rows of a memory."""
        self._db.do("delete from mentions where memory = ?", identifier)
        self._db.do("delete from unboxed where memory = ?", identifier)

    def live(self) -> list[Memory]:
        """Every active or needs-review memory, oldest first."""
        return self._memories(f"memories where {_LIVE}")

    def due(self, day: Day) -> list[Memory]:
        """Live memories whose `expires` is that day or before."""
        return self._memories(
            f"memories indexed by memories_due where expires != '' and {_LIVE} and expires <= ?",
            day,
        )

    def aged(self, before: Instant, importance: float) -> list[Memory]:
        """Active memories created at or before a time, of an importance below that.

        A memory without `created` has no age.
        """
        return self._memories(
            "memories indexed by memories_aged where status = 'active' and created != ''"
            " and importance < ? and created <= ?",
            importance,
            before,
        )

    def overdue(self, day: Day) -> list[Memory]:
        """Active commitments whose header `due` is a day before that one."""
        promised = self._memories(
            "memories indexed by memories_promised where category = 'commitment'"
            " and status = 'active'"
        )
        return [memory for memory in promised if "" < memory.extras.get("due", "") < day]

    def unboxed(self) -> list[Memory]:
        """Memories with a source that no box holds, without those that the person forgot."""
        return self._memories("unboxed join memories on id = memory")

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """How many live memories hold each term; a term that none holds is absent."""
        found: dict[str, int] = {}
        for some in _portions(terms):
            found.update(
                self._db.rows(
                    f"select term, count(*) from words where term in ({_marks(some)})"
                    " group by term",
                    *some,
                )
            )
        return found

    def holding(self, terms: Iterable[str]) -> list[str]:
        """Ids of live memories that hold at least one of these terms, oldest first."""
        found: set[Row] = set()
        for some in _portions(terms):
            found.update(
                self._db.rows(
                    "select distinct created, id from words join memories on number = memory"
                    f" where term in ({_marks(some)})",
                    *some,
                )
            )
        return [row[1] for row in sorted(found)]

    def forgotten(self) -> dict[str, str]:
        """Memories that the person forgot, and the session each came from."""
        return dict(self._db.rows("select id, session from memories where forgotten"))

    def mentioned(self) -> dict[str, int]:
        """Entity names that memories link to, by name, and how many live ones do."""
        return dict(
            self._db.rows(
                f"select entity, sum({_LIVE}) from mentions"
                " join memories indexed by memories_named on id = memory"
                " group by entity order by entity"
            )
        )

    def most_mentioned(self, most: int) -> list[str]:
        """The entities of live memories (`tool-postgres`), the most used first."""
        rows = self._db.rows(
            f"select entity from mentions join memories on id = memory where {_LIVE}"
            " group by entity order by count(*) desc, entity limit ?",
            most,
        )
        return [str(row[0]) for row in rows]

    def about(self, entity: str) -> list[Memory]:
        """Memories of any status that link to this entity name, oldest first."""
        return self._memories("mentions join memories on id = memory where entity = ?", entity)

    def _memories(self, where: str, *values: object) -> list[Memory]:
        """The memories of some rows, oldest first."""
        rows = self._db.rows(f"select body from {where} order by created, id", *values)
        return [decode(Memory, row[0]) for row in rows]


def _portions(terms: Iterable[str]) -> Iterator[Sequence[str]]:
    wanted = sorted(set(terms))
    for start in range(0, len(wanted), _MOST):
        yield wanted[start : start + _MOST]


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


def session_of(memory: Memory) -> str:
    """The transcript that its first receipt points into; empty without one."""
    return memory.sources[0].partition("#")[0] if memory.sources else ""


def is_forgotten(memory: Memory) -> bool:
    """Whether the person forgot it: its source turns are hidden then (design 5.21)."""
    return memory.status == "retired" and memory.status_reason == "forgotten"
