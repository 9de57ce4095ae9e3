"""Scan for hand edits: what changed in the vault's folders since the catalog last saw them.

Turns a listing of the content folders and the catalog's rows into the files that are new, changed
or gone: by stat first, by hash where the stat differs, by meaning where the hash does, since an
editor that writes a header in another style has changed nothing. Guarantees: nothing is opened for
writing, no symlink is followed, a file or folder that cannot be read is reported and not taken for
deleted, a file larger than a memory can be is not read. Files are read in batches, so that memory
is bounded however many came, and what was recorded of them stays when somebody stops it. A budget
may end the look early; then `complete` is False and the rest is found next time.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, EngramError
from engram.model.link_targets import NamedFile
from engram.model.memory import Memory
from engram.model.text import sha256_bytes
from engram.store.base import layout
from engram.store.files.content_file import read_content

if TYPE_CHECKING:
    from engram.model.change import Change, Event
    from engram.model.item import Store
    from engram.store.base.disk import VaultDisk
    from engram.store.catalog.catalog import FileMark, FileRow
    from engram.store.files.link_names import LinkNames

#: a larger file is a document and no memory, bytes: it is neither read nor journalled
LARGEST = 1_000_000
#: why a file that is larger is not read
TOO_LARGE = f"larger than {LARGEST:,} bytes: too large for one memory"
#: what is recorded at once: files, and bytes but for the last file
BATCH, BATCH_BYTES = 2_000, 16_000_000
_DEPTH = 8
#: kind and id: a memory may have the same name as an entity
_Name = tuple[layout.Kind, str]
#: why a symlink is not read
LINK = "a symlink: nothing in a vault is read through one"


@dataclass(slots=True)
class Scan:
    """Files as they were read.

    `changed` has the bytes of new and changed files and `read` their rows, `touched` the rows of
    files whose stat alone changed, `rewritten` the new rows and bytes of files with the same
    meaning in other bytes, `gone` the paths without a file, `refused` what could not be read and
    why.
    """

    changed: dict[str, bytes] = field(default_factory=dict)
    read: dict[str, FileRow] = field(default_factory=dict)
    touched: list[FileRow] = field(default_factory=list)
    rewritten: list[tuple[FileRow, bytes]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    complete: bool = True

    @property
    def clean(self) -> bool:
        """Whether everything is as the catalog has it."""
        return self.complete and not (self.changed or self.gone)


@dataclass(slots=True)
class Differences:
    """Paths that are not as the catalog has them, by their stat alone: new, differing, gone.

    `refused` are those that are not read, with the reason; without `complete` more may differ.
    """

    new: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    complete: bool = True

    def __len__(self) -> int:
        return len(self.new) + len(self.differing) + len(self.gone)


def content_files(disk: VaultDisk, refused: dict[str, str] | None = None) -> Iterator[str]:
    """The Markdown files of the content folders, in order; no links, no hidden or foreign names.

    `refused` is given what is not read, with the reason.
    """
    walk = _Walk(disk)
    walk.refused = walk.refused if refused is None else refused
    for path, entry in walk.files(known=()):
        with suppress(FileNotFoundError):
            if walk.stat(path, entry) is not None:
                yield path


def compare(
    disk: VaultDisk,
    marks: Mapping[str, FileMark],
    out_of_time: Callable[[], bool] = lambda: False,
    start: float = 0.0,
    folders: Iterable[str] | None = None,
) -> Differences:
    """Compare the vault's content folders with what the catalog knows of them; nothing is read.

    Only some `folders`, without those below, where they are given; `marks` then has those in them.

    New files and removed ones are always found; changed ones while there is time, beginning at the
    share `start` (0 to 1) of what is known: many short looks with a random `start` see everything.
    """
    walk = _Walk(disk)
    listed = dict(walk.files(marks) if folders is None else walk.in_folders(folders, marks))
    found = Differences(refused=walk.refused)
    found.new = [path for path in sorted(listed.keys() - marks.keys()) if walk.fits(path, listed)]
    known = [path for path in listed if path in marks]
    begin = int(len(known) * start)
    for path in (*known[begin:], *known[:begin]):
        if out_of_time():
            found.complete = False
            break
        try:
            status = walk.stat(path, listed[path])
        except FileNotFoundError:
            found.gone.append(path)
            continue
        if status is None:
            continue
        if marks[path] != [status.st_size, status.st_mtime_ns, status.st_ctime_ns]:
            found.differing.append(path)
    found.gone += (path for path in marks.keys() - listed.keys() if not walk.is_closed(path))
    found.gone.sort()
    return found


def read_batch(
    disk: VaultDisk,
    row_of: Callable[[str], FileRow | None],
    found: Differences,
    names: Callable[[Iterable[NamedFile]], LinkNames] | None = None,
) -> tuple[Scan, Differences]:
    """Read some of the files that differ, at most a batch; the others are given back.

    New files first: a removed file may have been moved, so that none counts as gone before all new
    files were read, but for those whose id a new one has. `row_of` is asked again, for others may
    have recorded a file meanwhile. `names` says what links mean, with new files by their names: a
    link that was rewritten for a renamed file is no edit of the file that it stands in.
    """
    read, ids = Scan(refused=dict(found.refused), complete=found.complete), _Ids(names)
    waiting = [*found.new, *found.differing]
    size, count = 0, 0
    for path in waiting[:BATCH]:
        if size > BATCH_BYTES:
            break
        count += 1
        size += _compare(disk, path, row_of(path), read, ids)
    new = found.new[count:]
    differing = found.differing[max(0, count - len(found.new)) :]
    rest, claimed = Differences(complete=found.complete), None
    if new or differing:
        read.complete, claimed = False, {(layout.kind_of(one.path), one.id) for one in ids.new}
        rest = Differences(new, differing, complete=found.complete)
    for path in found.gone:
        row = row_of(path)
        if row is None:
            continue
        if claimed is not None and _name(row) not in claimed:
            rest.gone.append(path)
        elif _is_gone(disk, path):
            read.gone.append(path)
    return read, rest


def scan(
    disk: VaultDisk,
    rows: Mapping[str, FileRow],
    names: Callable[[Iterable[NamedFile]], LinkNames] | None = None,
) -> Scan:
    """All files that are not as the catalog has them, read."""
    rest = compare(disk, {path: list(row[1:4]) for path, row in rows.items()})
    whole = Scan(refused=rest.refused)
    while True:
        read, rest = read_batch(disk, rows.get, rest, names)
        whole.changed.update(read.changed)
        whole.read.update(read.read)
        whole.refused.update(read.refused)
        whole.touched += read.touched
        whole.rewritten += read.rewritten
        whole.gone += read.gone
        if not rest:
            return whole


def _compare(disk: VaultDisk, path: str, row: FileRow | None, found: Scan, ids: _Ids) -> int:
    """Note how a file differs from its row; returns the bytes that were read."""
    try:
        seen = disk.read_with_stat(path, LARGEST)
    except EngramError as error:
        found.refused[path] = str(error)
        return 0
    if seen is None:
        return 0
    status, data = seen
    now = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    if data is None:
        found.refused[path] = TOO_LARGE
    if data is None or (row is not None and (row.size, row.mtime_ns, row.ctime_ns) == now):
        return 0
    # imported here: hardly a file is not as the catalog has it
    from engram.store.catalog.catalog import FileRow
    from engram.store.files.content_file import meaning_of

    sha = sha256_bytes(data)
    if row is None:
        fresh = FileRow(path, *now, sha, "")
        ids.came(path, data)
    else:
        fresh = row._replace(size=now[0], mtime_ns=now[1], ctime_ns=now[2], sha=sha)
    if row is not None and row.sha == sha:
        found.touched.append(fresh)
    elif row is not None and row.meaning and row.meaning == meaning_of(path, ids.of(path, data)):
        found.rewritten.append((fresh, data))
    else:
        found.changed[path] = data
        found.read[path] = fresh
    return len(data)


def _is_gone(disk: VaultDisk, path: str) -> bool:
    """Whether no file stands there, whatever else does."""
    try:
        return not stat.S_ISREG(os.lstat(disk.path(path)).st_mode)
    except (FileNotFoundError, NotADirectoryError, BadInput):
        return True
    except OSError:
        return False


class _Ids:
    """What the links of changed files mean, given the new files that the scan has read by then."""

    def __init__(self, names: Callable[[Iterable[NamedFile]], LinkNames] | None) -> None:
        self._names = names
        self.new: list[NamedFile] = []
        self._meant: LinkNames | None = None

    def came(self, path: str, data: bytes) -> None:
        """Note a new file: links may have been rewritten for it."""
        self.new.append(NamedFile(path, read_content(path, data).id))
        self._meant = None

    def of(self, path: str, data: bytes) -> bytes:
        """A file's bytes with ids for the names of files in its links."""
        if self._names is None or b"[[" not in data:
            return data
        self._meant = self._meant or self._names(self.new)
        return self._meant.with_ids(path, data)


class _Walk:
    """One walk through the content folders; skipped paths are in `refused`, with the reason.

    Links, pipes and names that cannot be stored are ignored. A file that is too large, or a folder
    that cannot be listed, may be readable again later: what is known of it stays.
    """

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        self.refused: dict[str, str] = {}
        self._closed: set[str] = set()

    def files(self, known: Container[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Each Markdown file, in order; the names of the paths in `known` were checked before."""
        for top in layout.CONTENT:
            if os.path.islink(self._disk.root / top):
                self.refused[top] = LINK
            else:
                yield from self._folder(top, known, depth=0)

    def in_folders(
        self, folders: Iterable[str], known: Container[str]
    ) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Each Markdown file that lies in one of some folders, and not below it."""
        for folder in sorted(folders):
            if folder.partition("/")[0] in layout.CONTENT and folder.count("/") <= _DEPTH:
                yield from self._folder(folder, known, depth=_DEPTH + 1)

    def stat(self, path: str, entry: os.DirEntry[str]) -> os.stat_result | None:
        """The stat of a file that may be a memory; raises FileNotFoundError."""
        status = entry.stat(follow_symlinks=False)
        if status.st_size <= LARGEST:
            return status
        self.refused[path] = TOO_LARGE
        return None

    def fits(self, path: str, listed: Mapping[str, os.DirEntry[str]]) -> bool:
        """Whether a listed file is still there, and may be a memory."""
        try:
            return self.stat(path, listed[path]) is not None
        except FileNotFoundError:
            return False

    def is_closed(self, path: str) -> bool:
        """Whether the state of a path is unknown at present."""
        return any(path.startswith(name + "/") for name in self._closed)

    def _folder(
        self, folder: str, known: Container[str], depth: int
    ) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """People may make folders of their own; the depth is limited to eight."""
        try:
            entries = sorted(os.scandir(self._disk.root / folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        except OSError as error:
            self.refused[folder] = f"cannot be listed: {error.strerror}"
            self._closed.add(folder)
            return
        for entry in entries:
            path = f"{folder}/{entry.name}"
            if path in known and entry.is_file(follow_symlinks=False):
                yield path, entry
            elif layout.is_foreign_name(entry.name):
                continue
            elif entry.is_symlink():
                self.refused[path] = LINK
            elif not entry.is_dir(follow_symlinks=False):
                yield from self._file(path, entry)
            elif depth < _DEPTH:
                yield from self._folder(path, known, depth + 1)
            elif depth == _DEPTH:
                self.refused[path] = f"more than {_DEPTH} folders deep"

    def _file(self, path: str, entry: os.DirEntry[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
        if not entry.name.endswith(".md"):
            return
        if not entry.is_file(follow_symlinks=False):
            self.refused[path] = "no regular file"
        elif not layout.is_storable(path):
            self.refused[path] = "a name that not every system can store: rename it"
        else:
            yield path, entry


def edits(
    found: Scan,
    rows: Mapping[str, FileRow],
    differs: Callable[[Memory], tuple[Store, str] | None] = lambda memory: None,
) -> tuple[list[Change], list[Event]]:
    """A scan's edits: the versions seen, and an event for each (created|edited|moved|removed).

    `differs` tells store and kind of a memory that has no item there: its event names both, and
    those of new files are in the order of their time and id, in which they are numbered.
    """
    from engram.model.change import Change, Event
    from engram.model.numbering import place
    from engram.model.trace import HAND_EDIT

    gone = {_name(rows[path]) for path in found.gone if path in rows and rows[path].id}
    was = {_name(rows[path]) for path in found.changed if path in rows and rows[path].id}
    seen = [Change(path, None, None, "removed by hand") for path in found.gone]
    subjects: list[tuple[_Name, str]] = []
    memories: dict[str, Memory] = {}
    for path, data in sorted(found.changed.items()):
        read = read_content(path, data)
        name = layout.kind_of(path), read.id
        if isinstance(read.content, Memory) and not read.left_out:
            memories.setdefault(read.id, read.content)
        what = "edited" if path in rows and rows[path].sha else "created"
        if what == "created" and name in gone:
            what = "moved"
            gone.discard(name)
        seen.append(Change(path, None, data, f"{what} by hand"))
        if read.left_out:
            continue
        subjects.append((name, what))
    # a file may also continue under another id
    gone |= was - {name for name, _ in subjects}
    subjects.extend((name, "removed") for name in sorted(gone))
    created = {name: one.created for name, one in memories.items()}
    subjects.sort(key=lambda one: (one[0][0] != "memory", created.get(one[0][1], "~"), one[0]))
    events = []
    for (kind, identifier), what in subjects:
        memory = memories.get(identifier) if kind == "memory" and what != "removed" else None
        where = differs(memory) if memory is not None else None
        numbered = place(*where) if where else ()
        events.append(Event(HAND_EDIT, identifier, (("what", what), *numbered)))
    return seen, events


def _name(row: FileRow) -> _Name:
    return layout.kind_of(row.path), row.id
