"""Exposure of a vault to other machines: git remotes, and sync folders around it.

Reads the folders above a vault and writes nothing; what cannot be read counts as not there.
"""

from __future__ import annotations

from pathlib import Path

from engram.model.errors import BadInput
from engram.store.base import layout

#: git's list of files: version, bytes before the first entry, of an entry before its path, and
#: the bit that tells of two more; and files with the rest of a list that was split
_SHORTENED, _HEAD, _ENTRY, _MORE_FLAGS, _SPLIT = b"\0\0\0\x04", 12, 62, 0x40, "sharedindex.*"


def shared_by_git(root: Path) -> str:
    """The URL-less name of a git remote when the vault lies in a repository that has one, or ''."""
    for folder in (root, *root.parents):
        config = folder / ".git" / "config"
        if config.is_file():
            text = config.read_text(encoding="utf-8", errors="replace")
            names = [line for line in text.splitlines() if line.strip().startswith("[remote ")]
            return names[0].strip().strip("[]").partition(" ")[2].strip('"') if names else ""
    return ""


def tracked_by_git(root: Path, folder: str) -> bool:
    """Whether git carries files of a folder of the vault: its list of them names one."""
    top = next((one for one in (root, *root.parents) if (one / ".git").exists()), None)
    if top is None:
        return False
    inside = f"{(root / folder).relative_to(top).as_posix()}/".encode()
    try:
        kept = _git_folder(top)
        lists = [(kept / "index").read_bytes(), *(p.read_bytes() for p in kept.glob(_SPLIT))]
        return any(inside in data or inside in _in_full(data) for data in lists)
    except (OSError, ValueError, IndexError):
        return False


def _in_full(data: bytes) -> bytes:
    """The paths of a list of git's fourth form, which writes only how each goes on."""
    if data[4:8] != _SHORTENED:
        return b""
    at, path, found = _HEAD, b"", []
    for _ in range(int.from_bytes(data[8:_HEAD], "big")):
        at += _ENTRY + (2 if data[at + _ENTRY - 2] & _MORE_FLAGS else 0)
        left = data[at] & 127
        while data[at] & 128:
            at += 1
            left = (left + 1 << 7) + (data[at] & 127)
        end = data.index(b"\0", at + 1)
        path = path[: len(path) - left] + data[at + 1 : end]
        found.append(path)
        at = end + 1
    return b"\0".join(found)


def carried_logs(root: Path) -> BadInput | None:
    """What is wrong with a shared vault whose log books git carries: they are a stranger's.

    What they say was done here would count as this machine's own word.
    """
    logs = root / layout.STATE
    if not logs.is_dir() or not tracked_by_git(root, layout.STATE):
        return None
    return BadInput(
        f"git carries {logs}: it says what a machine did, and here it would be believed",
        f"`git rm -r --cached {logs}`, remove the folder, and commit that",
    )


def _git_folder(top: Path) -> Path:
    """Where git keeps what it knows of a repository, or of a worktree."""
    if (top / ".git").is_dir():
        return top / ".git"
    line = (top / ".git").read_text(encoding="utf-8", errors="replace")[:4096]
    return top / line.removeprefix("gitdir: ").strip()


def unguarded(root: Path) -> list[tuple[str, str]]:
    """The ignore files that should exclude a folder from git or sync and do not, and the folder.

    These are `state/` and `inbox/`: what is dropped there has not passed the redactor.
    Looks for git and Syncthing, in the vault and above; the others leave no trace in a folder.
    """
    found = []
    for mark, name in ((".git", ".gitignore"), (".stfolder", ".stignore")):
        top = next((one for one in (root, *root.parents) if (one / mark).exists()), None)
        if top is None:
            continue
        # Syncthing reads the one file at the top, git those of all folders on the way
        files = {top / name} if mark == ".stfolder" else {top / name, root / name}
        for folder in (layout.STATE, layout.INBOX):
            if not any(_leaves_out(folder, file) for file in files):
                found.append((name, folder))
    return found


def _leaves_out(folder: str, file: Path) -> bool:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    patterns = (line.strip().removeprefix("(?d)").rstrip("/") for line in lines)
    return any(one == folder or one.endswith(f"/{folder}") for one in patterns)
