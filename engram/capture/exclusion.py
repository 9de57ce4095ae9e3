"""Exclusion: which transcripts, working folders and projects `capture.exclude` keeps out.

Turns the globs of the setting and a path or a project into yes or no. What is kept out is not read,
or not kept, and no word of it is written: no title, no name of a project, no path.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from fnmatch import fnmatchcase

from engram.model.ids import slug, slugs_of

#: folders and projects of which is remembered whether they are excluded
_MOST_KNOWN = 4096
_WILD = re.compile(r"[*?\[]")


class Exclusion:
    """Whether `capture.exclude` keeps out a transcript, or a working folder and a project.

    Links on the way to a folder are followed, in the setting too.
    """

    def __init__(self, globs: Iterable[str]) -> None:
        self._globs = [name for glob in globs for name in _names(glob)]
        self._known: dict[tuple[str, str], bool] = {}

    def __call__(self, folder: str, project: str) -> bool:
        """Whether it is kept out; either may be empty."""
        known = self._known.get((folder, project))
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._globs != [] and any(
                excluded(name, one, self._globs)
                for name in _names(folder)
                for one in {project, project and slug(project)}
            )
            self._known[folder, project] = known
        return known


def _names(path: str) -> list[str]:
    """A path, and what it is without links; the part of a glob before its first wildcard."""
    wild = _WILD.search(path)
    fixed = path[: wild.start()].rpartition("/")[0] if wild else path
    whole = os.path.expanduser(fixed)
    if not os.path.isabs(whole) or "\0" in whole:
        return [path]
    real = os.path.realpath(whole)
    return [path] if real == whole.rstrip("/") else [path, real + path[len(fixed) :]]


def excluded(path: str, project: str, globs: Iterable[str]) -> bool:
    """Whether `capture.exclude` keeps a transcript, or a project, from being read.

    A glob may name a project (`acme`, `Acme Corp`, `client-*`), a folder or file anywhere on the
    path, a whole path (`/home/kim/private/**`; everything below is meant), or a working folder:
    agents that store transcripts under the folder's name with `-` for every other sign are
    understood. Case does not matter, nor which slash a path is written with; an empty path or
    project matches nothing.
    """
    names = [name for name in _folded(path).split("/") if name]
    parents = ["/".join(names[:count]) for count in range(2, len(names) + 1)]
    slugs = [slug(name) for name in names]
    subjects = [name for name in (_folded(project), *names, *slugs, *parents) if name]
    patterns = [pattern for glob in globs for pattern in _patterns(_folded(glob))]
    return any(fnmatchcase(subject, pattern) for pattern in patterns for subject in subjects)


def _patterns(glob: str) -> list[str]:
    """What a folded glob is compared as: itself, below any folder, as an agent names a folder."""
    whole = glob.removesuffix("/").removesuffix("/**").removesuffix("/*")
    bare = whole.removeprefix("~").strip("/")
    if not bare:
        return []
    if "/" not in whole:
        return [bare] if _WILD.search(bare) else [bare, *slugs_of(bare)]
    mangled = ("*" if whole.startswith("~") else "") + re.sub(
        r"[^a-z0-9*?\[\]]", "-", whole.removeprefix("~")
    )
    return [bare, f"*/{bare}", mangled, f"{mangled}-*"]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().replace("\\", "/")
