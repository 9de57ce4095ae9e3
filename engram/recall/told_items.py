"""Memories and turns that were found for a question -> those that it is answered with, in order.

    "Which school does Emil go to?"
        a turn "Emil got a place at the VS 35"       before
        a memory "We are going to the lake"          left out: `go` tells nothing of a school

What counts is how much of the question a text says, by how telling each of its words is. Turns are
looked at where no memory says nearly all of it. What says far less than the best of all is left
out; the turns come first where they say more than any memory. Of turns those of a person that
state something come before questions, and before those of an agent, that match nearly as well; of
two that say the same of the question the later one. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from engram.model.sentences import sentence_ranges
from engram.model.text import words
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
#: what a turn is worth that an agent said, or that only asks, beside what a person states
_NOT_STATED = 0.7
#: what a turn is worth that was found by the turns beside it alone
_OF_NEIGHBOURS = 0.7
#: of two turns that say the same the later one comes first unless it matches worse than this
_AS_WELL = 0.6
#: so much of a text is looked at for a sentence that states something, characters
_MOST_TEXT = 4_000


def _only_asks(text: str) -> bool:
    ranges = sentence_ranges(text, 0, min(len(text), _MOST_TEXT))
    return all(text[start:end].rstrip().endswith("?") for start, end in ranges)


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
    stated = {one.turn: not (_by_agent(one) or _only_asks(one.text)) for one in found}

    def worth(one: Evidence) -> float:
        own = _OF_NEIGHBOURS + (1 - _OF_NEIGHBOURS) * asked.share(one.text, related=True)
        return one.score * own * (1.0 if stated[one.turn] else _NOT_STATED)

    ordered = sorted(found, key=worth, reverse=True)
    told: list[Evidence] = []
    for one in ordered:
        held = asked.held(one.text)
        at = len(told)
        for place, other in enumerate(told):
            if (
                held
                and other.source.said < one.source.said
                and stated[one.turn] == stated[other.turn]
                and one.score >= _AS_WELL * other.score
                and held == asked.held(other.text)
            ):
                at = place
                break
        told.insert(at, one)
    return [WeighedTurn(one, _turn_share(asked, one)) for one in told]


def _turn_share(asked: QuestionWords, one: Evidence) -> float:
    own = asked.share(one.text, related=True)
    if _by_agent(one):  # "Noted." tells nothing of what it is said to
        return own
    return max(own, _BEFORE * asked.share(one.text, *one.before[:1], related=True))


def _by_agent(one: Evidence) -> bool:
    return one.source.role == "assistant" and not one.source.speaker


def told_memories(
    memories: Sequence[Given], shares: Sequence[float], turn_shares: Sequence[float]
) -> list[Given]:
    """Without the memories that say far less of the question than the best text does."""
    least = _FAR_LESS * max((*shares, *turn_shares), default=0.0)
    return [one for one, share in zip(memories, shares, strict=True) if share >= least]


def is_telling(turn_share: float, best_memory: float) -> bool:
    """Whether a turn does not say far less of the question than the best memory does."""
    return turn_share >= _FAR_LESS * best_memory


def covers(memory: Memory, turn: str) -> bool:
    """Whether a memory says every word of what is shown of a turn."""
    return set(words(turn)) <= set(words(f"{memory.text}\n{memory.quote}"))
