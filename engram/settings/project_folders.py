"""Projects of a working folder, by the names under which capture files what is said there.

They are the folder's own name, that of the git repository around it, and for a worktree that of the
repository it was made from. Guarantees: the real folder counts, not a link to it; a home folder,
what is above it and the folder for temporary files are no projects, nor is another folder of such a
name; the folder of the `vault` that asks is no repository, that of another vault is one. Projects
are told apart by name alone.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from engram.model.ids import slug, slugs_of

#: where many different things are done
_TEMPORARY = "tmp"
#: depth to which parent folders are searched for a repository
_DEEPEST = 64
#: `shop/.worktrees/x`, `shop/.claude/worktrees/x`, `shop__worktrees/x`, `.cursor/worktrees/shop/x`
_WORKTREES = re.compile(
    r"(?:/(?P<of>[^/]+?)(?:/\.worktrees|/\.claude/worktrees|[_.-]{1,2}worktrees)"
    r"|/\.cursor/worktrees/(?P<beside>[^/]+))/(?P<name>[^/]+)"
)
#: a file that names a worktree's repository is no longer, characters
_LONGEST = 4096


def project_names(folder: str, home: Path, vault: Path | None = None) -> tuple[str, ...]:
    """The project names of a working folder, its own first; none for what is no project."""
    if os.path.isabs(folder):
        folder = os.path.realpath(folder)
    if _holds(folder, home):
        return ()
    bare = folder.rstrip("/\\")
    names = [bare[max(bare.rfind("/"), bare.rfind("\\")) + 1 :]]
    if root := repository(folder, home, vault):
        names += (one.name.removesuffix(".git") for one in (root, _made_from(root)) if one)
    found = dict.fromkeys(one for name in names if name for one in slugs_of(name))
    nowhere = (_TEMPORARY, slug(Path(os.path.realpath(home)).name))
    return tuple(name for name in found if name not in nowhere)


def worktree(folder: str, home: Path, vault: Path | None = None) -> tuple[str, str]:
    """`(worktree, repository)`: the names of both for a folder in a worktree; else two empty ones.

    A worktree that is gone is known by where programs put theirs.
    """
    root = repository(folder, home, vault) if os.path.lexists(folder) else None
    if root is not None:
        made = _made_from(root)
        return (root.name, made.name.removesuffix(".git")) if made else ("", "")
    found = _WORKTREES.search(folder.replace("\\", "/"))
    return (found["name"], found["of"] or found["beside"]) if found else ("", "")


def repository(folder: str, home: Path, vault: Path | None = None) -> Path | None:
    """The git repository that a folder lies in; None for a home folder, and in this vault's."""
    if not os.path.isabs(folder):
        return None
    return repository_around(Path(os.path.realpath(folder)), home, vault)


def repository_around(folder: Path, home: Path, vault: Path | None = None) -> Path | None:
    """The same of a real path, such as that of a vault that is registered."""
    for one in (folder, *folder.parents)[:_DEEPEST]:
        if one == vault:
            return None
        if os.path.lexists(one / ".git"):
            return None if _holds(str(one), home) else one
    return None


def _holds(folder: str, home: Path) -> bool:
    """Whether a folder is the home folder, or one above it."""
    return bool(folder) and Path(os.path.realpath(home)).is_relative_to(folder)


def _made_from(root: Path) -> Path | None:
    """The repository of a worktree, if that knows of the worktree too."""
    kept = Path(os.path.normpath(root / _line(root / ".git").removeprefix("gitdir: ")))
    if kept.parent.name != "worktrees":
        return None
    back = os.path.realpath(kept / _line(kept / "gitdir"))
    if back != os.path.realpath(root / ".git"):
        return None
    shared = kept.parent.parent
    return shared.parent if shared.name == ".git" else shared


def _line(path: Path) -> str:
    """The only line of a small file; empty for anything else."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(_LONGEST).strip()
    except (OSError, ValueError):
        return ""
