"""Positions of turns: neighbours stay neighbours, strangers stay apart, whatever the order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.index.turn_order import APART, turn_order
from engram.index.turn_scores import NEIGHBOURS
from engram.model.hit import ORDINALS

_PLACES = st.builds(
    lambda talk, ordinal: talk * ORDINALS + ordinal, st.integers(1, 6), st.integers(2, 30)
)


@given(st.lists(st.tuples(_PLACES, st.integers(0, 3)), unique_by=lambda one: one[0], max_size=60))
def test_positions_keep_each_distance_of_neighbours_and_no_other(
    turns: list[tuple[int, int]],
) -> None:
    places, lengths = [place for place, _ in turns], [length for _, length in turns]
    order = turn_order(places, lengths)
    live = [number for number, length in enumerate(lengths) if length]
    assert sorted(number for number in order.documents if number >= 0) == live
    for number in live:
        assert order.documents[order.positions[number]] == number
        assert 0 <= order.positions[number] < len(order.documents) - APART + 1
        for other in live:
            far = places[other] - places[number]
            distance = order.positions[other] - order.positions[number]
            assert distance == far if abs(far) < APART else abs(distance) >= APART
            same = places[other] // ORDINALS == places[number] // ORDINALS
            assert (order.talks[other] == order.talks[number]) == same
    for talk, terms in enumerate(order.terms):
        assert terms == sum(lengths[number] for number in live if order.talks[number] == talk)
    assert len(order.terms) == len({places[number] // ORDINALS for number in live})


def test_what_is_apart_is_out_of_reach_of_every_neighbour() -> None:
    assert max(abs(step) for step, _ in NEIGHBOURS) < APART


def test_two_documents_at_one_place_are_both_found() -> None:
    order = turn_order([ORDINALS + 2, ORDINALS + 3, ORDINALS + 2], [1, 1, 1])
    assert sorted(number for number in order.documents if number >= 0) == [0, 1, 2]
