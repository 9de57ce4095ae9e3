"""`make torture`: ten thousand sequences over records, and walks through vaults full of them.

Not part of `make test`, which takes a few: it takes about twenty minutes.
`tests/record_sequence.py` and `tests/record_walk.py` say what is done and looked at.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.effort import EFFORT
from tests.record_sequence import sequence_on
from tests.record_walk import RecordWalk
from tests.walk import walk_on

_A_BLOCK = 1000


@pytest.mark.parametrize("block", range(EFFORT))
def test_random_sequences_of_records_break_no_promise(block: int) -> None:
    done: Counter[str] = Counter()
    for seed in range(block * _A_BLOCK, (block + 1) * _A_BLOCK):
        sequence_on(seed, done)
    told = ", ".join(f"{name} {count:,}" for name, count in sorted(done.items()) if " " not in name)
    print(f"\n{_A_BLOCK:,} sequences: {told}")


@pytest.mark.parametrize("seed", range(15 * EFFORT))
def test_a_random_walk_over_records_breaks_no_promise(seed: int) -> None:
    walk_on(seed, 30, every=5, kind=RecordWalk)
