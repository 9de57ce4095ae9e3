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
from typing import TYPE_CHECKING

from engram.model.errors import EngramError
from engram.queries.memories import VaultMemories
from engram.recall.beside import Beside
from engram.settings.load import Loaded, header_of
from engram.settings.registry import Registered, Registry
from engram.settings.vault_folders import reading_folder
from engram.settings.vaults_read import vaults_read

if TYPE_CHECKING:
    from engram.settings.vaults_read import Reading
    from engram.vault.wiring import VaultParts

_log = logging.getLogger(__name__)
#: how long another process is waited for that brings an index up, seconds
_PATIENCE = 0.05


@contextmanager
def read_beside(
    parts: VaultParts, own: Path, folder: str, projects: Sequence[str]
) -> Iterator[None]:
    """Read beside a vault what is read in a folder with these projects; `own` is the person's."""
    first = Registered(parts.root, parts.header.id)
    entries = Registry(parts.places).entries() if parts.trusted and not parts.header.shares else []
    others = parts.memories.others
    if len(entries) > 1:
        home = parts.places.home
        for one in vaults_read(first, own, entries, folder, projects, home, _log.warning)[1:]:
            try:
                there = _opened(parts, one)
                others[one.label] = _as_beside(one, projects), there
            except EngramError as error:
                _log.warning("%s is not read: %s", one.label, error)
    try:
        yield
    finally:
        others.clear()


def _as_beside(one: Reading, projects: Sequence[str]) -> Beside:
    sharing = one.sharing
    project = next(iter(projects), "") or one.label.removeprefix("@")
    return Beside(
        one.label, str(one.path), one.spaces, sharing.space, project, sharing.authority
    )  # fmt: skip


def _opened(parts: VaultParts, one: Reading) -> VaultMemories:
    """The memories of a vault as its files are now, as far as there is time for that."""
    there = parts.beside.get(one.path) or _parts_of(parts, one)
    parts.beside[one.path] = there
    if one.sharing.space:
        there.projections.read_on()
    there.settler.within(parts.settings.recall.settle_ms)
    there.index.refresh(_PATIENCE)
    return VaultMemories(
        there.disk, there.projections, there.lookup, there.index, there.tiers
    )  # fmt: skip


def _parts_of(parts: VaultParts, one: Reading) -> VaultParts:
    # whoever reads a vault beside their own does so by their own settings
    loaded = Loaded(parts.settings, parts.loaded.origins, header_of(one.path))
    shared = bool(one.sharing.space)
    # one that is shared is not written here, nor is anything of it trusted
    entry = None if shared else Registered(one.path, one.id)
    there = type(parts)(one.path, loaded, parts.places, parts.environment, parts.adapters, entry)
    if shared:
        there.cache = reading_folder(there.cache)
        there.cache.mkdir(mode=0o700, exist_ok=True)
    return there
