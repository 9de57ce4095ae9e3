"""Whatever is done to a vault, in whatever order: what is promised holds (tests/walk.py)."""

from __future__ import annotations

import pytest

from tests.effort import EFFORT
from tests.walk import walk_on


@pytest.mark.parametrize("seed", range(4 * EFFORT))
def test_a_random_walk_breaks_no_promise(seed: int) -> None:
    walk_on(1000 + seed, 25, every=5)
