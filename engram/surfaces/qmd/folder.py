"""A folder of Markdown -> its documents, in order, as qmd would index them.

Guarantees: no symlink is followed, nothing outside the folder is read, hidden parts and the folders
that hold other people's code are skipped; a file that cannot be read is named, and the others are
still given. Files larger than a document can be are not read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from engram.surfaces.qmd.globs import Glob, masks

_PASSED_OVER = frozenset({"node_modules", ".git", ".cache", "vendor", "dist", "build"})
#: larger files are data and no documents, bytes
LARGEST = 64_000_000

#: neither through a link nor waiting for the other end of a pipe
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

_HEADING = re.compile(r"^##?\s+(.+)$", re.MULTILINE)
_SECOND = re.compile(r"^##\s+(.+)$", re.MULTILINE)
_ORG_TITLE = re.compile(r"^#\+TITLE:\s*(.+)$", re.MULTILINE | re.IGNORECASE)
_ORG_HEADING = re.compile(r"^\*+\s+(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FolderFile:
    """One file: its path in the folder, its text, and the stat that it had."""

    path: str
    text: str
    size: int
    mtime_ns: int

    @property
    def hash(self) -> str:
        """SHA-256 of the text, of which the first six digits are the docid."""
        from hashlib import sha256  # a search has no use for it

        return sha256(self.text.encode("utf-8", "replace")).hexdigest()

    @property
    def modified(self) -> str:
        """When the file was changed last, as an instant."""
        return instant(self.mtime_ns / 1e9)


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that was there and could not be read; what is known of it stays."""

    path: str
    code: str


def paths(root: str, pattern: str, ignore: tuple[str, ...] = ()) -> Iterator[str]:
    """The relative paths of the files of a folder that a mask means, sorted by path."""
    wanted = [Glob(one) for one in masks(pattern)]
    unwanted = [Glob(rule.strip("/"), dot=True) for rule in ignore if rule.strip("/")]
    for path in _walk(root, [Glob(rule.rstrip("/*"), dot=True) for rule in _whole_folders(ignore)]):
        if any(glob.matches(path) for glob in wanted) and not any(
            glob.matches(path) for glob in unwanted
        ):
            yield path


def read(root: str, path: str) -> FolderFile | Unread:
    """One file of a folder. Empty text is given as it is; the caller passes it over."""
    place = os.path.join(root, path)
    try:
        handle = os.open(place, os.O_RDONLY | _CAREFULLY)
        with open(handle, "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                return Unread(path, "EINVAL")
            if status.st_size > LARGEST:
                return Unread(path, "EFBIG")
            data = stream.read()
    except OSError as error:
        import errno

        return Unread(path, errno.errorcode.get(error.errno or 0, "ERROR"))
    return FolderFile(path, data.decode("utf-8", "replace"), status.st_size, status.st_mtime_ns)


def title_of(path: str, text: str) -> str:
    """The first heading of one or two `#`, wherever it stands; else the name of the file."""
    kind = os.path.splitext(path)[1].lower()
    title = ""
    if kind == ".md" and (match := _HEADING.search(text)):
        title = match[1].strip()
        if title in ("Notes", "📝 Notes") and (second := _SECOND.search(text)):
            title = second[1].strip()
    elif kind == ".org" and (match := _ORG_TITLE.search(text) or _ORG_HEADING.search(text)):
        title = match[1].strip()
    name = path.rpartition("/")[2]
    return title or os.path.splitext(name)[0] or name


def instant(seconds: float) -> str:
    """A time of the clock as `2024-03-05T12:00:00.000Z`; times before year 1 are the first."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        moment = datetime.fromtimestamp(0, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def _whole_folders(ignore: tuple[str, ...]) -> list[str]:
    return [rule.strip("/") for rule in ignore if rule.endswith(("/**", "/**/*"))]


def _walk(root: str, closed: list[Glob]) -> Iterator[str]:
    """The regular files below a folder in the order of their paths; no links, nothing hidden."""
    pending = [""]
    while pending:
        folder = pending.pop()
        if folder and not folder.endswith("/"):
            yield folder
            continue
        here: list[str] = []
        try:
            with os.scandir(os.path.join(root, folder) if folder else root) as entries:
                for entry in entries:
                    name = entry.name
                    if name.startswith(".") or _unsayable(name):
                        continue
                    path = folder + name
                    if entry.is_dir(follow_symlinks=False):
                        unwanted = name in _PASSED_OVER or any(one.matches(path) for one in closed)
                        if not unwanted:
                            here.append(path + "/")
                    elif entry.is_file(follow_symlinks=False):
                        here.append(path)
        except OSError:
            continue
        pending += sorted(here, reverse=True)


def _unsayable(name: str) -> bool:
    """Whether a name is no valid text."""
    return not name.isascii() and any("\ud800" <= sign <= "\udfff" for sign in name)
