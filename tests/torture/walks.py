"""`make torture`: three hundred random walks of sixty steps through a vault (tests/walk.py).

Not part of `make test`, which takes a few short ones: it takes many minutes.
"""

from __future__ import annotations

import pytest

from tests.effort import EFFORT
from tests.walk import walk_on


@pytest.mark.parametrize("seed", range(30 * EFFORT))
def test_a_random_walk_breaks_no_promise(seed: int) -> None:
    walk_on(seed, 60, every=5)
