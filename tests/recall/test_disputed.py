"""Which memories may be given while they are disputed: both sides in one, or none."""

from __future__ import annotations

from dataclasses import replace

from engram.model.memory import Memory
from engram.recall.disputed import Dispute, undisputed_or_whole


def waiting(identifier: str, *against: str, reason: str = "contradiction") -> Memory:
    return Memory(
        id=identifier, category="fact", text=identifier, status="needs-review",
        status_reason=reason, conflicts=against,
    )  # fmt: skip


PLAIN = Memory(id="plain", category="fact", text="plain")
STALE = replace(waiting("stale"), status_reason="stale")
OLDER, NEWER = waiting("a", "b"), waiting("b", "a")


def given(*found: Memory, known: tuple[Memory, ...] = ()) -> list[object]:
    named = {one.id: one for one in (*found, *known)}
    return list(
        undisputed_or_whole(
            found, lambda one: [named[name] for name in one.conflicts if name in named]
        )
    )


def test_two_sides_are_one_item_once_oldest_first_and_the_rest_stands_as_found() -> None:
    both = Dispute((OLDER, NEWER))
    assert given(PLAIN, NEWER, STALE, OLDER) == [PLAIN, both, STALE]
    assert given(NEWER, known=(OLDER,)) == [both]


def test_one_whose_opponent_may_not_be_given_is_left_out() -> None:
    assert given(PLAIN, NEWER) == [PLAIN]


def test_what_waits_beside_a_memory_that_stands_is_left_out_and_casts_no_doubt() -> None:
    trusted = replace(OLDER, status="active", status_reason="", conflicts=())
    low = waiting("low", "a", reason="lower_authority")
    assert given(low, trusted) == [trusted]
