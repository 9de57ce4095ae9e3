"""Vaults that are read beside another one, opened: for as long as a question is asked.

A vault that is shared with others is not written by being read: catalog and index that this makes
lie in the cache, apart from those of whoever writes there, and it has no access log. Guarantees: a
vault beside that is gone, broken, another one or of a newer format is told of in one line and left
out. What was opened stays so with the vault that is asked.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engram.model.errors import EngramError
from engram.queries.memories import VaultMemories
from engram.recall.beside import Beside
from engram.settings.load import Loaded, header_of
from engram.settings.registry import Registered
from engram.settings.shared_vaults import projects_apart
from engram.settings.vault_folders import reading_folder
from engram.settings.vaults_read import ReadVault, vaults_read
from engram.vault.wiring import VaultParts

_log = logging.getLogger(__name__)
#: how long another process is waited for that brings an index up, seconds
_PATIENCE = 0.05


@contextmanager
def read_beside(
    parts: VaultParts, entries: Sequence[Registered], own: Path, folder: Path | None,
    projects: Sequence[str],
) -> Iterator[None]:  # fmt: skip
    """Read beside a vault what is read in a folder with these projects.

    `entries` is the registry, `own` the person's own vault.
    """
    first = Registered(parts.root, parts.header.id)
    others, home = parts.memories.others, parts.places.home
    if parts.trusted and not parts.header.shares:
        here = "" if folder is None else str(folder.absolute())
        for one in vaults_read(first, own, entries, here, projects, home, _log.warning)[1:]:
            try:
                others[one.label] = _as_beside(one, projects, home), _opened(parts, one)
            except EngramError as error:
                if (failed := parts.beside.pop(one, None)) is not None:
                    failed.close()
                _log.warning("%s is not read: %s", one.label, error)
    try:
        yield
    finally:
        others.clear()


def take_up(parts: VaultParts) -> None:
    """Read a registered shared vault for whoever reads it beside their own: hooks do not wait."""
    if parts.entry is None or not parts.shared:
        return
    _opened(parts, ReadVault(parts.root, parts.header.id, "", (), parts.entry.sharing))


def _as_beside(one: ReadVault, projects: Sequence[str], home: Path) -> Beside:
    project, sharing = next(iter(projects), "") or one.label.removeprefix("@"), one.sharing
    apart = projects_apart(one.path, sharing.serves, projects, home)
    return Beside(one.label, str(one.path), one.spaces, sharing.space, project, apart)


def _opened(parts: VaultParts, one: ReadVault) -> VaultMemories:
    """The memories of a vault as its files are now, as far as there is time for that."""
    there = parts.beside[one] = parts.beside.get(one) or _parts_of(parts, one)
    if (problem := there.sharing_problem) is not None:
        raise problem
    if one.sharing.space:
        there.projections.read_on()
    there.settler.within(parts.settings.recall.settle_ms)
    there.index.refresh(_PATIENCE)
    return VaultMemories(
        there.disk, there.projections, there.lookup, there.index, there.tiers
    )  # fmt: skip


def _parts_of(parts: VaultParts, one: ReadVault) -> VaultParts:
    """What stands behind a vault that is read beside another one."""
    # whoever reads a vault beside their own does so by their own settings
    loaded = Loaded(parts.settings, parts.loaded.origins, header_of(one.path))
    kind = _PartsToRead if one.sharing.space else VaultParts
    entry = Registered(one.path, one.id, one.sharing)
    return kind(one.path, loaded, parts.places, parts.environment, parts.adapters, entry)


class _PartsToRead(VaultParts):
    """A shared vault of which nothing but a cache of its own is written."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.cache = reading_folder(self.cache)
        self.cache.mkdir(mode=0o700, exist_ok=True)

    @property
    def writable(self) -> bool:
        """Not for who reads it."""
        return False
