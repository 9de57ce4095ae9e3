"""Places of turns -> positions, small numbers that say the same of neighbours.

    documents 0, 1, 2 at the places 8001, 8002, 5003      positions 4 (of document 2), 9, 10

A place (`model.hit.place_in`) is a number of 63 bits; scores by position are added up several times
faster than scores by place. Two places less than APART from one another keep their distance,
all others have at least APART between them.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from engram.model.hit import ORDINALS

#: nothing that is so far from a turn is its neighbour
APART = 5


class TurnOrder(NamedTuple):
    """The turns of an index by position.

    `positions` and `talks` are of each document: where it stands, and the number of its
    conversation, both 0 for a deleted one. `documents` is the document at each position, -1 for
    none. `terms` is the number of terms of each conversation.
    """

    positions: Sequence[int]
    documents: Sequence[int]
    talks: Sequence[int]
    terms: Sequence[int]


def turn_order(places: Sequence[int], lengths: Sequence[int]) -> TurnOrder:
    """The order of documents by their places; one of length 0 is deleted."""
    positions, talks = array("I", bytes(4 * len(places))), array("I", bytes(4 * len(places)))
    documents, terms = array("i"), list[int]()
    last, session = -APART, -1
    for first, start, stop in sorted(_runs(places, lengths)):
        # of two documents at one place both stay
        gap = first - last - 1 if first > last else APART
        documents.extend([-1] * min(gap, APART - 1))
        if first // ORDINALS != session:
            session = first // ORDINALS
            terms.append(0)
        for document in range(start, stop):
            positions[document], talks[document] = len(documents), len(terms) - 1
            documents.append(document)
        terms[-1] += sum(lengths[start:stop])
        last = first + stop - start - 1
    # the last turn has none after it
    documents.extend([-1] * (APART - 1))
    return TurnOrder(positions, documents, talks, terms)


def _runs(places: Sequence[int], lengths: Sequence[int]) -> list[tuple[int, int, int]]:
    """Documents one after the other that stand so, too: the first place, the documents from, to."""
    runs: list[tuple[int, int, int]] = []
    start, expected = 0, -1
    for document, place in enumerate(places):
        if place != expected or not lengths[document]:
            if start < document and lengths[start]:
                runs.append((places[start], start, document))
            start = document
        expected = place + 1 if lengths[document] else -1
    if start < len(places) and lengths[start]:
        runs.append((places[start], start, len(places)))
    return runs
