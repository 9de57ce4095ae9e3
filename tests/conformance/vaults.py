"""The vaults in which outside cases are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from engram.store.base.clock import FixedClock
from engram.vault import Vault

NOW = "2026-03-06T10:10:00Z"


@contextmanager
def opener(**flags: object) -> Iterator[Callable[[str], Vault]]:
    """What opens one real vault in a temporary folder, with a clock that stands still."""
    with TemporaryDirectory() as folder:
        environment = {"ENGRAM_HOME": f"{folder}/home"}
        path = Path(folder) / "vault"
        Vault.create(path, environment=environment, clock=FixedClock(NOW)).close()
        opened: list[Vault] = []

        def at(now: str) -> Vault:
            opened.append(
                Vault.open(path, environment=environment, clock=FixedClock(now), flags=flags)
            )
            return opened[-1]

        yield at
        for one in opened:
            one.close()


@contextmanager
def vault() -> Iterator[Vault]:
    """The same, opened at `NOW`."""
    with opener() as at:
        yield at(NOW)
