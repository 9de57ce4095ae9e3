"""Pool of open vaults: a command of the control socket does not open the vault again.

Guarantees: what `lend` gives is what `Vault.open` would give now (settings, trust and the folder
are checked each time, which is quick; a vault that was replaced is opened again), and belongs to
one caller alone until it is given back. A vault that was not used for a while is closed, and so is
one after an error. For one thread: the catalog is not shared between threads.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engram.daemon.change_detector import FolderChangeDetector
from engram.model.errors import EngramError, StorageError
from engram.vault import Vault

#: how many stay open, and how long unused, seconds
_MOST = 4
_IDLE = 1800.0
#: files that are being edited are not settled for so long, seconds
_SETTLE_PAUSE = 2.0
#: how long a caller waits for new files to be taken up, seconds
_PATIENCE = 2.0

_Key = tuple[str, frozenset[tuple[str, str]]]


@dataclass(slots=True)
class _OpenVault:
    """An open vault, the folder it was opened in, and when it was last used and settled."""

    vault: Vault
    change_detector: FolderChangeDetector | None
    folder: tuple[int, int]
    asked: float
    looked: float


class VaultPool:
    """The open vaults of one daemon or server; close them. `clock` is monotonic, in seconds.

    With `watch` their folders are watched, for verbs that take up hand edits first.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, watch: bool = True) -> None:
        self._clock = clock
        self._watch = watch
        self._kept: OrderedDict[_Key, _OpenVault] = OrderedDict()

    @contextmanager
    def lend(self, path: Path, environment: Mapping[str, str], here: Path) -> Iterator[Vault]:
        """The vault at a path, as `Vault.open` would open it; raises what that raises."""
        fresh = Vault.open(path, environment=environment, here=here)
        key = str(fresh.root), frozenset(environment.items())
        kept = self._kept.pop(key, None)
        if kept is None or not _is_same(kept, fresh):
            if kept is not None:
                kept.vault.close()
            fresh.answer_within(_PATIENCE)
            change_detector = FolderChangeDetector(fresh.root) if self._watch else None
            if change_detector is not None:
                fresh.keep_open(change_detector)
            kept = _OpenVault(fresh, change_detector, _identity(fresh.root), 0.0, 0.0)
        sound = False
        try:
            yield kept.vault
            sound = True
        except EngramError as error:
            sound = not isinstance(error, StorageError)
            raise
        finally:
            if sound:
                self._put_back(key, kept)
            else:
                kept.vault.close()

    def _put_back(self, key: _Key, kept: _OpenVault) -> None:
        kept.asked = kept.looked = self._clock()
        self._kept[key] = kept
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)[1].vault.close()

    def rest(self) -> None:
        """Idle: close unused vaults and replaced files, settle what changed meanwhile."""
        now = self._clock()
        for key, kept in list(self._kept.items()):
            kept.vault.close_replaced()
            if now - kept.asked > _IDLE:
                self._kept.pop(key).vault.close()
            elif (
                kept.change_detector is not None
                and kept.change_detector.able
                and now - kept.looked > _SETTLE_PAUSE
            ):
                kept.looked = now
                self._settle(key, kept)

    def _settle(self, key: _Key, kept: _OpenVault) -> None:
        try:
            kept.vault.ready_to_read()
        except EngramError:
            # the next caller gets the error
            self._kept.pop(key).vault.close()

    def close(self) -> None:
        """Close all vaults."""
        while self._kept:
            self._kept.popitem()[1].vault.close()


def _is_same(kept: _OpenVault, fresh: Vault) -> bool:
    """Whether the open vault is the one that stands there now."""
    return (kept.vault.identity, kept.folder) == (fresh.identity, _identity(fresh.root))


def _identity(folder: Path) -> tuple[int, int]:
    found = os.stat(folder)
    return found.st_dev, found.st_ino
