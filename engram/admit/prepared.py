"""A candidate as an extractor gives it -> the candidate as it is judged and would be written.

The person's words lose the signs that nobody sees, which in other words are a reason to refuse. It
goes where the person asked for it to hold; what may not be written to its space is its session's. A
rule or a promise that an agent read out becomes a fact, a decision is proposed until the person
agrees, no source claims more than its ceiling, and the text cannot act as Markdown. Pure.
"""

from __future__ import annotations

from dataclasses import replace

from engram.admit.gate.worth import is_hedged
from engram.model.attributes import normal_slot
from engram.model.authority import authority_rank
from engram.model.candidate import Candidate
from engram.model.markdown import neutralise
from engram.model.memory import DECISION_STATES, SESSION
from engram.model.policy import Policy
from engram.model.promotion import PROMOTION_REASON, has_rule

#: what an agent tells of a project and cannot lay down or promise itself
_READ_OUT = frozenset({"principle", "commitment"})


def prepared(candidate: Candidate, policy: Policy) -> Candidate:
    """The candidate with an inert text, a category its voice may have, and a decision's state."""
    # imported here: a vault that is only read needs none of its patterns
    from engram.language.hidden_text import without_hidden_signs

    words = (candidate.text, candidate.title, candidate.receipt.quote)
    if candidate.in_own_words and not all(map(str.isascii, words)):
        text, title, quote = map(without_hidden_signs, words)
        receipt = replace(candidate.receipt, quote=quote)
        candidate = replace(candidate, text=text, title=title, receipt=receipt)
    candidate = _where_asked(within_ceiling(candidate, policy), policy)
    candidate = _with_state(_as_fact(_placed(candidate, policy)))
    text, slot = neutralise(candidate.text), normal_slot(candidate.slot)
    if (text, slot) == (candidate.text, candidate.slot):
        return candidate
    return replace(candidate, text=text, slot=slot)


def _placed(candidate: Candidate, policy: Policy) -> Candidate:
    """In its session's space, where the policy lets nothing into its own one unasked (seed 002)."""
    spaces = policy.write_spaces
    if candidate.origin == "person" or candidate.voice == "stored" or candidate.leaves:
        return candidate
    if candidate.space in spaces or SESSION not in spaces:
        return candidate
    return replace(candidate, space=SESSION) if candidate.conversation else candidate


def within_ceiling(candidate: Candidate, policy: Policy) -> Candidate:
    """The candidate with no more authority than may claim what its conversation's source tells."""
    source = candidate.conversation.rpartition("-")[0]
    most = policy.of_space(candidate.space).sources.get(source, candidate.authority)
    least = min(candidate.authority, most, key=authority_rank)
    return candidate if least == candidate.authority else replace(candidate, authority=least)


def _where_asked(candidate: Candidate, policy: Policy) -> Candidate:
    """The candidate in the space that the person asks for, where the policy lets that be written,
    or they ask by hand.

    Else, where a rule lets it leave, in session space, from which it is promoted. Words that the
    person did not type ask for nothing.
    """
    wish = candidate.wish
    if wish is None or candidate.leaves:
        return candidate
    if not candidate.in_own_words:
        return replace(candidate, wish=None)
    by_hand = candidate.origin == "person" and has_rule(policy, SESSION, wish.space)
    if by_hand or wish.space in policy.write_spaces:
        asked = (*candidate.fields, (PROMOTION_REASON, wish.code))
        return replace(candidate, space=wish.space, fields=asked)
    if SESSION in policy.write_spaces and has_rule(policy, SESSION, wish.space):
        return replace(candidate, space=SESSION)
    return candidate


def _as_fact(candidate: Candidate) -> Candidate:
    """A rule or an open task that an agent read out, as a fact: nobody's promise, nobody's rule."""
    read_out = candidate.voice == "agent" and candidate.category in _READ_OUT
    if candidate.origin != "model" or not read_out:
        return candidate
    return replace(candidate, category="fact", schema="", fields=())


def _with_state(candidate: Candidate) -> Candidate:
    """A model's decision as proposed, unless the person said it outright, or agreed to it."""
    proposed, accepted = DECISION_STATES
    fields = dict(candidate.fields)
    if candidate.origin != "model" or "decision_state" not in fields:
        return candidate
    said = fields["decision_state"] == accepted and not is_hedged(candidate)
    taken = candidate.in_own_words and bool(candidate.also or said)
    fields["decision_state"] = accepted if taken else proposed
    return replace(candidate, fields=tuple(fields.items()))
