"""Folders of one vault on this machine: which vault is meant, its real root, its own cache folder.

Guarantees: a cache folder is 0700 and the user's own. Raises NotFound, BadInput and StorageError.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, NotFound, StorageError
from engram.model.text import sha256_text
from engram.settings.load import VAULT_CONFIG, load

if TYPE_CHECKING:
    from engram.settings.paths import UserPaths


def real_root(path: Path, here: Path = Path()) -> Path:
    """The real path of an existing folder, as seen from `here`; raises NotFound or BadInput."""
    try:
        root = (here / path.expanduser()).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NotFound(
            f"{path} does not exist", f"`engram init {path}` makes a vault there"
        ) from error
    if not root.is_dir():
        raise BadInput(f"{path} is not a folder", "give the folder of a vault")
    return root


def cache_folder(places: UserPaths, root: Path, vault: str) -> Path:
    """The vault's own folder in the person's cache, made 0700: catalog and index live there."""
    folder = places.cache_dir / sha256_text(f"{root}\n{vault}")[:32]
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot use the cache folder {folder}: {error.strerror}",
            "set ENGRAM_HOME to a folder that you can write to",
        ) from error
    if os.name != "nt" and folder.stat().st_uid != os.getuid():
        raise StorageError(f"the cache folder {folder} belongs to somebody else", "remove it")
    return folder


def find_vault(chosen: str | None, environment: Mapping[str, str], here: Path = Path()) -> Path:
    """`--vault`, else ENGRAM_VAULT, else the nearest parent with engram.toml, else the default."""
    if chosen or environment.get("ENGRAM_VAULT"):
        return Path(chosen or environment["ENGRAM_VAULT"])
    try:
        here = here.absolute()
    except OSError:  # the working directory was removed
        here = Path(os.path.sep)
    for folder in (here, *here.parents):
        if os.path.isfile(folder / VAULT_CONFIG):
            return folder
    return Path(load(None, environment).settings.vault)
