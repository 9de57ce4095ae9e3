"""Conflict copies and git markers in a vault -> one plan that merges them, or review questions.

A conflict copy is the sync tool's file, not the person's: its content is merged into the original,
and it is removed, both in one transaction that holds its bytes. Where `model.reconcile` cannot
decide, both files stay as they are, and a live memory is put into review, once for each copy.
Transcripts are merged first and directly: nothing of them is lost that an undo could bring back,
and no transaction may hold what `purge` destroys in transcripts. Refuses nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from engram.model.change import Change, Event, Plan
from engram.model.errors import BadInput, StorageError
from engram.model.memory import Memory
from engram.model.report import ConflictCopy
from engram.model.text import sha256_bytes
from engram.store.base import layout
from engram.store.base.copy_name import is_left_over
from engram.store.base.disk import VaultDisk
from engram.store.commits.projections import Projections
from engram.store.commits.scan import LARGEST
from engram.store.files.content_file import read_content, same_meaning
from engram.store.files.memory_file import memory_changes
from engram.store.merge.file_versions import merged_file, sides

KIND = "reunite"
#: the events of a merged copy, and of one that the person has to decide on
_TAKEN, _ASKED = "copy_reunited", "copy_kept"
REASON = "conflict copy"
_GONE = "the file that it is a copy of is not there"
_UNDECIDED = "the two versions say different things"
_TAKEN_BACK = "it was taken in before, and that was undone"


def conflict_copies(root: Path) -> list[str]:
    """The conflict copies in the content folders and above."""
    copies = layout.is_conflict_copy
    found = [name for name in os.listdir(root) if copies(name) and (root / name).is_file()]
    for top in (*layout.CONTENT, layout.TRANSCRIPTS, layout.STATE):
        if not os.path.islink(root / top):
            for folder, _, names in os.walk(root / top):
                if here := [name for name in names if copies(name)]:
                    place = Path(folder).relative_to(root).as_posix()
                    found += [f"{place}/{name}" for name in here]
    return sorted(found)


@dataclass(slots=True)
class CopyMerge:
    """Result of planning: new files, the outcome of each copy, and the events."""

    changes: dict[str, Change] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    apart: list[ConflictCopy] = field(default_factory=list)

    @property
    def plan(self) -> Plan:
        """The transaction."""
        return Plan(KIND, tuple(self.changes.values()), tuple(self.events))


class ConflictCopies:
    """The conflict copies of one vault, listed once; the writer lock must be held."""

    def __init__(self, disk: VaultDisk, projections: Projections) -> None:
        self._disk = disk
        self._projections = projections

    @cached_property
    def _copies(self) -> list[str]:
        return conflict_copies(self._disk.root)

    def transcripts(self, *, dry_run: bool = False) -> list[ConflictCopy]:
        """Merge transcripts with their copies, and both sides of those with git markers.

        A dry run writes nothing.
        """
        done: list[ConflictCopy] = []
        own = self._projections.transcripts
        for copy in self._copies:
            original = layout.original_of(copy)
            if layout.kind_of(original) != "transcript":
                continue
            path = own.find(original.rpartition("/")[2][:-3]) or original
            now, data = self._bytes(path), self._bytes(copy)
            why = _obstacle(copy, now, data)
            found = merged_file(path, now or b"", data or b"") if not why else None
            why = why or ("" if found is not None else _UNDECIDED)
            if now is not None and found is not None and not dry_run:
                own.replace(path, now, found)
                self._disk.remove(copy)
            done.append(ConflictCopy(copy, path, why))
        for path in list(own.paths()) if self._in_git() else ():
            now = self._bytes(path)
            found = self._unmarked(path, now)
            if now is not None and found is not None:
                if not dry_run:
                    own.replace(path, now, found)
                done.append(ConflictCopy(path, path))
        return done

    def plan(self) -> tuple[Plan, list[ConflictCopy]]:
        """The plan for all other copies and markers, and what becomes of each of them."""
        merge = CopyMerge()
        for copy in self._copies:
            original = layout.original_of(copy)
            if original.startswith(f"{layout.STATE}/") or original == layout.CONFIG:
                merge.apart.append(
                    ConflictCopy(copy, original, "logs and settings of two machines")
                )
            elif layout.kind_of(original) != "transcript":
                self._merge_copy(copy, original, merge)
        for path in self._suspect() if self._in_git() else ():
            now = self._bytes(path)
            found = self._unmarked(path, now)
            if found is not None:
                merge.changes[path] = Change(path, now, found, "versions brought together")
                self._tell(merge, _TAKEN, path, path, found, now)
                merge.apart.append(ConflictCopy(path, path))
        return merge.plan, merge.apart

    def _merge_copy(self, copy: str, original: str, merge: CopyMerge) -> None:
        data = self._bytes(copy)
        path = self._home(original, data)
        change = merge.changes.get(path)
        now = change.after if change is not None else self._bytes(path)
        why = _obstacle(copy, now, data)
        if why or data is None or now is None:
            merge.apart.append(ConflictCopy(copy, path, why))
            return
        why = _UNDECIDED
        if (found := merged_file(path, now, data)) is not None:
            if found == now or not self._known(_TAKEN, path, now, copy, data):
                before = change.before if change is not None else now
                if found != now:
                    merge.changes[path] = Change(path, before, found, "versions brought together")
                merge.changes[copy] = Change(copy, data, None, "conflict copy taken in")
                self._tell(merge, _TAKEN, path, copy, found, data)
                merge.apart.append(ConflictCopy(copy, path))
                return
            why = _TAKEN_BACK
        merge.apart.append(ConflictCopy(copy, path, why))
        if why == _UNDECIDED and change is None:
            self._ask(copy, path, now, data, merge)

    def _ask(self, copy: str, path: str, now: bytes, data: bytes, merge: CopyMerge) -> None:
        """Put a live memory into review; once, so that the person may confirm it as it is."""
        memory = read_content(path, now).content
        if not isinstance(memory, Memory) or memory.status != "active":
            return
        if self._known(_ASKED, path, now, copy, data):
            return
        asked = replace(memory, status="needs-review", status_reason=REASON)
        try:
            patched = memory_changes(now, memory, asked)
        except BadInput:
            return  # no header for a status; the doctor reports the copy
        merge.changes[path] = Change(path, now, patched, "needs-review")
        self._tell(merge, _ASKED, path, copy, now, data)

    def _tell(
        self, merge: CopyMerge, name: str, path: str, copy: str, now: bytes, data: bytes | None
    ) -> None:
        details = (("copy", copy), ("sha256", sha256_bytes(data or b"")))
        merge.events.append(Event(name, self._subject(path, now), details))

    def _known(self, name: str, path: str, now: bytes, copy: str, data: bytes) -> bool:
        """Whether that was done before with these very bytes of the copy."""
        wanted = {"copy": copy, "sha256": sha256_bytes(data)}
        events = self._projections.catalog.log.events(self._subject(path, now))
        return any(event.name == name and dict(event.details) == wanted for _, _, event in events)

    def _subject(self, path: str, data: bytes) -> str:
        return read_content(path, data).id if layout.content_type(path) else path

    def _home(self, original: str, data: bytes | None) -> str:
        """The path of the original of a copy, also when a person moved it."""
        kind = layout.content_type(original)
        if data is None or kind is None or self._bytes(original) is not None:
            return original
        return self._projections.catalog.home(kind, read_content(original, data).id) or original

    def _unmarked(self, path: str, data: bytes | None) -> bytes | None:
        """Both sides of a file with git markers, merged; None where that is not certain.

        Where both sides mean the same, the markers are quoted text about a conflict.
        """
        versions = sides(data) if data is not None else None
        if versions is None or same_meaning(path, *versions):
            return None
        return merged_file(path, *versions)

    def _suspect(self) -> list[str]:
        """Pages, and memories with an unreadable header: where markers can be resolved."""
        rows = self._projections.catalog.files()
        pages = [
            path for path, row in rows.items() if row.problem or layout.kind_of(path) != "memory"
        ]
        return [*pages, layout.PHASES]

    def _in_git(self) -> bool:
        root = self._disk.root
        return any((folder / ".git").exists() for folder in (root, *root.parents))

    def _bytes(self, path: str) -> bytes | None:
        """A file's bytes; None for what is gone, too large, or no file."""
        try:
            size = self._disk.size(path)
            large = size is None or (size > LARGEST and layout.content_type(path) is not None)
            return None if large else self._disk.read(path)
        except (BadInput, StorageError):
            return None


def _obstacle(copy: str, now: bytes | None, data: bytes | None) -> str:
    """Why a copy is not even compared; '' when it is."""
    if is_left_over(copy.rpartition("/")[2]):
        return "an older version, which a merge tool left"
    if not layout.is_storable(copy):
        return "a name that not every system can store"
    if data is None:
        return "it cannot be read"
    return _GONE if now is None else ""
