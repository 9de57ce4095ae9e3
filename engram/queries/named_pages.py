"""A name as a person writes it -> the page or the conversation that it means.

Names are ids, docids, file names, `[[links]]`, titles and unambiguous beginnings. Nothing is
written. Raises BadInput for a name of several pages or conversations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from engram.model.entity import Entity
from engram.model.errors import BadInput
from engram.model.ids import docid, slug
from engram.model.link_targets import stem_of

if TYPE_CHECKING:
    from engram.model.step import Page
    from engram.store.catalog.catalog import Catalog
    from engram.store.catalog.catalog_view import CatalogView

_Found = TypeVar("_Found")

_DOCID = re.compile(r"#?[0-9a-fA-F]{6}")
#: letters of a beginning; fewer say nothing, as `box-` and `tool-` do
_LEAST = 6
#: of those that a name could mean, so many are named
_MOST_SHOWN = 5


def bare_name(reference: str) -> str:
    """A reference without the signs of a link, the heading that it leads to, and its folder."""
    name = reference.strip().removeprefix("[[").removesuffix("]]").partition("|")[0].strip()
    if not name.startswith("#") and "#^" not in name:  # a docid, a turn
        name = name.partition("#")[0]
    name = stem_of(name)
    return name.encode("utf-8", "replace").decode("utf-8")  # what no file can be called


def page_named(reference: str, view: CatalogView) -> Page | None:
    """The box, entity or summary of that name; None where there is none."""
    name = bare_name(reference)
    page = view.page_by_id(name)
    if page is not None or not name:
        return page
    every: list[Page] = [
        *view.boxes(), *view.summaries(), *(one for one in view.entities() if not one.merged_into),
    ]  # fmt: skip
    if _DOCID.fullmatch(name):
        wanted = "#" + name.removeprefix("#").lower()
        return next((one for one in every if docid(one.id) == wanted), None)
    called = slug(name, "")
    found = [one for one in every if called and called in _titles(one)]
    found = found or [one for one in every if len(name) >= _LEAST and one.id.startswith(name)]
    return _only(reference, "pages", {one.id: one for one in found})


def conversation_named(reference: str, catalog: Catalog) -> str:
    """The name of the conversation of that name, title or beginning; '' where there is none."""
    name = bare_name(reference)
    if not name or not name.isprintable():  # arguments that are no text
        return ""
    if catalog.turns.ordinals(name):
        return name
    called = slug(name, "")
    every = catalog.turns.transcript_names()
    found = {one for one, title in catalog.turns.titles() if called and slug(title, "") == called}
    found = found or {one for one in every if len(name) >= _LEAST and one.startswith(name)}
    return _only(reference, "conversations", {one: one for one in found & every}) or ""


def _titles(page: Page) -> Iterable[str]:
    names: Sequence[str] = [page.title] if not isinstance(page, Entity) else [page.name]
    more = page.aliases if isinstance(page, Entity) else ()
    return {slug(one, "") for one in (*names, *more)}


def _only(reference: str, kind: str, found: dict[str, _Found]) -> _Found | None:
    if len(found) > 1:
        shown = ", ".join(sorted(found)[:_MOST_SHOWN])
        raise BadInput(f"{reference!r} could be {len(found)} {kind}", f"for example {shown}")
    return next(iter(found.values()), None)
