"""Refusal codes: the stable word for why a candidate became no memory -> what it means, in words.

The one table of them: for the person who asks what was refused, and for the manual. An event holds
the code alone, so that none may ever mean something else; `meaning` has words for one that this
version does not know.
"""

from __future__ import annotations

from collections.abc import Mapping

from engram.model.errors import BadInput
from engram.model.trace import DENIED

#: in the order of the gate
MEANINGS: Mapping[str, str] = {
    # security
    "injection_override": "it tells an agent to drop what holds",
    "injection_role": "it gives an agent another role",
    "injection_exfiltration": "it sends secrets away",
    "injection_memory": "it gives orders to the memory",
    "injection_command": "it has dangerous commands run",
    "injection_agent": "it speaks to agents, not to people",
    "injection_hidden": "it has signs that nobody sees",
    "injection_encoded": "it has encoded text",
    # provenance
    "no_receipt": "nothing says where it is from",
    "no-quote": "it quotes nothing",
    "unknown-turn": "it quotes a turn that was not read",
    "quote-not-found": "the conversation does not say so",
    "wrong-source": "its link leads to another turn",
    "unsupported": "its quote does not say so",
    "thin_quote": "it quotes too little",
    "long_quote": "it quotes too much",
    "not_own_words": "pasted text, not the person's words",
    "program_prompt": "a program wrote it on the person's line",
    "low_trust": "only the person may say so",
    "not_the_person": "only the person may say so",
    # what the policy denies
    "write_space_disallowed": "nothing is written there unless you ask for it",
    "session_over": "its session is over",
    "privacy_deny_sensitive": "it tells a secret",
    "privacy_deny_pattern": "the policy denies a word of it",
    "privacy_deny_profile_key": "the policy keeps no such value",
    "write_policy_none": "the policy keeps nothing unasked",
    "write_policy_minimal": "the policy keeps facts, preferences, decisions and corrections",
    "write_policy_context": "the policy keeps nothing so slight",
    "policy_deny_event_type": "the policy denies what is of this type",
    "policy_deny_promotion": "the policy makes no value of this type",
    "policy_low_signal": "a greeting or a thank-you",
    # secrets and personal data
    "secret": "it tells a secret",
    "personal": "health, pay or identity numbers of others",
    # bearing
    "dangling": "it means nothing without the turn before",
    "question": "a question",
    "request": "an order for now",
    "passing": "it holds for this moment only",
    "repair": "it mends a misunderstanding",
    "cut": "it is broken off",
    "working": "a state of the work at hand",
    # what is known, and what it is worth
    "outranked": "what you said yourself stands against it",
    "retired_recently": "you retired the same a short time ago",
    "unwanted": "you forgot the same and wanted it never learnt again",
    "low_score": "too little new, lasting or useful",
    "trivial": "of little importance",
    "too_many": "more from one turn than `extract.max_per_turn`",
    # records
    "noop": "it says nothing new of the record",
    "kept_from_agents": "only the person retires that",
    "incomplete": "a record without what its schema asks for",
    "oversized": "more than a record holds",
    # the form of a proposal
    "unknown_category": "of no category that there is",
    "unknown_memory": "it names a memory that there is none of",
    "empty": "it says nothing",
    "too_long": "a document, not a fact",
    "out_of_range": "its numbers are none",
    "malformed": "the model's answer is not understood",
    "flood": "the model proposed too many",
}
#: of a guess: what it does not agree with has more authority
OUTRANKED = "outranked"
#: the events of a refusal, and of a person who keeps what was refused
REFUSED, KEPT = DENIED, "refusal_kept"
_PRIVACY = "privacy_deny_"
_POLICY = ("write_space_", "write_policy_", "policy_deny_")
_PRIVATE = frozenset({"secret", "personal"})


def meaning(code: str) -> str:
    """What a code means, in a few words."""
    return MEANINGS.get(code, "a reason of another version")


def is_withheld(code: str) -> bool:
    """Whether what was refused is neither shown nor kept by a key: it may be what does harm."""
    return is_private(code) or code.startswith("injection_")


def is_private(code: str) -> bool:
    """Whether what was refused may be so short that a digest of its turn tells it.

    A link names a turn by such a digest; the event of such a refusal names the conversation alone.
    """
    return code in _PRIVATE or code.startswith(_PRIVACY)


def of_policy(code: str) -> bool:
    """Whether a value of the policy denies it, and not what a text tells."""
    return code.startswith(_POLICY)


def check_code(named: str, seen: frozenset[str]) -> None:
    """Raise BadInput for a code that neither the table has nor the vault's own log (`seen`)."""
    if named not in MEANINGS and named not in seen:
        known = ", ".join(sorted({*MEANINGS, *seen}))
        raise BadInput(f"there is no refusal code {named!r}", f"the codes are {known}")
