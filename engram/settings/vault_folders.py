"""Folders of one vault on this machine: which vault is meant, its real root, its own cache folder.

Hooks, the daemon and all that captures work on the person's own vault, whatever folder they are
called in: what is known of a person follows them into every folder, and their conversations are
never filed in somebody's repository. A verb that is called by hand works on the vault that its
folder lies in, unless that is shared with others. Guarantees: a cache folder is 0700 and the user's
own. Raises NotFound, BadInput, ConfigError and StorageError.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, ConfigError, NotFound, StorageError
from engram.model.text import sha256_text
from engram.settings.load import VAULT_CONFIG, header_of, load
from engram.settings.paths import places_of
from engram.settings.registry import Registered, Registry, default_vault

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


def own_vault(
    chosen: str | None, environment: Mapping[str, str], places: UserPaths | None = None,
    entries: Sequence[Registered] | None = None,
) -> Path:  # fmt: skip
    """The person's own vault: `--vault`, else ENGRAM_VAULT, else the setting `vault`.

    Where none of them names one, it is the `default_vault` of the registry, whose `entries` a
    caller may have read. A relative path is seen from the working folder. Raises ConfigError.
    """
    if named := chosen or environment.get("ENGRAM_VAULT", ""):
        return Path(named)
    places = places_of(environment) if places is None else places
    loaded = load(None, environment, home=places)
    set_here = Path(loaded.settings.vault)
    if loaded.origins["vault"].layer != "shipped":
        return set_here
    return default_vault(Registry(places).entries() if entries is None else entries, set_here)


def reading_folder(cache: Path) -> Path:
    """Where catalog and index of a shared vault lie, in its cache, as those who only read it know
    it: what they take up is not what its next writer has still to record."""
    return cache / "reading"


def find_vault(chosen: str | None, environment: Mapping[str, str], here: Path = Path()) -> Path:
    """The vault that a verb works on: one that is named, else the nearest parent, else the own one.

    A parent that is a shared vault is passed over: nothing but promotion writes there, and it is
    read beside the own one. Raises ConfigError.
    """
    if not (chosen or environment.get("ENGRAM_VAULT")):
        try:
            here = here.absolute()
        except OSError:  # the working directory was removed
            here = Path(os.path.sep)
        for folder in (here, *here.parents):
            if os.path.isfile(folder / VAULT_CONFIG) and not is_shared(folder, environment):
                return folder
    return own_vault(chosen, environment)


def is_shared(folder: Path, environment: Mapping[str, str]) -> bool:
    """Whether a vault is shared with others: it says so itself, or its registration does."""
    real = os.path.realpath(folder)
    registered = Registry(places_of(environment)).entries()
    if any(one.sharing.space and str(one.path) == real for one in registered):
        return True
    try:
        header = header_of(folder)
    except ConfigError:
        return False  # whoever opens the vault says what is wrong with it
    return header is not None and bool(header.shares)


def not_own(root: Path) -> BadInput:
    """What is said where a vault that is shared with others is named as the person's own."""
    return BadInput(
        f"{root} is shared with others: conversations are not captured into it",
        "name a vault of your own: `engram config set vault PATH`",
    )
