"""Whatever agents, a person and nights do to records, in whatever order: what is promised holds."""

from __future__ import annotations

from tests.effort import EFFORT
from tests.record_sequence import sequence_on
from tests.record_walk import RecordWalk
from tests.walk import walk_on


def test_a_random_sequence_of_records_breaks_no_promise() -> None:
    for seed in range(25 * EFFORT):
        sequence_on(1_000_000 + seed)


def test_a_random_walk_over_records_breaks_no_promise() -> None:
    walk_on(1_000_000, 12, every=6, kind=RecordWalk)
