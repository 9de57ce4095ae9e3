"""Durable replacement of whole files, for every package that writes one.

`replace_file` leaves the old file or the new one, whatever crashes: temporary file beside it,
fsync, rename, fsync of the folder. Its steps are functions of their own for the disk of a vault,
which takes many files through each step together. All raise OSError as the system says it.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from threading import get_ident

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def replace_file(path: Path, data: bytes, *, keep_mode: bool = False) -> None:
    """Write a file as a whole, durably; on an error the old file is as it was.

    The file gets mode 0600, or keeps what it had with `keep_mode`; a new folder gets 0700.
    """
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    mode = stat.S_IMODE(path.stat().st_mode) if keep_mode and path.exists() else 0o600
    # this thread's alone, and short enough beside any name
    temporary = path.with_name(f".{path.name[:60]}.{os.getpid()}-{get_ident()}.tmp")
    temporary.unlink(missing_ok=True)
    try:
        handle = os.open(temporary, _NEW, 0o600)
        try:
            write_all(handle, data)
            fsync(handle)
        finally:
            os.close(handle)
        temporary.chmod(mode)
        move_over(str(temporary), str(path))
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_all(handle: int, data: bytes) -> None:
    """Write all of the data, in as many calls as the system takes for it."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def fsync(handle: int) -> None:
    """Wait until what was written is on the medium."""
    if sys.platform == "darwin":  # pragma: no cover - fsync stops at the drive's cache there
        import fcntl

        try:
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
        except OSError:
            pass  # some file systems refuse it; a plain fsync is the best they have
    os.fsync(handle)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    if os.name == "nt":  # folders cannot be opened there; the rename itself is journalled
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fsync(handle)
    finally:
        os.close(handle)


def move_over(source: str, target: str) -> None:
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
