"""Confidence of a memory, from its sources: low .30, medium .70, high .90 (seed 000).

Turns the candidate that a memory is made of, and each later one that says the same, into a number
of 0 to 1. What an extractor claims of itself counts for nothing: a rule's number, and a model's,
only decide which of two candidates is taken (`extract/merge`). Guarantees: one source gives at most
`ONE_SOURCE`; high takes a second conversation in which the person says so in other words; what is
pasted, or said by an agent or a program, raises nothing; the person's own confirmation is explicit.
"""

from __future__ import annotations

from engram.admit.gate.worth import is_hedged
from engram.model.authority import authority_rank
from engram.model.candidate import TRUST, Candidate
from engram.model.memory import SESSION, Memory
from engram.model.text import normalise, words

#: one weak signal; one source; two independent ones, one of them the person
LOW, MEDIUM, HIGH = 0.30, 0.70, 0.90
#: what the person vouches for is explicit (seed 003)
VOUCHED = 0.95
#: the most that one source gives, however often it is heard, and what others say for the person
ONE_SOURCE, SECOND_HAND = 0.84, 0.69
#: from here on a text within another one is a quotation of it; fewer words anybody says twice
_QUOTED_WORDS = 6


def confidence_of(candidate: Candidate) -> float:
    """The confidence of a memory that has this one source."""
    if candidate.origin == "person":
        return VOUCHED
    if is_hedged(candidate) or not TRUST[candidate.voice]:
        return LOW
    heard = (candidate.receipt, *candidate.also)
    # the person set the goal of a session; what came of it is told by what an agent did
    typed = candidate.voice == "typed" and candidate.schema != SESSION
    by_person = typed and any(one.role == "user" for one in heard)
    return MEDIUM if by_person else SECOND_HAND


def confirmed_confidence(owner: Memory, candidate: Candidate) -> float:
    """The confidence of a memory once another source says the same."""
    if candidate.origin == "person":
        return max(owner.confidence, VOUCHED)
    conversations = {source.partition("#")[0] for source in owner.sources}
    again = candidate.conversation in conversations
    if again or candidate.receipt.role != "user" or is_hedged(candidate):
        return owner.confidence
    if not authority_rank(owner.authority):
        reached = MEDIUM  # only an agent, or another store, had said so
    else:
        reached = ONE_SOURCE if _is_copy(owner.quote, candidate.receipt.quote) else HIGH
    return max(owner.confidence, reached)


def _is_copy(one: str, other: str) -> bool:
    """Whether two texts are the same, or one is quoted in the other."""
    shorter, longer = sorted((normalise(one), normalise(other)), key=len)
    return shorter == longer or (shorter in longer and len(words(shorter)) >= _QUOTED_WORDS)
