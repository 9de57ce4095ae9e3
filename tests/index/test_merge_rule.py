"""The merge rule: few segments, and each document written anew a few times, however it came."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.index.merge_rule import FAN, LARGE, SMALL, Size, to_merge
from tests.effort import examples

sizes = st.builds(
    lambda documents, share: Size(documents, documents * share // 10),
    st.integers(0, 2 * LARGE), st.integers(0, 10),
)  # fmt: skip


def grown(batch: int, times: int) -> tuple[list[int], int]:
    """The segments after so many updates, and how many documents were written in all."""
    segments: list[int] = []
    written = 0
    for _ in range(times):
        chosen = to_merge(batch, [Size(size, 0) for size in segments])
        new = batch + sum(segments[number] for number in chosen)
        segments = [size for number, size in enumerate(segments) if number not in chosen] + [new]
        written += new
    return segments, written


@pytest.mark.parametrize(("batch", "times"), [(1, 3_000), (7, 1_000), (2_000, 50), (300, 300)])
def test_updates_leave_few_segments_and_write_each_document_a_few_times(
    batch: int, times: int
) -> None:
    segments, written = grown(batch, times)
    count = batch * times
    levels = log(count / min(batch, SMALL), FAN) + 2
    assert sum(segments) == count
    assert len(segments) <= (FAN - 1) * levels
    # the lowest level is written anew with each update
    assert written <= count * (levels + SMALL / batch)


@examples(5)
@given(st.integers(0, 5_000), st.lists(sizes, max_size=20))
def test_what_mostly_died_is_written_anew_and_what_is_large_and_whole_is_not(
    new: int, segments: list[Size]
) -> None:
    chosen = to_merge(new, segments)
    for number, size in enumerate(segments):
        if not size.live or size.deleted * 2 > size.documents:
            assert number in chosen
        elif size.live >= LARGE and size.deleted * 10 <= size.documents:
            assert number not in chosen


def test_an_update_that_only_deletes_writes_nothing_anew() -> None:
    assert to_merge(0, [Size(5, 1), Size(9, 0), Size(100, 20)]) == set()
