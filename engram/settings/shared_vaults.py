"""Shared vaults: the registered vaults of others that serve a working folder.

A vault that is shared with others lies in their repository, or anywhere. It serves the sessions in
the repository around it, and those of the projects that the person named for it (`--for`); one of
the system space serves everywhere, unless projects were named. Only the registry is asked: what a
vault says of itself widens nothing. Pure but for the real paths of folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from engram.settings.project_folders import repository_around
from engram.settings.registry import Registered


def serving(
    entries: Iterable[Registered], folder: str, projects: Sequence[str], home: Path
) -> list[Registered]:  # fmt: skip
    """The shared vaults that serve a folder and its projects, by path."""
    shared = [one for one in entries if one.sharing.space]
    if not shared:
        return []
    here = os.path.realpath(folder) if os.path.isabs(folder) else ""
    return [one for one in shared if _serves(one, here, projects, home)]


def _serves(one: Registered, here: str, projects: Sequence[str], home: Path) -> bool:
    if any(fnmatchcase(name, glob) for glob in one.sharing.serves for name in projects):
        return True
    if one.sharing.space == "system" and not one.sharing.serves:
        return True
    around = repository_around(one.path, home)
    return bool(here) and around is not None and Path(here).is_relative_to(around)
