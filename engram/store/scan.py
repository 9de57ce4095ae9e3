"""Hand edits: what changed in the vault's folders since the catalog last looked.

Turns a listing of the content folders and the catalog's rows into the files that are new, changed
or gone: by stat first, by hash where the stat differs. Guarantees: nothing is opened for writing,
no symlink is followed, a file or folder that cannot be read is reported and not taken for deleted,
a file larger than a memory can be is not read. A budget may end it early; then `complete` is False
and the rest is found next time.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from engram.model.change import Change
from engram.model.errors import EngramError
from engram.store import layout
from engram.store.catalog import FileRow
from engram.store.disk import VaultDisk
from engram.store.memory_file import read_memory
from engram.store.transaction import sha256

#: a larger file is a document and no memory, bytes: it is neither read nor journalled
LARGEST = 1_000_000
_DEPTH = 8
#: why a symlink is not read
LINK = "a symlink: nothing in a vault is read through one"


@dataclass(slots=True)
class Scan:
    """What a look at the vault found.

    `changed` has the bytes of new and changed files, `touched` the rows of files whose stat alone
    changed, `gone` the paths without a file, `refused` what could not be read and why.
    """

    changed: dict[str, bytes] = field(default_factory=dict)
    touched: list[FileRow] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    complete: bool = True

    @property
    def clean(self) -> bool:
        """Whether everything is as the catalog has it."""
        return self.complete and not (self.changed or self.gone)


def content_files(disk: VaultDisk) -> Iterator[str]:
    """The Markdown files of the content folders, in order; no links, no hidden or foreign names."""
    for path, _ in _Walk(disk).files():
        yield path


def scan(
    disk: VaultDisk, rows: Mapping[str, FileRow], out_of_time: Callable[[], bool] = lambda: False
) -> Scan:
    """Compare the vault's content folders with what the catalog knows of them."""
    walk = _Walk(disk)
    found = Scan(refused=walk.refused)
    seen: set[str] = set()
    for path, status in walk.files():
        if out_of_time():
            found.complete = False
            return found
        seen.add(path)
        row = rows.get(path)
        now = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if row is not None and (row.size, row.mtime_ns, row.ctime_ns) == now:
            continue
        try:
            data = disk.read(path)
        except EngramError as error:
            found.refused[path] = str(error)
            continue
        if data is None:
            seen.discard(path)
        elif row is not None and row.sha == sha256(data):
            found.touched.append(FileRow(path, *now, row.sha, row.id, row.problem))
        else:
            found.changed[path] = data
    found.gone = sorted(path for path in set(rows) - seen if not walk.is_closed(path))
    return found


class _Walk:
    """One walk through the content folders; what is passed over is in `refused`, with the reason.

    Links, pipes and names that cannot be stored are nothing. A file that is too large, or a folder
    that cannot be listed, may be readable again tomorrow: what is known of it stays.
    """

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        self.refused: dict[str, str] = {}
        self._closed: set[str] = set()

    def files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Path and stat of each Markdown file, in order."""
        for top in layout.CONTENT:
            if os.path.islink(self._disk.root / top):
                self.refused[top] = LINK
            else:
                yield from self._folder(top, depth=0)

    def is_closed(self, path: str) -> bool:
        """Whether nothing can be said of a path at present."""
        return any(path == name or path.startswith(name + "/") for name in self._closed)

    def _folder(self, folder: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
        """People may make folders of their own; eight levels are enough for anyone's order."""
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
            if layout.is_foreign_name(entry.name):
                continue
            if entry.is_symlink():
                self.refused[path] = LINK
            elif not entry.is_dir(follow_symlinks=False):
                yield from self._file(path, entry)
            elif depth < _DEPTH:
                yield from self._folder(path, depth + 1)
            else:
                self.refused[path] = f"more than {_DEPTH} folders deep"

    def _file(self, path: str, entry: os.DirEntry[str]) -> Iterator[tuple[str, os.stat_result]]:
        if not entry.name.endswith(".md"):
            return
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        if not stat.S_ISREG(status.st_mode):
            self.refused[path] = "no regular file"
        elif "\\" in path or not _is_storable(path):
            self.refused[path] = "a name that not every system can store: rename it"
        elif status.st_size > LARGEST:
            self.refused[path] = f"larger than {LARGEST:,} bytes: too large for one memory"
            self._closed.add(path)
        else:
            yield path, status


def _is_storable(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def edits(found: Scan, rows: Mapping[str, FileRow]) -> tuple[list[Change], list[tuple[str, str]]]:
    """What a scan found, as the versions seen and as `(id, created|edited|moved|removed)`."""
    gone = {rows[path].id for path in found.gone if rows[path].id}
    was = {rows[path].id for path in found.changed if path in rows and rows[path].id}
    seen = [Change(path, None, None, "removed by hand") for path in found.gone]
    subjects: list[tuple[str, str]] = []
    for path, data in sorted(found.changed.items()):
        identifier = read_memory(path, data).memory.id
        what = "edited" if path in rows and rows[path].sha else "created"
        if what == "created" and identifier in gone:
            what = "moved"
            gone.discard(identifier)
        seen.append(Change(path, None, data, f"{what} by hand"))
        subjects.append((identifier, what))
    # a file may also go on under another id
    gone |= was - {identifier for identifier, _ in subjects}
    subjects.extend((identifier, "removed") for identifier in sorted(gone))
    return seen, subjects
