"""Some days in fast motion: the vault keeps itself in order, and all of it can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.vault import Vault
from tests.effort import EFFORT
from tests.life import Life, MovingClock, days

FIRST = "2026-01-01"


@pytest.fixture
def life(tmp_path: Path, environment: dict[str, str]) -> Life:
    clock = MovingClock(f"{FIRST}T08:00:00Z")
    return Life(Vault.create(tmp_path / "vault", environment=environment, clock=clock), clock)


def live(life: Life, count: int) -> None:
    """Days from the fifth on; what is said depends on their number."""
    for number, day in enumerate(days(FIRST, count), 4):
        life.live(day, number)
        if number % 7 == 6:
            life.check()


def test_days_are_lived_in_order(life: Life) -> None:
    live(life, 7)
    statuses = {memory.status for memory in life.memories().values()}
    assert {"active", "superseded", "needs-review"} <= statuses
    life.vault.close()


def test_days_are_taken_back(life: Life) -> None:
    first = life.digest()
    live(life, min(7, 2 + EFFORT))
    life.undo_everything()
    assert life.digest() == first
    life.vault.close()
