"""Small files of the user outside vaults: bounded reads, atomic replacement, a folder lock.

`read_small` returns the content of a regular file and refuses everything that would block, flood or
mislead the reader (devices, pipes, huge files, bytes that are not UTF-8; symlinks where a stranger
could have put them). `replace` leaves the old file or the new one, whatever crashes. Files of a
vault are not written here but by `store`.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engram.model.atomic_file import replace_file
from engram.model.errors import ConfigError, StorageError

_MAX_BYTES = 4 * 1_048_576
_BOM = "\ufeff"
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_small(path: Path, *, follow: bool = True, most: int = _MAX_BYTES) -> str | None:
    """The text of a file, or None when there is none; a byte order mark is kept.

    `follow`: whether a symlink is read through; `most`: the bytes it may have. Raises ConfigError
    that names the file.
    """
    if not follow:
        refuse_symlink(path)
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    try:
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ConfigError(f"{path}: is not a regular file", "move it out of the way")
            data = stream.read(most + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(data) > most:
        raise ConfigError(f"{path}: is larger than {most} bytes", "move it out of the way")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: is not UTF-8", "save the file as UTF-8") from error


def refuse_symlink(path: Path) -> None:
    """Raise ConfigError when the path itself is a symlink."""
    if os.path.islink(path):
        raise ConfigError(f"{path}: is a symlink", "edit the file that it points to instead")


def refuse_lost_link(path: Path) -> None:
    """Raise ConfigError when the path is a symlink: nothing was found behind it."""
    if os.path.islink(path):
        raise ConfigError(f"{path}: is a link that leads nowhere", "mend the link, or remove it")


def without_mark(text: str) -> str:
    """The text without a leading byte order mark."""
    return text.removeprefix(_BOM)


def replace(path: Path, data: bytes, *, keep_mode: bool = False) -> None:
    """Write the whole file durably: temporary file, fsync, rename, fsync of the folder.

    The file gets mode 0600, or keeps its mode with `keep_mode`; a new folder gets 0700.
    Raises StorageError, and then the old file is as it was.
    """
    try:
        replace_file(path, data, keep_mode=keep_mode)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror or error}") from error


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Exclusive lock on a folder of the user, for those who change its files (not on Windows).

    The folder itself is locked, so that no lock file is left beside the files; it is made when
    missing. Raises StorageError.
    """
    from engram.model.file_lock import take_lock

    if os.name == "nt":
        yield
        return
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StorageError(f"{folder}: cannot be used: {error.strerror or error}") from error
    try:
        take_lock(descriptor, math.inf)
        yield
    finally:
        os.close(descriptor)


def _unreadable(path: Path, error: Exception) -> ConfigError:
    reason = getattr(error, "strerror", None) or error
    return ConfigError(f"{path}: cannot be read: {reason}", "check the file and its permissions")
