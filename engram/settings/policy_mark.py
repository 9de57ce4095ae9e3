"""Policy mark: digest and spaces of a policy, and of which files: a hook need not read them.

A command that writes keeps the mark in the catalog; while no policy file is another one than then,
a hook takes from it what it has to tell. Any other mark, and none, means that the files are read.
Loaded by hooks: no TOML, no dataclass.
"""

from __future__ import annotations

import os
from pathlib import Path

from engram.model.given import PolicyRef
from engram.settings.paths import UserPaths
from engram.settings.shipped import shipped_path

#: the policy file of a vault, and what a mark is made of where a file is not there
VAULT_POLICY, _NO_FILE = "policy.toml", "-"
#: behind a space of which only the current phase is given
_CURRENT = "*"


def policy_mark(stamps: str, policy: PolicyRef) -> str:
    """The mark of a policy that was read after its files were as `stamps` says."""
    current = (one + _CURRENT * (one in policy.current_only) for one in policy.spaces)
    return " ".join((stamps, policy.digest, *current))


def marked_policy(mark: str, places: UserPaths, vault: Path) -> PolicyRef | None:
    """The policy of a mark; None if it is of other files."""
    stamps, _, rest = mark.partition(" ")
    if not rest or stamps != policy_stamps(places, vault):
        return None
    digest, *spaces = rest.split()
    named = tuple(one.removesuffix(_CURRENT) for one in spaces)
    current = (name for name, one in zip(named, spaces, strict=True) if name != one)
    return PolicyRef(digest, named, tuple(current))


def policy_stamps(places: UserPaths, vault: Path) -> str:
    """What is another one when any of the files is that a policy comes from."""
    shipped = (shipped_path("policy"), shipped_path("policy-contract"))
    return ";".join(map(file_stamp, (*shipped, places.policy_file, vault / VAULT_POLICY)))


def file_stamp(path: Path) -> str:
    """What is another one when a file is, or the one that it links to."""
    try:
        # a link that leads nowhere is no missing file
        found = os.stat(path) if os.path.exists(path) else os.lstat(path)
    except (OSError, ValueError):
        return _NO_FILE
    return f"{found.st_size}.{found.st_mtime_ns}.{found.st_ctime_ns}.{found.st_ino}"
