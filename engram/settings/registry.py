"""Registry of the vaults that the user trusts on this machine (design promise 9).

`vaults.json` lists pairs of real path and vault id. Only an entry with both makes a vault trusted:
a folder that was replaced by another one with another id is not. An entry says too whether a vault
is shared with others, and for whom: what the vault itself claims widens nothing. Guarantees: the
file is replaced as a whole, readable by its owner only, and never emptied because it could not be
parsed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engram.model.authority import AUTHORITIES
from engram.model.errors import BadInput, ConfigError, StorageError
from engram.model.ids import is_id
from engram.settings.user_files import alone, read_small, refuse_symlink, replace, without_mark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.settings.paths import UserPaths

_FORMAT = 1
#: retries when another process changed the list in between; more in a row are no accident
_ATTEMPTS = 5
_MEND = "mend the file by hand, or move it away and run `engram trust PATH` for each of your vaults"


class Sharing(NamedTuple):
    """What a shared vault is for: '' for a vault of one person's own.

    `space` is that of its memories, project or system; `serves` are globs of names of projects,
    beside the repository around it; `authority` is the most that a header in it may claim.
    """

    space: str = ""
    serves: tuple[str, ...] = ()
    authority: str = AUTHORITIES[0]


class Registered(NamedTuple):
    """One registered vault: its real path and the id that its `engram.toml` had then."""

    path: Path
    vault_id: str
    sharing: Sharing = Sharing()


#: spaces of which a vault may be shared
SHARED_SPACES = ("project", "system")


class Registry:
    """The registered vaults; every query reads the file, another process may have added one."""

    def __init__(self, places: UserPaths) -> None:
        self._file = places.registry_file

    def entries(self) -> list[Registered]:
        """Every registered vault, sorted by path. Raises ConfigError for a damaged file."""
        return [one for _, one in sorted(self._read().items())]

    def entry(self, path: Path, vault_id: str) -> Registered | None:
        """The entry of the vault at this real path, with this id; None where it is not trusted."""
        found = self._read().get(_real(path))
        return found if found is not None and vault_id and found.vault_id == vault_id else None

    def trusts(self, path: Path, vault_id: str) -> bool:
        """Whether the vault at this real path, with this id, is registered."""
        return self.entry(path, vault_id) is not None

    def add(self, path: Path, vault_id: str, sharing: Sharing = Sharing()) -> None:
        """Register a vault; an earlier entry at the same real path is replaced.

        Raises BadInput (no id), ConfigError (damaged file) or StorageError (cannot be written).
        """
        if not is_id(vault_id):
            raise BadInput(f"{path}: {vault_id!r} is no vault id", "mend the id in its engram.toml")
        real = _real(path)
        self._write(real, Registered(Path(real), vault_id, sharing))

    def remove(self, path: Path) -> bool:
        """Remove a vault; returns whether it was registered. Raises as `add` does."""
        known = _real(path) in self._read()
        if known:
            self._write(_real(path), None)
        return known

    def _write(self, real: str, entry: Registered | None) -> None:
        refuse_symlink(self._file)
        self._read()  # a damaged file is reported before anything is written
        with alone(self._file.parent):
            for _ in range(_ATTEMPTS):
                vaults = self._read()
                vaults.pop(real, None)
                if entry is not None:
                    vaults[real] = entry
                replace(self._file, _bytes(vaults))
                # on systems without a lock: when another process wrote in between, try again
                if self._read().get(real) == entry:
                    return
        raise StorageError(f"{self._file}: other programs keep changing it", "try again")

    def _read(self) -> dict[str, Registered]:
        text = read_small(self._file)
        if text is None:
            return {}
        try:
            document = json.loads(without_mark(text))
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{self._file}: is damaged: {error}", _MEND) from error
        rows = document.get("vaults") if isinstance(document, dict) else None
        if isinstance(document, dict) and document.get("format", _FORMAT) != _FORMAT:
            raise ConfigError(f"{self._file}: was written by a newer engram", "upgrade engram")
        if not isinstance(rows, list):
            raise ConfigError(f"{self._file}: is damaged: it has no list of vaults", _MEND)
        vaults: dict[str, Registered] = {}
        for number, row in enumerate(rows, 1):
            entry = _entry(row)
            if entry is None:
                raise ConfigError(f"{self._file}: is damaged: vault {number} of the list", _MEND)
            vaults[str(entry.path)] = entry
        return vaults


def default_vault(entries: Sequence[Registered], usual: Path) -> Path:
    """The vault of one's own that is meant where none is named: of `entries`, or `usual`.

    It is the only one, whatever its path; of several that at `usual`, else the one made first (a
    vault's id is the time it was made). Those that are shared do not count, nor those that are
    gone as long as one is there.
    """
    own = [one for one in entries if not one.sharing.space]
    own = [one for one in own if one.path.is_dir()] or own
    if not own or _real(usual) in {str(one.path) for one in own}:
        return usual
    return min(own, key=lambda one: (one.vault_id, one.path)).path


def _entry(row: object) -> Registered | None:
    """The entry of one row; None where the row is not what `_bytes` writes."""
    if not isinstance(row, dict):
        return None
    path, vault, space, authority = (
        row.get(name, "") for name in ("path", "id", "shares", "authority")
    )
    serves = row.get("for", [])
    if not (path and isinstance(path, str) and vault and isinstance(vault, str)):
        return None
    if not (isinstance(serves, list) and all(isinstance(one, str) for one in serves)):
        return None
    if space not in ("", *SHARED_SPACES) or authority not in ("", *AUTHORITIES):
        return None
    return Registered(Path(path), vault, Sharing(space, (*serves,), authority or AUTHORITIES[0]))


def _bytes(vaults: dict[str, Registered]) -> bytes:
    rows = [_row(vaults[path]) for path in sorted(vaults)]
    return (json.dumps({"format": _FORMAT, "vaults": rows}, indent=2) + "\n").encode("ascii")


def _row(entry: Registered) -> dict[str, object]:
    row: dict[str, object] = {"path": str(entry.path), "id": entry.vault_id}
    if entry.sharing.space:
        row["shares"] = entry.sharing.space
        row |= {"for": [*entry.sharing.serves]} if entry.sharing.serves else {}
        row |= {"authority": entry.sharing.authority}
    return row


def _real(path: Path) -> str:
    return os.path.realpath(path)
