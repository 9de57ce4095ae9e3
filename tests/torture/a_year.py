"""`make torture`: a year in fast motion, with and without archiving.

Not part of `make test`: it takes many minutes. 28 turns a day of all ten categories, corrections,
values that go from A to B and back, repeats, hand edits; every simulated week the vault is checked,
a second consolidation changes nothing, and in the end everything is taken back.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from engram.model.memory import CATEGORIES
from engram.vault import Vault
from tests.effort import EFFORT
from tests.life import Life, MovingClock, days

_DAYS = round(36.5 * EFFORT)
FIRST = "2026-01-01"


@pytest.mark.parametrize("archive", ["true", "false"])
def test_a_year_is_lived_in_order_and_taken_back(
    tmp_path: Path, environment: dict[str, str], archive: str
) -> None:
    environment |= {"ENGRAM_CONSOLIDATE_ARCHIVE": archive}
    clock = MovingClock(f"{FIRST}T08:00:00Z")
    life = Life(Vault.create(tmp_path / "vault", environment=environment, clock=clock), clock)
    first = life.digest()
    for number, day in enumerate(days(FIRST, _DAYS)):
        life.live(day, number)
        if number % 7 == 6:
            life.check()
    found = life.memories().values()
    kinds = Counter(memory.category for memory in found)
    statuses = Counter(memory.status for memory in found)
    print(f"archive {archive}: {len(found)} memories, {kinds}, {statuses}", file=sys.stderr)
    assert set(kinds) == set(CATEGORIES)
    assert bool(statuses["archived"]) == (archive == "true")
    life.undo_everything()
    assert life.digest() == first
    life.vault.close()
