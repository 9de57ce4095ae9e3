"""What a transaction is about: the memories that it changed, or whose lines on pages it changed.

Tells an undo which transactions concern nothing but what goes, so that they go with it. Nothing is
written here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engram.model.box import Box
from engram.model.change import Change
from engram.model.entity import Entity
from engram.model.summary import Summary, texts_of
from engram.store.base import layout
from engram.store.commits.transaction import Purged
from engram.store.files.content_file import read_content
from engram.store.files.links import LINK, target_of

if TYPE_CHECKING:
    from engram.model.change import Transaction

#: an id that no memory has: a change that is about something else
_OTHER = ""


def subjects_of(one: Transaction) -> set[str]:
    """The ids of the memories that a transaction changed, or whose lines on pages it changed."""
    found: set[str] = set()
    for change in one.plan.changes:
        if isinstance(change, Purged):
            return {_OTHER}
        found.update(_told(change))
    return found


def _told(change: Change) -> Iterator[str]:
    bodies = [body for body in (change.before, change.after) if body is not None]
    if change.path in layout.PROSE:
        yield from _linked(change)
    elif layout.kind_of(change.path) == "memory":
        yield from (read_content(change.path, body).id for body in bodies)
    elif layout.is_page(change.path):
        pages = [read_content(change.path, body).content for body in bodies]
        lines = [set(_lines(page)) for page in pages] + [set[tuple[str, ...]]()]
        yield from (line[0] for line in lines[0] ^ lines[1])
    else:
        yield _OTHER


def _lines(page: object) -> Iterator[tuple[str, ...]]:
    """The lines of a page, the id of its memory first."""
    if isinstance(page, Box):
        yield from page.lines
    elif isinstance(page, Entity):
        yield from ((name, day, text) for day, name, text in (*page.timeline, *page.activity))
        yield from ((name, other, label) for other, label, name in page.relations)
    elif isinstance(page, Summary):
        yield from ((name,) for name in page.consolidates)
        yield from ((name, *texts_of(line)) for line in page.lines for name in line.memories)


def _linked(change: Change) -> Iterator[str]:
    """The ids that the changed lines of a plain page link to."""
    bodies = (change.before or b"", change.after or b"")
    before, after = (set(body.decode("utf-8", "replace").splitlines()) for body in bodies)
    for line in before ^ after:
        if line.startswith(("- ", "* ")):
            yield from [target_of(link) for link in LINK.findall(line)] or [_OTHER]
