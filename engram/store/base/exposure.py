"""Exposure of a vault to other machines: git remotes, and sync folders around it.

Reads the folders above a vault and writes nothing; what cannot be read counts as not there.
"""

from __future__ import annotations

from pathlib import Path

from engram.model.errors import BadInput
from engram.store.base import layout


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
    inside = (root / folder).relative_to(top).as_posix()
    try:
        return f"{inside}/".encode() in (_git_folder(top) / "index").read_bytes()
    except OSError:
        return False


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
