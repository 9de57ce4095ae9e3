"""What transactions wrote, with ids for the names of files in the links of each version.

A file may have been renamed since, and editors rewrite links: versions that differ in nothing else
are the same. The undo of links that followed a renamed file is the one that is about names alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.model.change import Change, Plan
from engram.store.base import layout
from engram.store.commits.transaction import Purged
from engram.store.files.content_file import same_meaning

if TYPE_CHECKING:
    from engram.model.change import Transaction
    from engram.store.base.disk import VaultDisk
    from engram.store.files.link_names import LinkNames

#: the kind of a transaction that rewrote links for renamed files
RELINK = "relink"


class LinkedHistory:
    """Versions of one vault's files, read as its files are named now."""

    def __init__(self, names: LinkNames) -> None:
        self._names = names

    def read(self, transactions: Iterable[Transaction]) -> Iterator[Transaction]:
        """Transactions with ids in the links of every version that they hold."""
        for one in transactions:
            changes, seen = (
                tuple(map(self._read, changes)) for changes in (one.plan.changes, one.plan.seen)
            )
            yield one._replace(plan=one.plan._replace(changes=changes, seen=seen))

    def _read(self, change: Change) -> Change:
        if isinstance(change, Purged) or not layout.is_linked(change.path):
            return change
        before, after = (self.ids(change.path, body) for body in (change.before, change.after))
        if (before, after) == (change.before, change.after):
            return change
        return replace(change, before=before, after=after)

    def ids(self, path: str, body: bytes | None) -> bytes | None:
        """A version with ids in its links."""
        linked = body is not None and layout.is_linked(path)
        return self._names.with_ids(path, body or b"") if linked else body

    def same(self, path: str, one: bytes | None, other: bytes | None) -> bool:
        """Whether two versions of a file mean the same."""
        return same_meaning(path, self.ids(path, one), self.ids(path, other))


def unlinked(targets: Sequence[Transaction], disk: VaultDisk) -> Plan:
    """The plan that gives files the links that they had before these; not to one changed since."""
    changes: dict[str, Change] = {}
    for target in reversed(targets):
        for one in target.plan.changes:
            later = changes.get(one.path)
            now = one.after if later is None else later.after
            if one.path in target.left or now != one.after:
                continue
            if later is not None:
                changes[one.path] = replace(later, after=one.before)
            elif disk.read(one.path) == one.after:
                changes[one.path] = Change(one.path, one.after, one.before, "undo")
    undoes = tuple(target.number for target in targets)
    return Plan("undo", tuple(changes.values()), undoes=undoes)
