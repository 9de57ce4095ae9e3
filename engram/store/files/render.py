"""Renderer: memories, boxes, entities and summaries -> changes of files, in the vault's own format.

Creates whole files for what is new and patches existing ones: single header keys of a memory, its
own lines of a page; every other byte stays as the person left it. Refuses (Conflict) to
amend a file whose header cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.model.box import Box
from engram.model.change import Change
from engram.model.entity import Entity
from engram.model.errors import BadInput, Conflict, NotFound
from engram.model.summary import Summary
from engram.store.base import layout
from engram.store.files.box_file import box_changes, box_remains, render_box
from engram.store.files.content_file import same_meaning
from engram.store.files.entity_file import entity_changes, render_entity
from engram.store.files.memory_file import memory_changes, render_memory, retitled
from engram.store.files.summary_file import render_summary, summary_changes, summary_remains

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.model.step import Page
    from engram.store.base.disk import VaultDisk
    from engram.store.files.link_names import LinkNames


class FileRenderer:
    """The ports Writer and PageWriter."""

    def __init__(self, disk: VaultDisk, names: Callable[[], LinkNames] | None = None) -> None:
        """`names` says what links mean: files are read with ids in them, and so are changes."""
        self._disk = disk
        self._names = names

    def changes(
        self, born: Sequence[Memory], amended: Sequence[tuple[Memory, Memory]]
    ) -> list[Change]:
        """One change a memory, new ones first, each in the order given."""
        made = [
            Change(layout.memory_path(memory), None, render_memory(memory), "remembered")
            for memory in born
        ]
        for before, after in amended:
            made.extend(self._amend(before, after))
        return made

    def pages(self, pairs: Sequence[tuple[Page | None, Page | None]]) -> list[Change]:
        """At most one change a pair of `(before, after)`, in the order given.

        A new page is created at its own path (or its `path`, if it has one); an existing one stays
        where a person put it, and one without an `after` is removed.
        """
        return [change for before, after in pairs for change in self._page(before, after)]

    def _page(self, before: Page | None, after: Page | None) -> list[Change]:
        if before is None:
            if after is None:
                return []
            path = after.path or layout.page_path(after)
            return [Change(path, None, _rendered(after), f"{_noun(after)} made")]
        data = self._existing(before)
        try:
            if after is None:
                return [
                    Change(before.path, data, _remains(data, before), f"{_noun(before)} removed")
                ]
            patched = _patched(data, before, after)
        except BadInput as error:
            raise _unreadable(before.path, error) from error
        if patched == data:
            return []
        return [Change(before.path, data, patched, f"{_noun(after)} updated")]

    def retitled(self, path: str, data: bytes) -> bytes:
        """The file of a memory with the title of its statement, where it has none of its own."""
        return retitled(path, data)

    def _existing(self, content: layout.Content) -> bytes:
        data = self._disk.read(content.path)
        if data is None:
            raise NotFound(f"the file of {content.id} is gone: {content.path}")
        return data if self._names is None else self._names().with_ids(content.path, data)

    def _amend(self, before: Memory, after: Memory) -> list[Change]:
        data = self._existing(before)
        try:
            patched = memory_changes(data, before, after)
        except BadInput as error:
            raise _unreadable(before.path, error) from error
        moved = _archive_move(before, after)
        if after.status != before.status:
            why = after.status
        else:
            why = "confirmed" if moved == before.path else "moved"
        if moved != before.path:
            return [Change(before.path, data, None, why), Change(moved, None, patched, why)]
        return [Change(before.path, data, patched, why)] if patched != data else []


def _unreadable(path: str, error: BadInput) -> Conflict:
    return Conflict(f"{path}: {error}", "mend the header in an editor first")


def _noun(page: Page) -> str:
    return type(page).__name__.lower()


def _rendered(page: Page) -> bytes:
    if isinstance(page, Summary):
        return render_summary(page)
    return render_box(page) if isinstance(page, Box) else render_entity(page)


def _remains(data: bytes, page: Page) -> bytes | None:
    """What stays of a removed page: one that a person wrote on, without its memories."""
    if isinstance(page, Box):
        return box_remains(data, page)
    if isinstance(page, Summary):
        return summary_remains(data, page)
    if same_meaning(page.path, data, render_entity(page)):
        return None
    person = page.synthesis_by == "person"
    synthesis, by = (page.synthesis, "person") if person else ("", "")
    bare = replace(
        page, timeline=(), relations=(), activity=(), synthesis=synthesis, synthesis_by=by
    )
    return entity_changes(data, page, bare)


def _patched(data: bytes, before: Page, after: Page) -> bytes:
    """A page's file brought from one state to the other."""
    if isinstance(before, Box) and isinstance(after, Box):
        return box_changes(data, before, after)
    if isinstance(before, Entity) and isinstance(after, Entity):
        return entity_changes(data, before, after)
    if isinstance(before, Summary) and isinstance(after, Summary):
        return summary_changes(data, before, after)
    raise BadInput(f"{before.id} cannot become a page of another kind")


def _archive_move(before: Memory, after: Memory) -> str:
    """The path of an amended memory's file: the one it is given, else the status decides on
    archive/, and people on the rest."""
    if after.path != before.path:
        return after.path
    in_archive = before.path.startswith(f"{layout.ARCHIVE}/")
    if in_archive == (after.status == "archived"):
        return before.path
    if in_archive and after.status == before.status:
        return before.path  # collected: retired long ago, and still retired
    if in_archive:
        return layout.memory_path(replace(after, status="active"))
    return f"{layout.ARCHIVE}/{before.path.partition('/')[2]}"
