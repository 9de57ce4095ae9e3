"""Boxes, entities and summaries in the catalog: the path and content of each page.

Rows are computed from the files alone. Written inside the catalog's transaction; the memories of a
box are rows of their own, so that those which no box holds are found without opening one, and so
are the memories that an active summary tells of.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.summary import Summary
from engram.store.catalog.row_body import encode

if TYPE_CHECKING:
    from engram.model.step import Page
    from engram.store.base.layout import Content
    from engram.store.catalog.database import CacheDatabase
    from engram.store.catalog.trace_rows import TraceRows

#: marks a memory as in no box, if it has a source and no box holds it; the record of a session is
#: nothing that was learnt in it
UNBOX = """insert or ignore into unboxed select id from memories where id = ? and session != ''
  and record != 'session' and space != 'session' and not forgotten
  and not exists (select 1 from members where memory = id)"""


class PageRows:
    """Rows of boxes, entities and summaries; `traces` is a part."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    @cached_property
    def traces(self) -> TraceRows:
        """Threads of boxes; a question seldom asks for them."""
        from engram.store.catalog.trace_rows import TraceRows

        return TraceRows(self._db)

    def put(self, page: Page) -> None:
        """Record a page as its file says it."""
        self.drop(type(page), page.id)
        if isinstance(page, Box):
            self._put_box(page)
        elif isinstance(page, Entity):
            self._db.do(
                "insert into entities values(?,?,?,?,?,?)",
                page.id, page.path, page.type, page.name, page.merged_into, encode(page),
            )  # fmt: skip
        else:
            self._put_summary(page)

    def _put_box(self, page: Box) -> None:
        self._db.do(
            "insert into boxes values(?,?,?,?,?,?,?,?)",
            page.id, page.path, page.session, page.project, page.created, page.sealed,
            page.trace, encode(page),
        )  # fmt: skip
        self.traces.touch(page.id)
        self._db.many(
            "insert or ignore into members values(?,?)", [(name, page.id) for name in page.memories]
        )
        self._db.many("delete from unboxed where memory = ?", [(name,) for name in page.memories])

    def _put_summary(self, page: Summary) -> None:
        self._db.do(
            "insert into summaries values(?,?,?,?,?,?,?)",
            page.id, page.path, page.status, page.project, page.space, page.last, encode(page),
        )  # fmt: skip
        if page.status == "active":
            self._db.many(
                "insert into summary_sources values(?,?)",
                [(name, page.id) for name in page.told],
            )

    def missing_sources(self) -> dict[str, list[str]]:
        """The memories that active summaries tell of and that are not there, by path, sorted."""
        found: dict[str, list[str]] = {}
        for path, name in self._db.rows(
            "select path, source from summary_sources join summaries on id = summary"
            " where not exists (select 1 from memories where memories.id = source)"
            " order by path, source"
        ):
            found.setdefault(path, []).append(name)
        return found

    def drop(self, kind: type[Content], identifier: str) -> None:
        """Remove a page of that kind."""
        if kind is Entity:
            self._db.do("delete from entities where id = ?", identifier)
            return
        if kind is Summary:
            self._db.do("delete from summaries where id = ?", identifier)
            self._db.do("delete from summary_sources where summary = ?", identifier)
            return
        self.traces.touch(identifier)
        held = self._db.rows("select memory from members where box = ?", identifier)
        self._db.do("delete from boxes where id = ?", identifier)
        self._db.do("delete from members where box = ?", identifier)
        self._db.many(UNBOX, held)
