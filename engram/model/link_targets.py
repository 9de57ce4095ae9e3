"""What a link of the vault means: the target of a `[[link]]` -> the id of the file it leads to.

People rename and move files, and editors write the new name into every link. A link is resolved as
Obsidian does it: by the name of a file, whatever its case, with or without its folder and ending;
of several files of one name the nearest is meant. A name that a file had before still means it, as
long as no other file has it, and so does its id. `link_to` says how a file is to be linked so that
an editor finds it. Pure; only files whose name is not their id need to be known.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

_SUFFIX = re.compile(r"\.md$", re.IGNORECASE)
#: the pages of a vault, as names are compared: none of them is found by a name that they have too
_PAGES = frozenset({"home", "index", "profile", "identity", "phases", "readme"})
#: signs that end a link or its target: no editor can link to a name with one
_UNLINKABLE = re.compile(r"[#^|\[\]]")


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that a person named: its path in the vault, and the id of what is in it.

    `former`: no file stands there any more, or one with another id.
    """

    path: str
    id: str
    former: bool = False


def link_key(name: str) -> str:
    """A name as names are compared: without its ending, in one case and one normal form."""
    return unicodedata.normalize("NFC", _SUFFIX.sub("", name.strip())).casefold()


def stem_of(path: str) -> str:
    """The name of a file, without folder and ending."""
    return path.rpartition("/")[2].removesuffix(".md")


def is_linkable(name: str) -> bool:
    """Whether a link can lead to a file of that name."""
    return _UNLINKABLE.search(name) is None


class LinkResolver:
    """The files of a vault whose names people gave; without any, each link is what it says."""

    def __init__(self, files: Iterable[NamedFile]) -> None:
        self._named: dict[str, list[NamedFile]] = defaultdict(list)
        self._former: dict[str, list[NamedFile]] = defaultdict(list)
        self._homes: dict[str, NamedFile] = {}
        self.files = sorted(files, key=lambda one: (one.path.count("/"), one.path))
        for one in self.files:
            known = self._former if one.former else self._named
            known[link_key(stem_of(one.path))].append(one)
            if not one.former:
                self._homes.setdefault(one.id, one)

    def __bool__(self) -> bool:
        return bool(self._named or self._former)

    def id_of(self, target: str, source: str = "", below: str = "") -> str:
        """The id that a link's target means, with its block (`#^...`); '' for a name of no file.

        `source` is the path of the page that the link stands on; `below`: only files whose path
        begins so are meant.
        """
        name, mark, block = target.partition("#")
        path = link_key(name).lstrip("./")
        stem = path.rpartition("/")[2]
        for known in (self._named, self._former):
            fitting = (one for one in known.get(stem, ()) if one.path.startswith(below))
            if found := _at(path, fitting):
                return _nearest(found, source).id + mark + block
        return ""

    def leads(self, target: str) -> bool:
        """Whether a link leads to a file that people named, by the name that it has now."""
        path = link_key(target.partition("#")[0]).lstrip("./")
        return bool(_at(path, self._named.get(path.rpartition("/")[2], ())))

    def link_to(self, identifier: str) -> str:
        """What a link to an id has to say; '' where it is the id itself, or no link can lead there.

        A name that several files have is given with its folder.
        """
        home = self._homes.get(identifier)
        if home is None:
            return ""
        name = stem_of(home.path)
        alone = len(self._named[link_key(name)]) == 1 and link_key(name) not in _PAGES
        link = name if alone else home.path.removesuffix(".md")
        return link if is_linkable(link) else ""


def _at(path: str, files: Iterable[NamedFile]) -> list[NamedFile]:
    """The files that a target with folders fits; all of them for a bare name."""
    if "/" not in path:
        return list(files)
    return [one for one in files if f"/{link_key(one.path)}".endswith(f"/{path}")]


def _nearest(files: list[NamedFile], source: str) -> NamedFile:
    """The one in the folder of the page, else the one with the shortest path."""
    folder = source.rpartition("/")[0]
    return min(files, key=lambda one: one.path.rpartition("/")[0] != folder)
