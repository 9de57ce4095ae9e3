"""Founding a vault: a folder made from the template, and registered.

Turns a path into a vault on this machine, one's own or one to be shared with others. Guarantees: no
existing file is overwritten, folders are 0700 and files 0600, and the same instant and time zone
give the same bytes. Refuses a folder that is a vault.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engram.model.authority import AUTHORITIES
from engram.model.errors import BadInput, NotFound, StorageError
from engram.model.instant import Instant, compact
from engram.settings.load import check_timezone, load, vault_template
from engram.settings.registry import Registry, Sharing
from engram.settings.shipped import shared_template
from engram.settings.vault_folders import real_root
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.base.exposure import carried_logs

if TYPE_CHECKING:
    from engram.settings.paths import UserPaths


#: the folders of a vault that is shared
_SHARED = (layout.FACTS, layout.ARCHIVE, layout.PENDING, layout.JOURNAL)


def found(path: Path, now: Instant, timezone: str, shares: str = "") -> Path:
    """Copy the template to a path and make the vault's folders; returns the real root.

    `shares` is the space of a vault that is to be shared with others, else ''. Raises BadInput,
    StorageError, and ConfigError for a time zone that is not known here.
    """
    if path.exists() and not path.is_dir():
        raise BadInput(f"{path} is a file", "give a folder for the vault")
    if (path / layout.CONFIG).exists():
        raise BadInput(f"{path} is a vault already", f"`engram trust {path}` registers it here")
    check_timezone(timezone, str(path / layout.CONFIG))
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot make {path}: {error.strerror}", "choose another place"
        ) from error
    root = real_root(path)
    disk = VaultDisk(root)
    template = shared_template() if shares else vault_template()
    folders = _SHARED if shares else layout.FOLDERS
    for source in sorted(template.rglob("*")):
        name = source.relative_to(template).as_posix()
        if source.is_file() and disk.size(name) is None:
            body = source.read_bytes()
            if name == layout.CONFIG:
                body = body.replace(b"@ID@", f"vault-{compact(now)}".encode())
                body = body.replace(b"@SHARES@", shares.encode())
                body = body.replace(b'timezone = "UTC"', f'timezone = "{timezone}"'.encode())
            disk.create(name, body)
    for folder in (layout.STATE, *folders):
        (root / folder).mkdir(mode=0o700, exist_ok=True)
    disk.sync(["", *folders])
    return root


def register(
    root: Path, places: UserPaths, serves: Sequence[str] = (), authority: str = ""
) -> Sharing:  # fmt: skip
    """Trust a vault on this machine (design 1.9), anew where it is registered.

    One that says it is shared is registered so, with the projects that it `serves` besides those
    of the repository around it, and the most `authority` that its headers may claim. Raises
    NotFound when the folder is none; BadInput for either of these and a vault of one's own, and for
    a shared one whose logs came with git: they are believed.
    """
    loaded = load(root, {}, {}, places)
    if loaded.vault is None:
        raise NotFound(f"{root} is no vault", f"`engram init {root}` makes one")
    if not loaded.vault.shares and (serves or authority):
        raise BadInput(
            f"{root} is not shared: it serves whatever you work on, and its headers are yours",
            f"`engram trust {root}`; `engram init --shared project PATH` makes a shared one",
        )
    if loaded.vault.shares and (carried := carried_logs(root)) is not None:
        raise carried
    if serves:
        _check_globs(serves, loaded.settings.capture.redact_allow)
    sharing = Sharing(loaded.vault.shares, tuple(serves), authority or AUTHORITIES[0])
    Registry(places).add(root, loaded.vault.id, sharing)
    return sharing


def _check_globs(serves: Sequence[str], allowed: tuple[str, ...]) -> None:
    """Raise BadInput where a glob holds a secret: the registry keeps it as it is."""
    from engram.vault.wiring import redactor_of

    redactor = redactor_of(allowed)
    if not all(map(redactor.clean, serves)):
        raise BadInput(
            "--for names what looks like a secret; nothing was registered",
            "give the name of a project, or a glob such as 'shop-*'",
        )
