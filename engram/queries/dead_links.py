"""Links in the notes of a vault that lead nowhere, as an editor follows them: by names of files.

Looked at are the links of the program, in headers and to its ids wherever they stand, and of the
person's own notes those that mean a file of the vault and do not lead there. A link to an entity
that has no page yet waits for one. An alias is no name: Obsidian makes a new note of such a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from engram.model.entity import TYPES
from engram.model.link_targets import link_key, stem_of
from engram.model.markdown import code_lines
from engram.store.base import layout
from engram.store.files.document import parse
from engram.store.files.link_names import is_given

if TYPE_CHECKING:
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections

_LINK = re.compile(r"\[\[([^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]")
_BLOCK = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
#: folders of the vault that hold no notes
_APART = (layout.STATE, layout.INBOX)


class DeadLink(NamedTuple):
    """A link that leads nowhere: the note that it stands on, its id if it has one, and why."""

    path: str
    id: str
    why: str


class VaultLinks:
    """The links of one vault, read once. `looked_at` is how many there are."""

    def __init__(self, disk: VaultDisk, projections: Projections) -> None:
        self._disk = disk
        self._projections = projections
        self._names = projections.names()
        self._known_blocks: dict[str, frozenset[str]] = {}
        self.looked_at = 0

    def dead(self) -> Iterator[DeadLink]:
        """Every link that leads nowhere, by note; `looked_at` counts on meanwhile."""
        rows = self._projections.catalog.files()
        for path in self._notes:
            if layout.kind_of(path) == "transcript":
                continue
            row = rows.get(path)
            for target in dict.fromkeys(self._links(path)):
                self.looked_at += 1
                if why := self._wrong(target, path):
                    yield DeadLink(path, row.id if row else "", why)

    @cached_property
    def _notes(self) -> Mapping[str, str]:
        """Every note of the folder and the name by which a link finds it, the nearest first."""
        root = self._disk.root
        paths = (path.relative_to(root).as_posix() for path in root.rglob("*.md"))
        shown = [one for one in paths if not _is_hidden(one)]
        return {
            one: link_key(stem_of(one))
            for one in sorted(shown, key=lambda one: (one.count("/"), one))
        }

    @cached_property
    def _called(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path, name in self._notes.items():
            found.setdefault(name, []).append(path)
        return found

    def _links(self, path: str) -> Iterator[str]:
        """The targets of a note's links that are looked at."""
        text = (self._disk.read(path) or b"").decode("utf-8", "replace")
        if "[[" not in text:
            return
        document = parse(text.encode("utf-8"))
        ours = layout.is_linked(path)
        for key, value in document.header.items() if ours else ():
            for item in value if isinstance(value, list) else [value]:
                for target in _LINK.findall(item):
                    if key != "entities" or self._is_there(target):
                        yield target
        lines = document.body.split("\n")
        for line, code in zip(lines, code_lines(lines), strict=True):
            for target in _LINK.findall(line) if not code and "[[" in line else ():
                name = target.partition("#")[0]
                if (is_given(name) and ours) or self._is_there(target):
                    yield target

    def _is_there(self, target: str) -> bool:
        """Whether a link means something that is in the vault."""
        meant = self._names.id_of(target).partition("#")[0]
        if is_given(meant) or meant.partition("-")[0] in TYPES:
            return bool(self._projections.view.taken([meant])) or self._shown(meant) != ""
        return meant != target.partition("#")[0]

    def _shown(self, meant: str) -> str:
        """The path of a transcript, by its name."""
        return self._projections.transcripts.find(meant) or ""

    def _wrong(self, target: str, path: str) -> str:
        """Why a link leads nowhere; '' for one that does."""
        name, _, place = target.partition("#")
        found = self._found(name, path)
        if not found:
            meant = self._names.id_of(target, path)
            now = self._names.link_to(meant)
            if now == meant and self._names.any() and self._projections.view.taken([meant]):
                return f"[[{target}]] leads nowhere: no link can name its file, so rename it"
            if now not in (meant, target):
                called = now.partition("#")[0]
                return f"[[{target}]] leads nowhere: its file is called {called} now"
            return f"[[{target}]] leads to no file"
        if place.startswith("^") and place[1:] not in self._blocks(found):
            return f"[[{target}]] leads to no block of {found}"
        return ""

    def _found(self, name: str, source: str) -> str:
        """The note that a link's name leads to."""
        wanted = link_key(name).lstrip("./")
        for path in self._called.get(wanted.rpartition("/")[2], ()):
            if f"/{link_key(path)}".endswith(f"/{wanted}"):
                return path
        return "" if wanted else source

    def _blocks(self, path: str) -> frozenset[str]:
        if path not in self._known_blocks:
            text = (self._disk.read(path) or b"").decode("utf-8", "replace")
            self._known_blocks[path] = frozenset(_BLOCK.findall(text))
        return self._known_blocks[path]


def _is_hidden(path: str) -> bool:
    return path.startswith(tuple(f"{one}/" for one in _APART)) or any(
        part.startswith(".") for part in path.split("/")
    )
