"""Shared vaults: which registered vault is one, whom it serves, which takes a project's memories.

A vault that is shared with others lies in their repository, or anywhere. It serves the sessions in
the repository around it, and those of the projects that the person named for it (`--for`); one of
the system space serves everywhere, unless projects were named. Only the registry is asked: what a
vault says of itself widens nothing. It may narrow: one that says it is shared takes no
conversation, and where it and the registry differ it is not read as shared. Pure but for the real
paths of folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from engram.model.errors import BadInput
from engram.settings.project_folders import project_names, repository_around
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
    if any(_is_for(one, name) for name in projects):
        return True
    if one.sharing.space == "system" and not one.sharing.serves:
        return True
    around = repository_around(one.path, home)
    return bool(here) and around is not None and Path(here).is_relative_to(around)


def takers(
    entries: Iterable[Registered], space: str, project: str, home: Path
) -> list[Registered]:  # fmt: skip
    """The shared vaults of a space that take a memory of a project, by path.

    One of projects takes what is of its repository; where none is of that, those do which were
    registered for such a project. From which folder that is asked does not matter.
    """
    shared = [one for one in entries if one.sharing.space == space]
    if space == "system":
        return shared
    of_repository = [one for one in shared if project and _is_of(one, project, home)]
    return of_repository or [one for one in shared if project and _is_for(one, project)]


def projects_apart(
    path: Path, serves: tuple[str, ...], projects: Sequence[str], home: Path
) -> tuple[str, ...]:  # fmt: skip
    """The globs of projects that a shared vault keeps apart for a reader of these projects.

    In the repository around it all that it holds belongs there, whatever a clone is called; where
    it is read for the names that it was registered for, what is of one of them is of no other.
    """
    around = repository_around(path, home)
    here = project_names(str(around), home) if around is not None else ()
    return () if set(here).intersection(projects) else serves


def _is_of(one: Registered, project: str, home: Path) -> bool:
    around = repository_around(one.path, home)
    return around is not None and project in project_names(str(around), home)


def _is_for(one: Registered, project: str) -> bool:
    return any(fnmatchcase(project, glob) for glob in one.sharing.serves)


def sharing_problem(root: Path, claimed: str, entry: Registered | None) -> BadInput | None:
    """What is wrong where a registered vault and the registry differ on its being shared.

    `claimed` is what its `engram.toml` says: '' for a vault of one's own.
    """
    if entry is None or claimed == entry.sharing.space:
        return None
    again = f"`engram trust {root}`"
    if not claimed:
        return BadInput(
            f"{root} is registered as shared, and its engram.toml does not say so any more",
            f"if it is your own now: {again}; else set `shares` there again",
        )
    known = f"for {entry.sharing.space} memories" if entry.sharing.space else "as your own"
    return BadInput(
        f"{root} says that it is shared ({claimed}), and is registered {known}",
        f"if you want that: {again}; else take `shares` out of its engram.toml",
    )
