"""Real vaults in temporary folders, with a home of their own and a clock that stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from engram.store.base.clock import FixedClock
from engram.vault import Adapters, Vault
from tests.effort import examples

NOW = "2026-03-06T12:00:00Z"

settings.register_profile("effort", examples())
settings.load_profile("effort")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment whose user files lie in the test's own folder."""
    return {"ENGRAM_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}


@pytest.fixture
def adapters() -> Adapters:
    """What vaults are opened with: the real ones, where a module says nothing else."""
    return Adapters()


@pytest.fixture
def open_vault(
    tmp_path: Path, environment: dict[str, str], adapters: Adapters
) -> Iterator[Callable[..., Vault]]:
    """Open (making it the first time) the vault of a name; all are closed at the end."""
    opened: list[Vault] = []

    def open_one(name: str = "vault", now: str = NOW) -> Vault:
        path = tmp_path / name
        make = Vault.open if (path / "engram.toml").exists() else Vault.create
        vault = make(path, environment=environment, clock=FixedClock(now), adapters=adapters)
        opened.append(vault)
        return vault

    yield open_one
    for vault in opened:
        vault.close()


@pytest.fixture
def vault(open_vault: Callable[..., Vault]) -> Vault:
    """One empty vault."""
    return open_vault()
