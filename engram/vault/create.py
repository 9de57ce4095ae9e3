"""Founding a vault: a folder made from the template, registered, with a cache of its own.

Turns a path into a vault on this machine. Guarantees: no existing file is overwritten, folders are
0700 and files 0600, and the same instant gives the same bytes. Refuses a folder that is a vault.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, NotFound, StorageError
from engram.model.instant import Instant, compact
from engram.model.text import sha256_text
from engram.settings.load import load, vault_template
from engram.settings.registry import Registry
from engram.store.base import layout
from engram.store.base.disk import VaultDisk

if TYPE_CHECKING:
    from engram.settings.paths import UserPaths


def found(path: Path, now: Instant) -> Path:
    """Copy the template to a path and make the vault's folders; returns the real root."""
    if path.exists() and not path.is_dir():
        raise BadInput(f"{path} is a file", "give a folder for the vault")
    if (path / layout.CONFIG).exists():
        raise BadInput(f"{path} is a vault already", f"`engram trust {path}` registers it here")
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot make {path}: {error.strerror}", "choose another place"
        ) from error
    root = real_root(path)
    disk = VaultDisk(root)
    template = vault_template()
    for source in sorted(template.rglob("*")):
        name = source.relative_to(template).as_posix()
        if source.is_file() and disk.size(name) is None:
            body = source.read_bytes()
            if name == layout.CONFIG:
                body = body.replace(b"@ID@", f"vault-{compact(now)}".encode())
            disk.create(name, body)
    for folder in (layout.STATE, *layout.FOLDERS):
        (root / folder).mkdir(mode=0o700, exist_ok=True)
    disk.sync(["", *layout.FOLDERS])
    return root


def register(root: Path, places: UserPaths) -> None:
    """Trust a vault on this machine (design 1.9). Raises NotFound when the folder is none."""
    loaded = load(root, {}, {}, places)
    if loaded.vault is None:
        raise NotFound(f"{root} is no vault", f"`engram init {root}` makes one")
    Registry(places).add(root, loaded.vault.id)


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
        if os.path.isfile(folder / layout.CONFIG):
            return folder
    return Path(load(None, environment).settings.vault)
