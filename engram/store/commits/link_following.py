"""Links that lead nowhere because a file was renamed outside of Obsidian -> the name it has now.

Obsidian rewrites the links of a vault when it renames a file; a shell or another editor does not.
The plan does in the program's own files what Obsidian would have done: in pages wherever a link
stands, in memories in the header and in links to turns. Notes of the person's are left alone. What
an undo of such a plan has put back stays as it is until the file is written again.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from engram.model.change import Change, Plan
from engram.model.errors import BadInput, StorageError
from engram.store.base import layout
from engram.store.commits.linked_history import RELINK
from engram.store.commits.transaction import Purged
from engram.store.commits.transaction_log import undone_in

if TYPE_CHECKING:
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections
    from engram.store.commits.transaction_log import TransactionLog

_WHY = "links follow a renamed file"


class LinkFollowing:
    """The links of one vault, looked at once; the writer lock must be held."""

    def __init__(
        self, disk: VaultDisk, projections: Projections, transaction_log: TransactionLog
    ) -> None:
        self._disk = disk
        self._projections = projections
        self._transaction_log = transaction_log

    def plan(self) -> Plan:
        """The transaction; empty where every link leads to its file, or no file was renamed."""
        names = self._projections.names()
        changes = []
        if names.any():
            for path in (*sorted(self._projections.catalog.files()), *layout.PROSE):
                data = self._read(path)
                if data is None:
                    continue
                followed = names.followed(path, data, self._is_there)
                if followed != data and (path, data) not in self._put_back:
                    changes.append(Change(path, data, followed, _WHY))
        return Plan(RELINK, tuple(changes))

    def _read(self, path: str) -> bytes | None:
        try:
            return self._disk.read(path)
        except (BadInput, StorageError):
            return None  # the doctor tells of it

    def _is_there(self, identifier: str) -> bool:
        """Whether a file has an id."""
        return bool(self._projections.view.taken([identifier]))

    @cached_property
    def _put_back(self) -> set[tuple[str, bytes]]:
        """The files as undos of such plans left them."""
        rows = self._projections.catalog.log.rows()
        undone = undone_in(rows)
        numbers = [row[0] for row in rows if row[2] == RELINK and row[0] in undone]
        found = map(self._transaction_log.read, numbers)
        return {
            (change.path, change.before)
            for one in found
            for change in (one.plan.changes if one is not None else ())
            if not isinstance(change, Purged) and change.before is not None
        }
