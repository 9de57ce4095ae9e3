"""The pen: memories to be born or amended -> changes of files, in the vault's own format.

Creates whole files for new memories and patches single header keys of existing ones; a body and
every other byte of an existing file stay as the person left them. Refuses (Conflict) to amend a
file whose header cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engram.model.change import Change
from engram.model.errors import BadInput, Conflict, NotFound
from engram.model.memory import Memory
from engram.store import layout
from engram.store.disk import VaultDisk
from engram.store.memory_file import memory_changes, render_memory


class Pen:
    """The Writer port."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk

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

    def _amend(self, before: Memory, after: Memory) -> list[Change]:
        data = self._disk.read(before.path)
        if data is None:
            raise NotFound(f"the file of {before.id} is gone: {before.path}")
        try:
            patched = memory_changes(data, before, after)
        except BadInput as error:
            raise Conflict(
                f"{before.path}: {error}", "mend the header in an editor first"
            ) from error
        why = after.status if after.status != before.status else "confirmed"
        moved = _archive_move(before, after)
        if moved != before.path:
            return [Change(before.path, data, None, why), Change(moved, None, patched, why)]
        return [Change(before.path, data, patched, why)] if patched != data else []


def _archive_move(before: Memory, after: Memory) -> str:
    """Where an amended memory's file belongs: path decides archive, people decide the rest."""
    in_archive = before.path.startswith(f"{layout.ARCHIVE}/")
    if in_archive == (after.status == "archived"):
        return before.path
    if in_archive:
        return layout.memory_path(replace(after, status="active"))
    return f"{layout.ARCHIVE}/{before.path.partition('/')[2]}"
