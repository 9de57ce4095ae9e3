"""Boxes, entities and summaries as answers: the words of a query -> the pages that hold them.

A box is found by its title, topics and the first lines of its memories, an entity by its name and
its aliases, a summary by its title and its lines, each by whatever a person wrote on the page too.
A superseded summary is found only where all statuses are asked for. Guarantees: nothing is written,
what a forgotten memory said is not brought back by a page that still shows it (design 5.21), nor a
secret that a person wrote into a memory, and a vault without pages pays nothing for them.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from engram.language.snippet import excerpt
from engram.language.tokens import query_terms
from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.hit import Hit
from engram.model.ids import docid
from engram.model.summary import Summary
from engram.queries.index_sync import IndexSync, day_of_page, page_bytes, title_of
from engram.recall.rank import Ranked, Setting, rank_pages

if TYPE_CHECKING:
    from engram.model.instant import Instant
    from engram.model.step import Page
    from engram.recall.query import Query
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections
    from engram.store.files.page_prose import Prose

#: the words of the first turn, in the sentence that says what a box holds
_GOAL = re.compile(r", which began with “[^\n]*”")


class PageSearch:
    """Of one vault."""

    def __init__(self, disk: VaultDisk, projections: Projections, index_sync: IndexSync) -> None:
        self._disk = disk
        self._projections = projections
        self._index_sync = index_sync

    def hits(
        self, query: Query, asked: int, limit: int, setting: Setting, *, all_statuses: bool = False
    ) -> list[Hit]:
        """The best pages for a query, at most `limit`; `asked` is how many the index looks for."""
        if not query.asks or not self._index_sync.has_pages:
            return []
        pages: dict[str, tuple[Page, Prose]] = {}
        forgotten = self._projections.view.forgotten()
        withheld, names = self._projections.catalog.withheld(), self._projections.names()

        def admit(keys: list[str]) -> list[str]:
            for key in keys:
                page = self._projections.view.page_by_id(key)
                if isinstance(page, Summary) and page.status != "active" and not all_statuses:
                    continue
                data = b"" if page is None else page_bytes(self._disk, page, names)
                if page is not None and not (withheld and _tells_of(data, withheld)):
                    pages[key] = page, _shown(page, data, forgotten)
            return [
                key for key in keys if key in pages and _admits(query, *pages[key], bool(forgotten))
            ]

        hints = query.hints(setting.today, related=setting.related)
        found = self._index_sync.find(query.text, "pages", asked, hints, admit)
        projects = {key: project_of(page) for key, (page, _) in pages.items()}
        ranked = rank_pages([found], projects, setting, limit)
        return [_hit(*pages[one.key], one, query.text) for one in ranked]


def _tells_of(data: bytes, withheld: Container[str]) -> bool:
    """Whether a page has a line of a memory that holds a secret: its title may be made of it."""
    from engram.store.files.page_prose import prose_of

    return prose_of(data, withheld).hides


def _shown(page: Page, data: bytes, forgotten: Mapping[str, str]) -> Prose:
    """The words of a page but for what a forgotten memory said, or the turns that it hides."""
    from engram.store.files.page_prose import prose_of

    prose = prose_of(data, forgotten)
    if isinstance(page, Box) and page.session in forgotten.values():
        return prose._replace(text=_GOAL.sub("", prose.text), hides=True)
    return prose


def _admits(query: Query, page: Page, prose: Prose, hiding: bool) -> bool:
    """Whether a page may be shown.

    Where things are hidden it has to hold a word in what is left of it; the title and topics of a
    box, and the title of a summary, are made of memories, so that they do not count then.
    """
    names = (title_of(page), *(page.topics if isinstance(page, Box) else ()))
    words = "\n".join((*names, prose.text))
    if hiding and prose.hides and not isinstance(page, Entity):
        words = prose.text
    if hiding:
        held = frozenset(query_terms(words, len(words)))
        asked = frozenset(query_terms(query.text))
        begun = any(term.startswith(query.prefixes) for term in held)
        if held.isdisjoint(asked) and not begun:
            return False
    day = day_of_page(page, query.timezone)
    return query.admits_page(category_of(page), project_of(page), day, words, _ended(page))


def _ended(page: Page) -> Instant:
    """When the last came to a page; of an entity that is not known."""
    if isinstance(page, Summary):
        return page.created
    return page.sealed if isinstance(page, Box) else ""


def category_of(page: Page) -> str:
    """`box`, `entity` or `summary`."""
    return type(page).__name__.lower()


def project_of(page: Page) -> str:
    """The project of a box or a summary; an entity belongs to none."""
    return "" if isinstance(page, Entity) else page.project


def _hit(page: Page, prose: Prose, one: Ranked, asked: str) -> Hit:
    shown = excerpt(prose.text, asked, instead=one.instead)
    return Hit(
        docid=docid(page.id),
        score=one.score,
        file=page.path,
        line=prose.above + shown.line,
        title=page.name if isinstance(page, Entity) else page.title or page.id,
        snippet=shown.text,
        id=page.id,
        collection="pages",
        category=category_of(page),
        created="" if isinstance(page, Entity) else page.created,
        project=project_of(page),
        why=one.reasons(shown.others),
        spans=shown.spans,
    )
