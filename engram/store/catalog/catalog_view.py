"""CatalogView: the questions of VaultView, answered from the open catalog and, where it must, disk.

Guarantees: whatever catalog is open now is asked, however often it was built anew meanwhile; a
question about few of ten thousand memories reads few, from indexed columns; nothing is written but
the sums of the access log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from engram.language.tokens import telling_terms
from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.ids import slug
from engram.model.memory import ARCHIVE, Memory
from engram.model.summary import Summary
from engram.store.catalog.row_body import decode

if TYPE_CHECKING:
    from engram.model.candidate import Candidate
    from engram.model.instant import Day, Instant
    from engram.model.ports import TurnLog
    from engram.model.step import Access, Page
    from engram.model.turn import Turn
    from engram.store.base.disk import VaultDisk
    from engram.store.catalog.catalog import Catalog
    from engram.store.catalog.database import CacheDatabase
    from engram.store.files.link_names import LinkNames

_LIVE = "status in ('active', 'needs-review')"
_ORDER = "order by created, id"
#: where the base names are that a link can mean
_NAMED = (
    "memories where id", "boxes where id", "entities where id", "summaries where id",
    "files where stem != id and stem",
)  # fmt: skip


class CatalogView:
    """One vault, as its files are."""

    def __init__(
        self,
        catalog: Callable[[], Catalog],
        disk: VaultDisk,
        turn_log: TurnLog,
        names: Callable[[], LinkNames] | None = None,
    ) -> None:
        """`catalog` opens it, or builds it anew; `names` says what links on pages mean."""
        self._catalog = catalog
        self._disk = disk
        self._turn_log = turn_log
        self._names = names

    @property
    def _db(self) -> CacheDatabase:
        return self._catalog().db

    # -- memories by what they are -------------------------------------------------------------

    def memory(self, identifier: str) -> Memory | None:
        """The memory of that id, whatever its status."""
        return self._catalog().memory(identifier)

    def taken(self, names: Iterable[str]) -> set[str]:
        """Those of the given names that an id or a file has already: a link means one thing."""
        found = " union ".join(f"select 1 from {where} = ?" for where in _NAMED)
        return {name for name in names if self._db.row(found, *[name] * len(_NAMED))}

    def owners(self, content_hash: str) -> list[Memory]:
        """Every memory whose scoped content hash this is; newest last."""
        return self._memories("memories where hash = ?", content_hash)

    def called(self, alias: str) -> list[Memory]:
        """Every memory, of any status, that has this alias; newest last."""
        found = self._memories(
            "memories where id in (select id from called where name = ?)", slug(alias, "")
        )
        return [memory for memory in found if alias in memory.aliases]

    def holders(self, slot: str, space: str, project: str) -> list[Memory]:
        """Live memories whose key is this slot, in that space and project; newest last."""
        # that it is not empty is said for the index, which holds no other
        return self._memories(
            f"memories where slot = ? and slot != '' and {_LIVE} and space = ? and"
            " (space != 'project' or project = ?)",
            slot, space, project,
        )  # fmt: skip

    def purged(self, since: Instant) -> list[str]:
        """Ids of the memories that were purged at or after a time."""
        rows = self._db.rows(
            "select subject from transactions join events using (n)"
            " where kind = 'purge' and time >= ? and name = 'memory_purged' order by subject",
            since,
        )
        return [str(row[0]) for row in rows]

    def live(self) -> list[Memory]:
        """Every active or needs-review memory, oldest first."""
        return self._memories(f"memories where {_LIVE}")

    def weightiest(self, until: Instant, most: int) -> list[Memory]:
        """The live memories of the person that matter most, created by a time."""
        rows = self._db.rows(
            f"select body from memories where {_LIVE} and space = 'user' and"
            " created <= ? order by importance desc, created desc, id limit ?",
            until, most,
        )  # fmt: skip
        return [decode(Memory, row[0]) for row in rows]

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

    def records(self, schema: str, space: str = "", project: str = "") -> list[Memory]:
        """Every live memory that has this schema, of that space and project, oldest first."""
        return self._memories(
            f"memories indexed by memories_recorded where record = ? and record != '' and {_LIVE}"
            " and ? in ('', space) and (? != 'project' or project = ?)",
            schema, space, space, project,
        )  # fmt: skip

    def retired(self) -> list[Memory]:
        """Retired memories whose files do not lie in the archive, oldest first."""
        return self._memories(
            "memories indexed by memories_retired where status = 'retired' and path not glob ?",
            f"{ARCHIVE}/*",
        )

    def accesses(self, identifiers: Iterable[str] | None = None) -> Mapping[str, Access]:
        """How often each of these, or of all, was asked for; what the log has since is counted."""
        from engram.store.catalog.access_log import AccessLog

        catalog, log = self._catalog(), AccessLog(self._disk)
        if catalog.accesses.is_behind(log):
            with catalog.transaction():
                catalog.accesses.count(log)
        return catalog.accesses.of(identifiers)

    def forgotten(self) -> dict[str, str]:
        """Memories that the person forgot, and the session each came from."""
        return dict(self._db.rows("select id, session from memories where forgotten"))

    # -- memories by their words ---------------------------------------------------------------

    def terms(self, text: str) -> frozenset[str]:
        """The words (stems) that a text is found by; words that tell nothing are left out."""
        return frozenset(telling_terms(text))

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """How many live memories hold each term; a term that none holds is absent."""
        return self._catalog().words.counts(terms)

    def holding(self, terms: Iterable[str]) -> list[str]:
        """Ids of live memories that hold at least one of these terms, oldest first."""
        return self._catalog().words.holding(terms)

    def around(self, candidate: Candidate) -> list[Memory]:
        """A few live memories of its scope that share its rarest words, the nearest first."""
        from engram.store.catalog.neighbours import neighbours

        return neighbours(self._db, candidate)

    # -- boxes, entities, pages, conversations -------------------------------------------------

    def unboxed(self) -> list[Memory]:
        """Memories with a source that no box holds, without those that the person forgot."""
        return self._memories("unboxed join memories on id = memory")

    def boxes(self, since: Instant = "", until: Instant = "") -> list[Box]:
        """Boxes whose last memory is not before `since` nor after `until`, oldest first."""
        upper = "and sealed <= ?" if until else ""
        found = self._db.rows(
            f"select body from boxes where sealed >= ? {upper} {_ORDER}",
            *((since, until) if until else (since,)),
        )
        return [decode(Box, row[0]) for row in found]

    def box(self, identifier: str) -> Box | None:
        """The box of that id."""
        row = self._db.row("select body from boxes where id = ?", identifier)
        return decode(Box, row[0]) if row else None

    def box_of(self, memory: str) -> Box | None:
        """The box that holds a memory; the oldest, where a person put it into several."""
        row = self._db.row(
            "select body from members join boxes on box = id where memory = ?"
            f" {_ORDER} limit 1",
            memory,
        )  # fmt: skip
        return decode(Box, row[0]) if row else None

    def entities(self) -> list[Entity]:
        """Every entity, those that were merged too, by id."""
        rows = self._db.rows("select body from entities order by id")
        return [decode(Entity, row[0]) for row in rows]

    def entity(self, identifier: str) -> Entity | None:
        """The entity of that id."""
        row = self._db.row("select body from entities where id = ?", identifier)
        return decode(Entity, row[0]) if row else None

    def page_by_id(self, identifier: str) -> Page | None:
        """The entity, box or summary of that id; none for an entity that was merged."""
        entity = self.entity(identifier)
        if entity is None:
            return self.box(identifier) or self.summary(identifier)
        return None if entity.merged_into else entity

    def summaries(self) -> list[Summary]:
        """Every summary, superseded ones too, by id."""
        rows = self._db.rows("select body from summaries order by id")
        return [decode(Summary, row[0]) for row in rows]

    def summary(self, identifier: str) -> Summary | None:
        """The summary of that id."""
        row = self._db.row("select body from summaries where id = ?", identifier)
        return decode(Summary, row[0]) if row else None

    def mentioned(self) -> dict[str, int]:
        """What memories name (`language/proper_names`), by id, and how many live ones do."""
        return dict(
            self._db.rows(
                f"select entity, sum({_LIVE}) from mentions"
                " join memories indexed by memories_meant using (place)"
                " group by entity order by entity"
            )
        )

    def mentions_of(self, identifiers: Iterable[str]) -> dict[str, int]:
        """What some memories name, and how many of them do."""
        rows = self._db.rows(
            "select entity, count(*) from mentions join memories using (place)"
            " where id in (select value from json_each(?)) group by entity order by entity",
            json.dumps(sorted(set(identifiers))),
        )
        return dict(rows)

    def most_mentioned(self, most: int) -> list[str]:
        """The entities of live memories (`tool-postgres`), the most used first."""
        rows = self._db.rows(
            "select entity from mentions join memories indexed by memories_meant using (place)"
            f" where {_LIVE}"
            " and entity not like 'name-%' and entity not like 'word-%'"
            " group by entity order by count(*) desc, entity limit ?",
            most,
        )
        return [str(row[0]) for row in rows]

    def about(self, entity: str) -> list[Memory]:
        """Memories of any status that name this entity, oldest first."""
        return self._memories("mentions join memories using (place) where entity = ?", entity)

    def page(self, path: str) -> str | None:
        """The text of a plain page of the vault, with ids in its links; None without one."""
        data = self._disk.read(path)
        if data is not None and self._names is not None:
            data = self._names().with_ids(path, data)
        return None if data is None else data.decode("utf-8", "replace")

    def spoken(self, links: Iterable[str]) -> Mapping[str, int]:
        """A number for each of these links of turns that is known, in the order of speech."""
        return self._catalog().turns.spoken(links)

    def beginning(self, session: str, without: Iterable[str] = ()) -> Iterator[Turn]:
        """The first turns of the user in a conversation that are not hidden, a few, in order."""
        catalog = self._catalog()
        hidden = catalog.hidden().union(without)
        for link, segment, offset, length in catalog.turns.beginning(session):
            if link not in hidden:
                yield from self._turn_log.read([(segment, offset, length)])

    def _memories(self, where: str, *values: object) -> list[Memory]:
        """The memories of some rows, oldest first."""
        rows = self._db.rows(f"select body from {where} {_ORDER}", *values)
        return [decode(Memory, row[0]) for row in rows]
