"""Disk of a vault: the only code that writes its files; relative paths in, durable bytes out.

Guarantees: a file is either as before or as given, never half (temporary file, fsync, rename; only
`overwrite` writes in place); a created file never replaces another; nothing is written or read
through a symlink or outside the root; new folders are 0700, new files 0600, and an existing file
keeps its mode. Refuses: paths that leave the root (BadInput); a full, read-only or failing disk
becomes StorageError.

Every durable step of the product goes through one of these few methods, so a crash test is a loop
over "stop at the k-th call".
"""

from __future__ import annotations

import errno
import math
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engram.model.atomic_file import fsync, move_over, write_all
from engram.model.errors import BadInput, StorageError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
#: opening a FIFO that somebody put there must not hang
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)
#: bytes that are read at a time of a file that grew meanwhile, or that is long
_PIECE = 1 << 20
#: files whose fsync is waited for at the same time
_AT_ONCE = 8


#: of a file; no bytes where there are too many
StatAndBytes = tuple[os.stat_result, bytes | None]


class VaultDisk:
    """The Disk port on a real folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._root = str(root)
        self._waiters: ThreadPoolExecutor | None = None

    def path(self, path: str) -> Path:
        """The absolute path of a vault path; raises BadInput when it leaves the vault."""
        return Path(self._at(path))

    def _at(self, path: str) -> str:
        parts = path.split("/")
        if "\0" in path or "\\" in path or not {"", ".", ".."}.isdisjoint(parts):
            raise BadInput(f"not a path inside the vault: {path!r}")
        here = self._root
        for number, part in enumerate(parts, 1):
            here = f"{here}{os.sep}{part}"
            try:
                mode = os.lstat(here).st_mode
            except (FileNotFoundError, NotADirectoryError):
                return os.sep.join((here, *parts[number:]))
            except OSError as error:
                raise _storage(error, path) from error
            except UnicodeEncodeError as error:
                raise BadInput(f"not a path inside the vault: {path!r}") from error
            if stat.S_ISLNK(mode):
                raise BadInput(f"refusing to follow the symlink {path!r} inside the vault")
        return here

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, None when there is none; raises BadInput for a device."""
        with self._reading(path) as found:
            return None if found is None else _content(found[0], found[1].st_size)

    def read_with_stat(self, path: str, most: float = math.inf) -> StatAndBytes | None:
        """The same with the file's stat, taken before: a later change shows in the next one.

        No bytes of a file that has more than `most`.
        """
        with self._reading(path) as found:
            if found is None:
                return None
            handle, status = found
            return status, _content(handle, status.st_size) if status.st_size <= most else None

    def pieces(self, path: str, places: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes at `(offset, length)` of a file, without reading the rest of it."""
        with self._reading(path) as found:
            if found is None:
                return [b""] * len(places)
            with os.fdopen(found[0], "rb", closefd=False) as stream:
                pieces = []
                for offset, length in places:
                    stream.seek(offset)
                    pieces.append(stream.read(length))
                return pieces

    @contextmanager
    def _reading(self, path: str) -> Iterator[tuple[int, os.stat_result] | None]:
        """The descriptor of a regular file, open, and its stat; None when there is none."""
        target = self._at(path)
        try:
            handle = os.open(target, os.O_RDONLY | _BINARY | _NOFOLLOW | _NONBLOCK)
        except (FileNotFoundError, NotADirectoryError):
            yield None
            return
        except OSError as error:
            raise _storage(error, path) from error
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise BadInput(f"not a regular file: {path!r}")
            yield handle, status
        except OSError as error:
            raise _storage(error, path) from error
        finally:
            os.close(handle)

    def size(self, path: str) -> int | None:
        """The length of a file in bytes, or None when there is none."""
        target = self._at(path)
        try:
            return os.stat(target).st_size
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _storage(error, path) from error

    def check_room(self, size: int) -> None:
        """Raise StorageError where fewer bytes than this are free."""
        # imported here: only who writes needs it
        from shutil import disk_usage

        with _mapped(""):
            total, used, _ = disk_usage(self._root)
        # a folder in a network may not say; root may use the last blocks too
        if total and total - used < size:
            raise StorageError("the disk is full: nothing was written")

    def stage(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Write files durably as a group, to be moved into place by `place`.

        All are written before the first fsync, and their fsyncs wait side by side: a journalling
        file system then commits them together (docs/decisions/0003).
        """
        handles: list[int] = []
        try:
            with _mapped(files[0][0] if files else ""):
                for path, data in files:
                    handles.append(self._open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
                    write_all(handles[-1], data)
                self._fsync_all(handles)
        finally:
            for handle in handles:
                os.close(handle)

    def _fsync_all(self, handles: Sequence[int]) -> None:
        if len(handles) == 1:
            fsync(handles[0])
            return
        if self._waiters is None:
            # imported here: reading a vault does not pay for it
            from concurrent.futures import ThreadPoolExecutor

            self._waiters = ThreadPoolExecutor(_AT_ONCE)
        for _ in self._waiters.map(fsync, handles):
            pass

    def place(self, staged: str, path: str, *, fresh: bool) -> None:
        """Move a staged file to its path; `fresh` raises FileExistsError over another file."""
        source, target = self._at(staged), self._at(path)
        with _mapped(path):
            self._folder_of(target)
            if not fresh:
                with suppress(FileNotFoundError):
                    os.chmod(source, stat.S_IMODE(os.stat(target).st_mode))
                move_over(source, target)
                return
            try:
                os.link(source, target)
            except FileExistsError:
                raise
            except OSError:
                # a file system without hard links: the check and the rename are two steps there
                if os.path.exists(target):
                    raise FileExistsError(path) from None
                move_over(source, target)
            else:
                os.unlink(source)

    def put(self, path: str, data: bytes) -> None:
        """Replace or create one file; its folder is made durable by `sync`."""
        staged = _beside(path)
        self.stage([(staged, data)])
        self.place(staged, path, fresh=False)

    def create(self, path: str, data: bytes) -> None:
        """Create one file; raises FileExistsError instead of overwriting."""
        staged = _beside(path)
        self.stage([(staged, data)])
        try:
            self.place(staged, path, fresh=True)
        except FileExistsError:
            self.remove(staged)
            raise

    def rename(self, path: str, to: str) -> None:
        """Rename within the vault, making the target's folder; replaces an existing target."""
        source, target = self._at(path), self._at(to)
        with _mapped(to):
            self._folder_of(target)
            move_over(source, target)

    def append(self, path: str, data: bytes, *, sync: bool = True) -> None:
        """Append in one go; on failure the file is cut back to its length before."""
        with _mapped(path):
            handle = self._open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                before = os.fstat(handle).st_size
                try:
                    write_all(handle, data)
                except OSError:
                    os.ftruncate(handle, before)
                    raise
                if sync:
                    fsync(handle)
            finally:
                os.close(handle)

    def overwrite(self, path: str, places: Sequence[tuple[int, bytes]]) -> None:
        """Put bytes over others of a file, at `(offset, bytes)`: its length stays.

        The one write that is not atomic: for a log that others append to without a lock, whose
        lines a new file in its place would lose.
        """
        with _mapped(path):
            handle = os.open(self._at(path), os.O_RDWR | _BINARY | _NOFOLLOW | _NONBLOCK)
            with os.fdopen(handle, "r+b", buffering=0) as stream:
                for offset, data in places:
                    stream.seek(offset)
                    write_all(handle, data)
                fsync(handle)

    def remove(self, path: str) -> None:
        """Remove a file; nothing happens when it is gone already."""
        with _mapped(path), suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(self._at(path))

    def sync(self, folders: Iterable[str]) -> None:
        """fsync folders once each; does nothing where the system has no such thing (Windows)."""
        if os.name == "nt":
            return
        handles: list[int] = []
        try:
            with _mapped("a folder of the vault"):
                for folder in sorted(set(folders)):
                    target = self._at(folder) if folder else self._root
                    try:
                        handles.append(os.open(target, os.O_RDONLY | _NOFOLLOW))
                    except FileNotFoundError:
                        continue
                if handles:
                    self._fsync_all(handles)
        finally:
            for handle in handles:
                os.close(handle)

    def names(self, folder: str) -> list[str]:
        """The sorted names in a folder; empty when there is none, or only a symlink to one."""
        try:
            return sorted(os.listdir(self._at(folder) if folder else self._root))
        except (FileNotFoundError, NotADirectoryError, BadInput):
            return []
        except OSError as error:
            raise _storage(error, folder) from error

    def _open(self, path: str, flags: int) -> int:
        target = self._at(path)
        flags |= _BINARY | _NOFOLLOW | _NONBLOCK
        try:
            handle = os.open(target, flags, 0o600)
        except FileNotFoundError:
            self._folder_of(target)
            handle = os.open(target, flags, 0o600)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise BadInput(f"not a regular file: {path!r}")
        return handle

    def _folder_of(self, target: str) -> None:
        """Make the folder of a file and what is missing above it, each name durable."""
        missing = []
        folder = os.path.dirname(target)
        while not os.path.isdir(folder):
            if folder == self._root:
                # moved away, or unmounted: a new one in its place would be in its way back
                raise StorageError(f"{self._root} is gone", "bring the folder back")
            missing.append(folder)
            folder = os.path.dirname(folder)
        for new in reversed(missing):
            os.makedirs(new, mode=0o700, exist_ok=True)
            self.sync([_relative(os.path.dirname(new), self._root)])


def _relative(folder: str, root: str) -> str:
    return folder[len(root) + 1 :].replace(os.sep, "/")


def _beside(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}.tmp" if folder else f".{name}.tmp"


@contextmanager
def _mapped(path: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        raise _storage(error, path) from error


def _content(handle: int, size: int) -> bytes:
    """All that is left of an open file whose size was this: without the buffer of a stream."""
    # one byte more than there is: a file that did not grow ends with one call
    pieces = [os.read(handle, size + 1)]
    while len(pieces[-1]) > 0 and sum(map(len, pieces)) != size:
        pieces.append(os.read(handle, _PIECE))
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _storage(error: OSError, path: str) -> StorageError:
    """What the system said about a path, as an error with a hint."""
    if error.errno in _FULL:
        return StorageError(f"the disk is full: {path} was not written")
    if error.errno == errno.ELOOP:
        return StorageError(f"refusing to follow the symlink {path!r} inside the vault")
    if error.errno in _DENIED:
        return StorageError(
            f"no permission for {path or 'the vault'}",
            "check the owner and mode of the vault's folder",
        )
    return StorageError(f"{path}: {error.strerror or error}")
