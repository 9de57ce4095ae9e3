"""The one door through which a vault's files are written: relative paths in, durable bytes out.

Guarantees: a file is either as before or as given, never half (temporary file, fsync, rename); a
created file never replaces another; nothing is written or read through a symlink or outside the
root; new folders are 0700, new files 0600, and an existing file keeps its mode. Refuses: paths
that leave the root (BadInput); a full, read-only or failing disk becomes StorageError.

Every durable step of the product goes through one of these few methods, so a crash test is a loop
over "stop at the k-th call".
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engram.model.errors import BadInput, StorageError

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)
_WRITEBACK = 2  # SYNC_FILE_RANGE_WRITE


class VaultDisk:
    """The Disk port on a real folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._start_writeback = _writeback_starter()

    def path(self, path: str) -> Path:
        """The absolute path of a vault path; raises BadInput when it leaves the vault."""
        parts = path.split("/")
        if "\0" in path or "\\" in path or any(part in ("", ".", "..") for part in parts):
            raise BadInput(f"not a path inside the vault: {path!r}")
        here = self.root
        for part in parts:
            here = here / part
            try:
                mode = os.lstat(here).st_mode
            except (FileNotFoundError, NotADirectoryError):
                return self.root.joinpath(*parts)
            except OSError as error:
                raise _storage(error, path) from error
            if stat.S_ISLNK(mode):
                raise BadInput(f"refusing to follow the symlink {path!r} inside the vault")
        return here

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, None when there is none; raises BadInput for a device."""
        target = self.path(path)
        try:
            # O_NONBLOCK: opening a FIFO that somebody put there must not hang
            handle = os.open(
                target, os.O_RDONLY | _BINARY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0)
            )
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _storage(error, path) from error
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise BadInput(f"not a regular file: {path!r}")
            return stream.read()

    def size(self, path: str) -> int | None:
        """The length of a file in bytes, or None when there is none."""
        try:
            return self.path(path).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return None

    def stage(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Write files durably as a group, to be moved into place by `place`.

        Write-back of all is started before the first fsync waits: the file system then commits
        them together, which makes five files cost about as much as two (docs/decisions/0003).
        """
        handles: list[int] = []
        try:
            with _mapped(files[0][0] if files else ""):
                for path, data in files:
                    handles.append(self._open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
                    _write_all(handles[-1], data)
                    self._start_writeback(handles[-1])
                for handle in reversed(handles):
                    _fsync(handle)
        finally:
            for handle in handles:
                os.close(handle)

    def place(self, staged: str, path: str, *, fresh: bool) -> None:
        """Move a staged file to its path; `fresh` raises FileExistsError over another file."""
        source, target = self.path(staged), self.path(path)
        with _mapped(path):
            self._folder(target.parent)
            if not fresh:
                if target.exists():
                    os.chmod(source, stat.S_IMODE(target.stat().st_mode))
                _replace(source, target)
                return
            try:
                os.link(source, target)
            except FileExistsError:
                raise
            except OSError:
                # a file system without hard links: the check and the rename are two steps there
                if target.exists():
                    raise FileExistsError(path) from None
                _replace(source, target)
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
        self.place(staged, path, fresh=True)

    def rename(self, path: str, to: str) -> None:
        """Rename within the vault, making the target's folder; replaces an existing target."""
        source, target = self.path(path), self.path(to)
        with _mapped(to):
            self._folder(target.parent)
            _replace(source, target)

    def append(self, path: str, data: bytes, *, sync: bool = True) -> None:
        """Append in one go; on failure the file is cut back to its length before."""
        with _mapped(path):
            handle = self._open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                before = os.fstat(handle).st_size
                try:
                    _write_all(handle, data)
                except OSError:
                    os.ftruncate(handle, before)
                    raise
                if sync:
                    _fsync(handle)
            finally:
                os.close(handle)

    def remove(self, path: str) -> None:
        """Remove a file; nothing happens when it is gone already."""
        with _mapped(path):
            self.path(path).unlink(missing_ok=True)

    def sync(self, folders: Iterable[str]) -> None:
        """fsync folders once each; does nothing where the system has no such thing (Windows)."""
        if os.name == "nt":
            return
        for folder in sorted(set(folders)):
            target = self.path(folder) if folder else self.root
            with _mapped(folder):
                try:
                    handle = os.open(target, os.O_RDONLY | _NOFOLLOW)
                except FileNotFoundError:
                    continue
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)

    def names(self, folder: str) -> list[str]:
        """The sorted names in a folder; empty when it does not exist."""
        try:
            return sorted(os.listdir(self.path(folder) if folder else self.root))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _storage(error, folder) from error

    def _open(self, path: str, flags: int) -> int:
        target = self.path(path)
        self._folder(target.parent)
        return os.open(target, flags | _BINARY | _NOFOLLOW, 0o600)

    def _folder(self, folder: Path) -> None:
        """Make a folder and what is missing above it, each name durable in its parent."""
        if folder.is_dir():
            return
        missing = [folder]
        while not missing[-1].parent.is_dir():
            missing.append(missing[-1].parent)
        for new in reversed(missing):
            new.mkdir(mode=0o700, exist_ok=True)
            self.sync([_relative(new.parent, self.root)])


def _relative(folder: Path, root: Path) -> str:
    inside = folder.relative_to(root).as_posix()
    return "" if inside == "." else inside


def _beside(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}.tmp" if folder else f".{name}.tmp"


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _fsync(handle: int) -> None:
    if sys.platform == "darwin":  # pragma: no cover - fsync stops at the drive's cache there
        import fcntl

        try:
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
        except OSError:
            pass  # some file systems refuse it; a plain fsync is the best they have
    os.fsync(handle)


def _replace(source: Path, target: Path) -> None:
    """Rename over a target; on Windows a reader may hold it open for a moment."""
    for wait in (0.01, 0.05, 0.2, 0.5, 1.0):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            if os.name != "nt":
                raise
            import time  # pragma: no cover

            time.sleep(wait)  # pragma: no cover
    os.replace(source, target)


class _NoWriteback:
    def __call__(self, handle: int) -> None:
        """Nothing to start early on this system: fsync does it all."""


def _writeback_starter() -> _NoWriteback | _LinuxWriteback:
    return _LinuxWriteback() if sys.platform == "linux" else _NoWriteback()


class _LinuxWriteback:
    """Linux's sync_file_range(2): begin writing a file's pages without waiting for them."""

    def __init__(self) -> None:
        self._call: object = None

    def __call__(self, handle: int) -> None:
        if self._call is None:
            import ctypes

            library = ctypes.CDLL(None, use_errno=True)
            call = getattr(library, "sync_file_range", None)
            if call is not None:
                wide = ctypes.c_int64
                call.argtypes = [ctypes.c_int, wide, wide, ctypes.c_uint]
            self._call = call if call is not None else _NoWriteback()
        if isinstance(self._call, _NoWriteback):
            return
        # a hint: whatever it answers, the fsync that follows decides
        self._call(handle, 0, 0, _WRITEBACK)  # type: ignore[operator]


@contextmanager
def _mapped(path: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        raise _storage(error, path) from error


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
