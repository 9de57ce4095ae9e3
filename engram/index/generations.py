"""Index generations on disk: built aside, published by an atomic pointer, checked by a manifest.

    <folder>/CURRENT            `gen-7`: replaced atomically, which is the commit
    <folder>/gen-7/             never changed once it is published
        manifest.json           what made it, what it holds, and every file of it
        memories/ turns/ pages/ one Whoosh index each
    <folder>/.build-<pid>/      the next one, while it is written

An update links the files of the current generation into a new build (they are never written to
again), lets the caller change that, and publishes it: documents and the number of the last
transaction seen become visible in one step, a reader sees the old generation or the new one, and a
crash leaves a build that nobody opens and the next writer removes. Everything is synced before the
pointer names it.

The files hold pickles, so opening a foreign one would run its author's code. A generation is
therefore opened only when its folders are ours and 0700, its files are ours and 0600, and
size, time and inode of each are those in the manifest: a file that was added, replaced, cut short
or copied from another machine makes the generation unusable before anything of it is opened.

One writer at a time: the caller holds the vault's writer lock. Readers need none.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from engram.index.contract import COLLECTIONS, IndexUnusable
from engram.model.atomic_file import replace_file, sync_folder

_log = logging.getLogger(__name__)

_GENERATION = re.compile(r"gen-(\d{1,12})")
_LEFTOVER = re.compile(r"\.build-\d+|\.CURRENT[-.][\d-]+(?:\.tmp)?")
_OURS = re.compile(rf"gen-\d{{1,12}}|CURRENT|{_LEFTOVER.pattern}")
_POINTER = "CURRENT"
_MANIFEST = "manifest.json"
#: a pointer or manifest larger than this was not written here, bytes
_LARGEST_RECORD = 1 << 20

#: Size in bytes, time of last change in nanoseconds, inode.
FileMark = tuple[int, int, int]


class Manifest(NamedTuple):
    """Manifest of a generation.

    `made_by` names the library and its version, `schema` our fields and analysis; `files` maps
    `turns/name` to its mark.
    """

    made_by: str
    schema: str
    memories: int = 0
    turns: int = 0
    seen: int | None = None
    files: Mapping[str, FileMark] = MappingProxyType({})
    pages: int = 0


class Generation(NamedTuple):
    """A published generation that passed every check."""

    number: int
    folder: Path
    manifest: Manifest


class Generations:
    """The generations of one index folder."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the index folder; it need not exist."""
        self._folder = folder

    def current(self) -> Generation:
        """The current generation, checked; raises IndexUnusable with the reason."""
        if self.pointer() is None:
            raise IndexUnusable("there is no index yet")
        _require_private(self._folder)
        name = _read(self._folder / _POINTER).decode("ascii", "replace").strip()
        match = _GENERATION.fullmatch(name)
        if match is None:
            raise IndexUnusable("the pointer to the index is damaged")
        return _checked(int(match[1]), self._folder / name)

    def pointer(self) -> FileMark | None:
        """The mark of the pointer, which changes with every generation; None without a pointer."""
        try:
            return _mark(self._folder / _POINTER)
        except FileNotFoundError:
            return None

    @contextmanager
    def building(self, base: Generation | None) -> Iterator[Path]:
        """A private folder with the files of `base`, or empty; removed unless published.

        Raises IndexUnusable when the index folder is not ours to write to.
        """
        self._claim()
        self._sweep(_LEFTOVER)
        build = self._folder / f".build-{os.getpid()}"
        build.mkdir(mode=0o700)
        try:
            for collection in COLLECTIONS:
                (build / collection).mkdir(mode=0o700)
            if base is not None:
                for name in base.manifest.files:
                    _link(base.folder / name, build / name)
            yield build
        finally:
            if build.exists():
                _remove(build)

    def publish(self, build: Path, manifest: Manifest, base: Generation | None) -> Generation:
        """Sync a build, give it the next number, and set the pointer to it.

        The `base` of an update stays for readers that have just read the pointer; older generations
        are removed, and all are after a full rebuild: nothing that it does not hold is left behind.
        """
        synced = set(base.manifest.files.values()) if base else set()
        files = _sealed(build, synced)
        replace_file(build / _MANIFEST, _to_json(manifest, files))
        for collection in COLLECTIONS:
            sync_folder(build / collection)
        number = 1 + max(self._numbers(), default=0)
        target = self._folder / f"gen-{number}"
        os.rename(build, target)
        sync_folder(self._folder)
        replace_file(self._folder / _POINTER, target.name.encode("ascii") + b"\n")
        self._sweep(_GENERATION, keep={target.name} | ({base.folder.name} if base else set()))
        return Generation(number, target, manifest._replace(files=files))

    def drop(self) -> None:
        """Remove pointer, generations and builds; foreign names stay."""
        if self._folder.is_symlink() or not self._folder.exists():
            return
        (self._folder / _POINTER).unlink(missing_ok=True)
        for name in self._names(_OURS):
            _remove(self._folder / name)
        sync_folder(self._folder)

    def _claim(self) -> None:
        """Make the folder private; content that was open to others is removed, not read."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            _require_private(self._folder)
        except IndexUnusable:
            if self._folder.is_symlink() or not _is_ours(self._folder.lstat()):
                raise
            self.drop()
            self._folder.chmod(0o700)

    def _names(self, pattern: re.Pattern[str]) -> list[str]:
        return sorted(name for name in os.listdir(self._folder) if pattern.fullmatch(name))

    def _numbers(self) -> list[int]:
        return [int(name.removeprefix("gen-")) for name in self._names(_GENERATION)]

    def _sweep(self, pattern: re.Pattern[str], keep: set[str] | None = None) -> None:
        """Remove leftovers; one that cannot be removed now (open on Windows) is tried next time."""
        for name in self._names(pattern):
            if name not in (keep or ()):
                try:
                    _remove(self._folder / name)
                except OSError as error:
                    _log.info("could not remove %s yet: %s", name, error)


def _checked(number: int, folder: Path) -> Generation:
    """The generation in a folder; raises IndexUnusable unless all of it is as published."""
    _require_private(folder)
    for collection in COLLECTIONS:
        _require_private(folder / collection)
    manifest = _from_json(_read(folder / _MANIFEST))
    if sorted(os.listdir(folder)) != sorted((*COLLECTIONS, _MANIFEST)):
        raise IndexUnusable("the index holds something that engram did not put there")
    if _files_of(folder) != manifest.files:
        raise IndexUnusable("the files of the index are not those that engram wrote")
    return Generation(number, folder, manifest)


def _files_of(folder: Path) -> dict[str, FileMark]:
    """`turns/name` -> mark of each file of a generation; raises IndexUnusable for a foreign one."""
    marks: dict[str, FileMark] = {}
    for collection in COLLECTIONS:
        for name in sorted(os.listdir(folder / collection)):
            path = folder / collection / name
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode) or not _is_ours(status) or _is_open(status):
                raise IndexUnusable("a file of the index is not a private file of yours")
            marks[f"{collection}/{name}"] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return marks


def _sealed(build: Path, synced: set[FileMark]) -> dict[str, FileMark]:
    """Make the files of a build private and durable; those marked in `synced` are already."""
    for collection in COLLECTIONS:
        for path in sorted((build / collection).iterdir()):
            if _mark(path) not in synced:
                path.chmod(0o600)
                file = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(file)
                finally:
                    os.close(file)
    return _files_of(build)


def _mark(path: Path) -> FileMark:
    status = path.lstat()
    return (status.st_size, status.st_mtime_ns, status.st_ino)


def _is_ours(status: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def _is_open(status: os.stat_result) -> bool:
    """Whether others may read or write it, where the system has such modes."""
    return hasattr(os, "getuid") and bool(status.st_mode & 0o077)


def _require_private(folder: Path) -> None:
    try:
        status = folder.lstat()
    except OSError as error:
        raise IndexUnusable("a folder of the index is missing") from error
    if not stat.S_ISDIR(status.st_mode) or not _is_ours(status):
        raise IndexUnusable("a folder of the index is not a folder of yours")
    if _is_open(status):
        raise IndexUnusable("a folder of the index is open to others")


def _read(path: Path) -> bytes:
    """The bytes of a small private file; raises IndexUnusable for anything else."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or not _is_ours(status) or _is_open(status):
            raise IndexUnusable(f"{path.name} of the index is not a private file of yours")
        if status.st_size > _LARGEST_RECORD:
            raise IndexUnusable(f"{path.name} of the index is too large")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise IndexUnusable(f"{path.name} of the index is missing") from error


def _link(source: Path, target: Path) -> None:
    """Hard link to a file, or a copy where the file system has no links."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copyfile(source, target, follow_symlinks=False)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _to_json(manifest: Manifest, files: Mapping[str, FileMark]) -> bytes:
    record = manifest._asdict() | {"files": files}
    return json.dumps(record, indent=1, sort_keys=True).encode("utf-8") + b"\n"


def _from_json(data: bytes) -> Manifest:
    """Raises IndexUnusable for anything but what `_to_json` writes."""
    try:
        record = json.loads(data)
        record["files"] = {
            name: (int(size), int(time), int(inode))
            for name, (size, time, inode) in record["files"].items()
        }
        manifest = Manifest(**record)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise IndexUnusable("the manifest of the index is damaged") from error
    counts = (manifest.memories, manifest.turns, manifest.pages)
    seen = manifest.seen
    if any(type(number) is not int for number in (*counts, 0 if seen is None else seen)):
        raise IndexUnusable("the manifest of the index is damaged")
    return manifest
