"""Repeats: who owns this content already, and what it does to a memory to be said again or done.

A hash blocks only while a live memory of the same scope owns it, or one that was retired less than
a day ago (design 5.3). A repeat is never a silent skip: its receipt is added to the owner, whose
confidence and expiry follow (design 5.2). A mention is a repeat, or a fulfilment, that a model
names: it counts only where its words are about that memory and do not deny it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from engram.admit.confidence import confirmed_confidence
from engram.admit.gate.worth import is_hedged
from engram.language.calendar_words import MONTHS, WEEKDAYS
from engram.language.denial import denies, is_turned
from engram.language.numerals import values_of
from engram.language.supported import new_names
from engram.model.authority import AUTHORITIES, authority_rank
from engram.model.candidate import Candidate
from engram.model.instant import Day, Instant, minutes_between
from engram.model.memory import (
    DECISION_STATES,
    FULFILLED,
    NEVER_AGAIN,
    PARTICIPANT,
    Memory,
    is_proposed,
    is_settled,
)
from engram.model.ports import Judge
from engram.model.retention import Terms, renewed
from engram.model.succession import settled

Standing = Literal["free", "owned", "retired", "unwanted"]
#: the share of the fewer words that a mention and its memory have in common, or so many of them
_SHARED, _ENOUGH = 0.2, 2
#: so many that the person's words make theirs what an agent only inferred
_VOUCHES = 3
#: what can be carried out
_CARRIED_OUT = frozenset(["commitment", "decision", "moment", "fact"])
#: a commitment that is done needs no answer to these questions of the commitment pass
_ASKED_WHETHER = frozenset(["overdue", "stale"])
#: what has a capital and names nobody
_DATES = frozenset([*WEEKDAYS, *MONTHS])
_JOINTS = re.compile(r"[,;.:。，；] ?|\s(?:and|because|as|since|so|but|und|weil|denn|aber)\s")
_UNTOUCHED = re.compile(r"\bun[a-z]{3,}ed\b")
_ASKS = re.compile(r"[?？][\"')\s]*$")
#: what was so, and what is called untrue
_OVER = re.compile(r"\bused to\b|\b(?:wrong|untrue|false) that\b", re.IGNORECASE)
#: words of what is not done, or not yet
_UNDONE = re.compile(
    rf"{_ASKS.pattern}|\b(?:will|'ll|going to|gonna|not|n't|never|yet|still|plan(?:s|ned)? to"
    r"|needs? to|have to|should|must|almost|nearly|start(?:ed)? to|cancel\w*|todo|tomorrow|next|if"
    r"|once|fail(?:s|ed)?|nicht|kein\w*|noch|werden?|sollte\w*|muss)\b|n't\b|未|没|还|不|将|要",
    re.IGNORECASE,
)


def standing(
    owners: Sequence[Memory], now: Instant, resurrection_hours: int
) -> tuple[Standing, Memory | None]:
    """Whether content is free, owned by a live memory, or retired too recently to come back.

    What the person never wants learnt again does not come back, however long ago that was.
    """
    for owner in reversed(owners):
        if owner.live:
            return "owned", owner
    for owner in reversed(owners):
        if owner.extras.get(NEVER_AGAIN):
            return "unwanted", owner
    for owner in reversed(owners):
        if owner.status == "retired" and owner.status_since:
            age = minutes_between(owner.status_since, now)
            if age < resurrection_hours * 60:
                return "retired", owner
    return "free", None


def confirmed(owner: Memory, candidate: Candidate, now: Instant, terms: Terms) -> Memory:
    """The owner with one more receipt; the same receipt again changes nothing.

    What is pasted, or said by a program, is no receipt; an agent's words are one for what was no
    more than inferred, a participant's for their own statement. What the person says makes it
    theirs, whoever inferred it before, and a proposal their decision. A needs-review memory stays
    for the person to decide.
    """
    link = candidate.receipt.link
    if not link or link in owner.sources or not may_confirm(owner, candidate):
        return owner
    after = replace(
        owner,
        confidence=confirmed_confidence(owner, candidate),
        authority=max(owner.authority, candidate.authority, key=authority_rank),
        sources=(*owner.sources, link),
    )
    if is_proposed(owner) and candidate.in_own_words and not is_hedged(candidate):
        after = _with(after, decision_state=DECISION_STATES[1])
    return replace(after, expires=renewed(owner, after, now, terms))


def may_confirm(owner: Memory, candidate: Candidate) -> bool:
    """Whether a repeat is a receipt: the person's words, or a mention of what only was inferred.

    An agent that finds anew what it had found out tells that it still is so.
    """
    anew = candidate.confirms and candidate.voice == "agent"
    inferred = anew and owner.authority == AUTHORITIES[0]
    return candidate.in_own_words or bool(inferred) or _is_theirs(owner, candidate)


def _is_theirs(owner: Memory, candidate: Candidate) -> bool:
    """Whether a participant speaks of what is said to be theirs."""
    named = dict(candidate.fields).get(PARTICIPANT, "")
    return candidate.voice == "participant" and owner.extras.get(PARTICIPANT) == named


def fulfilled(owner: Memory, candidate: Candidate) -> Memory:
    """The owner as what was carried out on the day of the receipt; once done it stays as it is.

    A commitment is closed. Another plan stays visible: it still tells what was done, and why.
    """
    if is_settled(owner):
        return owner
    link, day = candidate.receipt.link, candidate.receipt.day
    return done_on(replace(owner, sources=tuple(dict.fromkeys((*owner.sources, link)))), day)


def done_on(memory: Memory, day: Day) -> Memory:
    """A memory as what was carried out on a day."""
    if memory.category != "commitment":
        return _with(memory, **{FULFILLED: day})
    answered = memory.status == "needs-review" and memory.status_reason in _ASKED_WHETHER
    after = settled(memory) if answered else memory
    return _with(after, **{FULFILLED: day, "commitment_state": "done"})


def _with(memory: Memory, **scalars: str) -> Memory:
    return replace(memory, extra=tuple({**memory.extras, **scalars}.items()))


def _clause(text: str, shared: frozenset[str], terms: Callable[[str], frozenset[str]]) -> str:
    """The part of a sentence that has most of the words that two have in common, the first such."""
    return max(_JOINTS.split(text), key=lambda part: len(terms(part) & shared))


def _denies(clause: str) -> bool:
    return denies(clause) or _UNTOUCHED.search(clause) is not None


def _counts_otherwise(text: str, said: str) -> bool:
    """Whether two texts have numbers, and none in common."""
    values, others = values_of(text), values_of(said)
    return bool(values and others) and values.isdisjoint(others)


def _names_another(owner: Memory, said: str) -> bool:
    """Whether words name somebody or something in place of what a memory names."""
    known = f"{owner.text}\n{owner.quote}"
    others = (new_names(said, known), new_names(owner.text, said))
    return all(any(name.casefold() not in _DATES for name in names) for names in others)


def says_otherwise(
    owner: Memory, said: str, terms: Callable[[str], frozenset[str]]
) -> bool:  # fmt: skip
    """Whether a statement denies that of a memory, or has a number that it nowhere has."""
    known = "\n".join((owner.text, owner.quote, *(text for _, text in owner.sections)))
    shared = terms(owner.text) & terms(said)
    return _denied(owner.text, said, shared, terms) or not values_of(said) <= values_of(known)


def _denied(
    text: str, said: str, shared: frozenset[str], terms: Callable[[str], frozenset[str]]
) -> bool:
    """Whether of two statements one denies what the other says, or calls it over."""
    clauses = (_clause(one, shared, terms) for one in (said, text))
    unlike = len({_denies(clause) for clause in clauses}) > 1
    return unlike or is_turned(text, said) or _OVER.search(said) is not None


def unsupported_mention(
    owner: Memory, candidate: Candidate, terms: Callable[[str], frozenset[str]], judge: Judge
) -> bool:
    """Whether the words that a mention quotes are not about its memory, or say otherwise."""
    said = candidate.sentence or candidate.receipt.quote
    known, told = terms(f"{owner.text} {owner.quote}"), terms(said)
    shared = (known & told) - terms(f"the user and the team {owner.project}")
    inferred = owner.authority == AUTHORITIES[0]
    vouches = inferred and values_of(owner.text).isdisjoint(values_of(said))
    share, enough = (1, _VOUCHES) if vouches else (_SHARED, _ENOUGH)
    if not shared or len(shared) < min(enough, share * min(len(known), len(told))):
        return True
    time = candidate.receipt.time
    newer = replace(owner, id="", key="", text=said, quote=said, created=time, extra=())
    if judge.compare(owner, newer).relation in ("supersedes", "contradicts"):
        return True
    if candidate.confirms:
        asked = _ASKS.search(said) is not None
        return (
            asked or _denied(owner.text, said, shared, terms) or _counts_otherwise(owner.text, said)
        )
    whose = candidate.voice in ("typed", "agent") or _is_theirs(owner, candidate)
    may = whose and owner.category in _CARRIED_OUT and not _names_another(owner, said)
    return not may or time <= owner.created or bool(is_hedged(candidate) or _UNDONE.search(said))
