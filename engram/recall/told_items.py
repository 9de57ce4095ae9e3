"""Memories and turns that were found for a question -> those that it is answered with, in order.

    "Which school does Emil go to?"
        a turn "Emil got a place at the VS 35"       before
        a memory "We are going to the lake"          left out: `go` tells nothing of a school

What counts is how much of the question a text says, by how telling each of its words is. Turns are
looked at where no memory says nearly all of it. What says far less than the best of all is left
out; the turns come first where they say more than any memory. Of turns those of a person come
before those of an agent that match nearly as well, and of two that say the same of the question the
later one. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from engram.recall.disputed import members

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.recall.disputed import Given
    from engram.recall.evidence import Evidence
    from engram.recall.question_words import QuestionWords

#: so many turns are told
MOST_TURNS = 3
#: nearly all: so much of what is asked
NEARLY_ALL = 2 / 3
#: far less than the best: so much of what that says
_FAR_LESS = 1 / 3
#: what the turn before one says counts for so much, where it says more: its answer names nothing
_BEFORE = 0.7
#: what a turn of an agent is worth beside those of people
_OF_AGENT = 0.7
#: of two turns that say the same the later one comes first unless it matches worse than this
_AS_WELL = 0.6


class WeighedTurn(NamedTuple):
    """A turn that may be told, and how much of the question it says, 0..1."""

    evidence: Evidence
    share: float


def share_of(asked: QuestionWords, given: Given) -> float:
    """How much of a question a memory says, 0..1; of a dispute the side that says most."""
    return max(_share(asked, memory) for memory in members(given))


def _share(asked: QuestionWords, memory: Memory) -> float:
    sections = (text for _, text in memory.sections)
    return asked.share(memory.title, memory.text, memory.quote, *sections, related=True)


def weighed_turns(asked: QuestionWords, found: Sequence[Evidence]) -> list[WeighedTurn]:
    """The turns that were found, best first, as they are told."""
    ordered = sorted(found, key=lambda one: -one.score * (_OF_AGENT if _by_agent(one) else 1.0))
    told: list[Evidence] = []
    for one in ordered:
        held, by_agent = asked.held(one.text), _by_agent(one)
        at = len(told)
        for place, other in enumerate(told):
            if (
                held
                and other.source.said < one.source.said
                and by_agent == _by_agent(other)
                and one.score >= _AS_WELL * other.score
                and held == asked.held(other.text)
            ):
                at = place
                break
        told.insert(at, one)
    return [WeighedTurn(one, _turn_share(asked, one)) for one in told]


def _turn_share(asked: QuestionWords, one: Evidence) -> float:
    own = asked.share(one.text, related=True)
    return max(own, _BEFORE * asked.share(one.text, *one.before[:1], related=True))


def _by_agent(one: Evidence) -> bool:
    return one.source.role == "assistant" and not one.source.speaker


class Told(NamedTuple):
    """The memories to tell, best first, and whether the turns stand before them."""

    memories: list[Given]
    turns_first: bool = False


def told_memories(
    memories: Sequence[Given], shares: Sequence[float], turn_shares: Sequence[float]
) -> Told:
    """Without the memories that say far less of the question than the best text does."""
    best_turn, best_memory = max(turn_shares, default=0.0), max(shares, default=0.0)
    least = _FAR_LESS * max(best_turn, best_memory)
    kept = [one for one, share in zip(memories, shares, strict=True) if share >= least]
    return Told(kept, best_turn > best_memory)
