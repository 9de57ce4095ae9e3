"""Registry of the vaults that the user trusts on this machine (design promise 9).

`vaults.json` lists pairs of real path and vault id. Only an entry with both makes a vault trusted:
a folder that was replaced by another one with another id is not. Guarantees: the file is replaced
as a whole, readable by its owner only, and never emptied because it could not be parsed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engram.model.errors import BadInput, ConfigError, StorageError
from engram.model.ids import is_id
from engram.settings.user_files import alone, read_small, refuse_symlink, replace, without_mark

if TYPE_CHECKING:
    from engram.settings.paths import UserPaths

_FORMAT = 1
#: retries when another process changed the list in between; more in a row are no accident
_ATTEMPTS = 5
_MEND = "mend the file by hand, or move it away and run `engram trust PATH` for each of your vaults"


class Registered(NamedTuple):
    """One registered vault: its real path and the id that its `engram.toml` had then."""

    path: Path
    vault_id: str


class Registry:
    """The registered vaults; every query reads the file, another process may have added one."""

    def __init__(self, places: UserPaths) -> None:
        self._file = places.registry_file

    def entries(self) -> list[Registered]:
        """Every registered vault, sorted by path. Raises ConfigError for a damaged file."""
        return [Registered(Path(path), vault) for path, vault in sorted(self._read().items())]

    def trusts(self, path: Path, vault_id: str) -> bool:
        """Whether the vault at this real path, with this id, is registered."""
        return bool(vault_id) and self._read().get(_real(path)) == vault_id

    def add(self, path: Path, vault_id: str) -> None:
        """Register a vault; an earlier id at the same real path is replaced.

        Raises BadInput (no id), ConfigError (damaged file) or StorageError (cannot be written).
        """
        if not is_id(vault_id):
            raise BadInput(f"{path}: {vault_id!r} is no vault id", "mend the id in its engram.toml")
        self._write(_real(path), vault_id)

    def remove(self, path: Path) -> bool:
        """Remove a vault; returns whether it was registered. Raises as `add` does."""
        known = _real(path) in self._read()
        if known:
            self._write(_real(path), None)
        return known

    def _write(self, real: str, vault_id: str | None) -> None:
        refuse_symlink(self._file)
        self._read()  # a damaged file is reported before anything is written
        with alone(self._file.parent):
            for _ in range(_ATTEMPTS):
                vaults = self._read()
                vaults.pop(real, None)
                if vault_id is not None:
                    vaults[real] = vault_id
                replace(self._file, _bytes(vaults))
                # on systems without a lock: when another process wrote in between, try again
                if self._read().get(real) == vault_id:
                    return
        raise StorageError(f"{self._file}: other programs keep changing it", "try again")

    def _read(self) -> dict[str, str]:
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
        vaults: dict[str, str] = {}
        for number, row in enumerate(rows, 1):
            path, vault = _row(row)
            if not path or not vault:
                raise ConfigError(f"{self._file}: is damaged: vault {number} of the list", _MEND)
            vaults[path] = vault
        return vaults


def _row(row: object) -> tuple[str, str]:
    """Path and id of one row, empty where the row is not what `_bytes` writes."""
    path, vault = (row.get("path"), row.get("id")) if isinstance(row, dict) else ("", "")
    return path if isinstance(path, str) else "", vault if isinstance(vault, str) else ""


def _bytes(vaults: dict[str, str]) -> bytes:
    rows = [{"path": path, "id": vaults[path]} for path in sorted(vaults)]
    return (json.dumps({"format": _FORMAT, "vaults": rows}, indent=2) + "\n").encode("ascii")


def _real(path: Path) -> str:
    return os.path.realpath(path)
