"""Folders of notes: what in them is no note of a person, with the reason.

For the sources that read any text: below a folder lie also packages, licences, what git ignores and
other vaults, which nobody meant when they named it. `NoteSieve` takes them out of the lists of a
walk, folder by folder, and remembers what it took out. The folder that was named is read whatever
it is. A repository is asked once, and nothing that its own settings name is run for it; where git
is not there, or does not answer, nothing counts as ignored, and `unasked` has the repository.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

#: the sources that read any text
NOTES = frozenset(["markdown", "text"])
_GIT = ".git"
#: an entry that makes the folder that it lies in no folder of notes
_MARKS = {"engram.toml": "another vault", "pyvenv.cfg": "a Python environment"}
_PACKAGES = frozenset(["node_modules", "site-packages"])
_LEGAL = re.compile(r"(?:licen[cs]e|copying|notice|changelog)(?:[-_. ].*)?", re.IGNORECASE)
#: git's answer for a repository is waited for so long, seconds
_PATIENCE = 30


class NoteSieve:
    """What a walk below `top` leaves out; `left_out` has the paths by reason.

    A folder that is left out stands there as itself, and nothing that lies in it.
    """

    def __init__(self, top: Path) -> None:
        self.left_out: dict[str, list[Path]] = {}
        self.unasked: list[Path] = []
        self._ignored: set[str] = set()
        self._top = top
        if not os.path.lexists(top / _GIT) and _within_repository(top):
            self._ask(top)

    def prune(self, folder: str, folders: list[str], names: list[str]) -> None:
        """Take out of the lists of one folder, as `os.walk` gives them, what is left out."""
        if os.path.lexists(os.path.join(folder, _GIT)):
            self._ask(Path(folder))
        folders[:] = self._kept(folder, folders, _why_folder)
        names[:] = self._kept(folder, names, _why_file)

    def note(self, reason: str, paths: Iterable[Path]) -> None:
        """Remember paths that somebody else left out."""
        for path in paths:
            self.left_out.setdefault(reason, []).append(path)

    def _kept(self, folder: str, names: list[str], why: Callable[[str, str], str]) -> list[str]:
        kept = []
        for name in names:
            path = os.path.join(folder, name)
            reason = "ignored by git" if path in self._ignored else why(path, name)
            if reason:
                self.note(reason, [Path(path)])
            else:
                kept.append(name)
        return kept

    def _ask(self, repository: Path) -> None:
        """Note what git ignores below a folder of a repository."""
        answer = _ignored_below(repository)
        if answer is None:
            self.unasked.append(repository)
        elif "./" not in answer:  # else the folder itself, which was named
            self._ignored.update(os.path.join(repository, one.rstrip("/")) for one in answer)


def _why_folder(path: str, name: str) -> str:
    if name in _PACKAGES:
        return "packages"
    found = (why for mark, why in _MARKS.items() if os.path.lexists(os.path.join(path, mark)))
    return next(found, "")


def _why_file(path: str, name: str) -> str:
    return "licences and changelogs" if _LEGAL.fullmatch(name.rpartition(".")[0]) else ""


def _within_repository(folder: Path) -> bool:
    return any(os.path.lexists(one / _GIT) for one in Path(os.path.abspath(folder)).parents)


def _ignored_below(folder: Path) -> list[str] | None:
    """The files and folders that git ignores, relative to a folder; None without an answer."""
    # imported here: most imports read no repository
    import subprocess

    command = ["git", "-c", "core.fsmonitor=false", "-C", str(folder), "ls-files", "-z", "--others"]
    command += ["--ignored", "--exclude-standard", "--directory"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return None if done.returncode else os.fsdecode(done.stdout).split("\0")[:-1]
