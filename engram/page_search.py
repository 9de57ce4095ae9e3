"""Boxes and entities as answers: the words of a query -> the pages that hold them.

A box is found by its title, topics and the first lines of its memories, an entity by its name and
its aliases too, both by whatever a person wrote on the page. Guarantees: nothing is written, and a
vault without pages pays nothing for them.
"""

from __future__ import annotations

from engram.index.analysis import query_terms
from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.hit import Hit, docid
from engram.model.step import Page
from engram.recall.parse import Query
from engram.recall.rank import Ranked, Setting, rank_pages
from engram.recall.snippet import excerpt
from engram.shelf import Shelf, page_bytes, title_of
from engram.store.disk import VaultDisk
from engram.store.followers import Followers
from engram.store.prose import prose_of


class PageSearch:
    """Of one vault."""

    def __init__(self, disk: VaultDisk, followers: Followers, shelf: Shelf) -> None:
        self._disk = disk
        self._followers = followers
        self._shelf = shelf

    def hits(self, query: Query, asked: int, limit: int, setting: Setting) -> list[Hit]:
        """The best pages for a query, at most `limit`; `asked` is how many the index looks for."""
        if not query.asks or not self._shelf.has_pages:
            return []
        pages: dict[str, tuple[Page, bytes]] = {}

        def admit(keys: list[str]) -> list[str]:
            for key in keys:
                page = self._followers.catalog.pages.page(key)
                if page is not None:
                    pages[key] = page, page_bytes(self._disk, page)
            return [key for key in keys if key in pages and self._admits(query, *pages[key])]

        hints = query.hints(setting.now)
        found = self._shelf.find(query.text, "pages", asked, hints, admit)
        projects = {key: project_of(page) for key, (page, _) in pages.items()}
        ranked = rank_pages([found], projects, setting, limit)
        return [_hit(*pages[one.key], one, query.text) for one in ranked]

    def _admits(self, query: Query, page: Page, data: bytes) -> bool:
        created = page.created if isinstance(page, Box) else ""
        words = f"{title_of(page)}\n{prose_of(data).text}"
        return query.admits_page(category_of(page), project_of(page), created, words)


def category_of(page: Page) -> str:
    """`box` or `entity`."""
    return "box" if isinstance(page, Box) else "entity"


def project_of(page: Page) -> str:
    """The project of a box; an entity belongs to none."""
    return page.project if isinstance(page, Box) else ""


def _hit(page: Page, data: bytes, one: Ranked, asked: str) -> Hit:
    prose = prose_of(data)
    shown = excerpt(prose.text, asked, fold=query_terms)
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
        created=page.created if isinstance(page, Box) else "",
        project=project_of(page),
        why=one.why,
        spans=shown.spans,
    )
