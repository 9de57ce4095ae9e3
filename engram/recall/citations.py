"""Memories that a question found -> the turns that they cite, and how much that says for each.

    "which vehicle does Ana drive?", memory "Ana drives a Corsa." [[...#^m1]]   ...#^m1: 1

A turn is what a memory was made of. Where the memory answers in words that the turn lacks, or holds
nearly all that is asked, the turn is evidence too, by the memory's share of the best memory. What
merely repeats a word or two of the turn says nothing more for it, nor does the record of a session,
which cites where the conversation began. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engram.language.tokens import query_terms, terms
from engram.model.memory import SESSION, schema_name

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.model.turn import Turn
    from engram.recall.rank import Ranked

#: memories that count, best first
MOST_CITING = 10
#: turns of one memory that count: what was said hundreds of times is told by any of them
MOST_CITED = 20
#: characters of a text that are looked at
_MOST_TEXT = 4_000
#: nearly all: so much of what is asked
_NEARLY_ALL = 2 / 3


def citing(found: Sequence[tuple[Memory, Ranked]]) -> list[tuple[Memory, float]]:
    """The memories whose sources count, each with its share of the best score."""
    best = max((one.score for _, one in found), default=0.0)
    return [
        (memory, one.score / best)
        for memory, one in found[:MOST_CITING]
        if best > 0 and memory.sources and schema_name(memory) != SESSION
    ]


def cited_shares(
    question: str, memories: Sequence[tuple[Memory, float]], turns: Mapping[str, Turn]
) -> dict[str, float]:
    """Link -> the best share of a memory that says something for that turn; others are left out."""
    asked = frozenset(query_terms(question))
    shares: dict[str, float] = {}
    for memory, share in memories:
        held = asked.intersection(terms(f"{memory.title}\n{memory.text[:_MOST_TEXT]}"))
        for link in memory.sources:
            if held and (turn := turns.get(link)) and share > shares.get(link, 0.0):
                nearly_all = len(held) >= _NEARLY_ALL * len(asked)
                if nearly_all or not held.issubset(terms(turn.text[:_MOST_TEXT])):
                    shares[link] = share
    return shares
