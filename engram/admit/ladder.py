"""The ladder at admission: a candidate beside the memories that it does not agree with.

Turns a candidate into what `model/authority.contest` asks, and a lost contest into its verdict: the
memory stands, and nothing of the loser casts doubt on it. Words of the person wait for the person;
what is only guessed is refused. Pure.
"""

from __future__ import annotations

from dataclasses import replace

from engram.language.changes import speaks_of_change
from engram.language.rulings import ruling, stands_before
from engram.model.authority import AUTHORITIES, Assertion
from engram.model.candidate import Candidate
from engram.model.memory import Memory
from engram.model.refusal_codes import OUTRANKED
from engram.model.succession import EARLIER_CORRECTION, STANDS
from engram.model.verdict import Verdict
from engram.model.view import VaultView

#: how the slots of the person begin
_OF_PERSON = "user::"
#: the code of what was so before what is known
OLDER = "older_than_holder"


def assertion_of(candidate: Candidate) -> Assertion:
    """What a candidate claims: words that are not the person's are never more than inferred.

    What the person asks to remember sets right what was there, and so does what tells a change.
    """
    said = f"{candidate.text}\n{candidate.sentence or candidate.receipt.quote}"
    corrects = candidate.corrects or candidate.category == "correction"
    return Assertion(
        candidate.authority if candidate.in_own_words else AUTHORITIES[0],
        corrects or candidate.origin == "person" or speaks_of_change(said),
        candidate.receipt.time,
        candidate.importance,
    )


def outranks(memory: Memory, candidate: Candidate) -> str:
    """Why a memory stands whatever a later candidate says, as a code of `succession`; else ''."""
    return stands_before(memory, assertion_of(candidate))


def gives_way(memory: Memory, candidate: Candidate) -> bool:
    """Whether a memory is of lower authority than a candidate that does not agree with it."""
    return ruling(memory, assertion_of(candidate)) == ("incoming", "authority")


def is_news(candidate: Candidate, memory: Memory, view: VaultView) -> bool:
    """Whether a person gives another value of their own than a correction that stands before it.

    One that neither the correction tells nor what it set right is new: nobody else knows better.
    """
    own = candidate.in_own_words and candidate.slot.startswith(_OF_PERSON)
    if not own or outranks(memory, candidate) != EARLIER_CORRECTION:
        return False
    known = (memory, *map(view.memory, memory.supersedes))
    told = (f"{one.text}\n{one.quote}" for one in known if one is not None)
    return not view.terms(candidate.text) <= view.terms("\n".join(told))


def stood(candidate: Candidate, code: str, memories: tuple[str, ...]) -> Verdict:
    """The verdict on what may not replace memories that stand: the person decides, on their words.

    What was only guessed is not asked about: nothing is made of it.
    """
    if candidate.is_guess:
        return Verdict("refuse", OUTRANKED, candidate, memories)
    return Verdict("review", code, candidate, memories)


def ruled(verdict: Verdict, view: VaultView) -> Verdict:
    """A verdict with the rung of the ladder on which its candidate prevails or loses, if any."""
    if verdict.code == OLDER:
        return replace(verdict, rung="recency")
    lost = verdict.code == OUTRANKED or verdict.code in STANDS.values()
    if not lost and verdict.decision != "supersede":
        return verdict
    first = view.memory(verdict.memories[0])
    rung = ruling(first, assertion_of(verdict.candidate)).rule if first is not None else ""
    return replace(verdict, rung=rung)
