"""Security checkpoint: a candidate -> '' or the code for which it must not become a memory.

`ordered` asks whether it gives an agent orders, `private` whether it tells a secret or what is
private to somebody else, `instructs` whether words of others say what is to be done.
The person's own request counts literally: whose words they are is decided by origin and voice
(`model/candidate`), what is an order by `language/agent_orders`. What a model writes is measured by
what the person said. Nothing here stores or returns the text. Source: seed 000 (memory security
checkpoint), design 5.18.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from engram.admit.gate.sensitivity import tells_of_another
from engram.language.agent_orders import added_order, injection, is_instruction
from engram.language.stated_secrets import states_secret
from engram.model.candidate import Candidate

#: how another store begins a memory: of the person, or of a thing with its name
_ABOUT_SOMEBODY = re.compile(
    r"\A(?:(?:the )?user\b|i\b|[\w -]{1,80} \([\w -]{1,80}\):)[^.!?\n]*", re.IGNORECASE
)
_TAKEN_OUT = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}:[0-9]{1,9}\]")
#: what begins a private key: nobody writes it but in front of one
_KEY_HEADER = re.compile(r"-{3,}\s*BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-[0-9]")


def ordered(candidate: Candidate) -> str:
    """The code of an order to an agent in any words of a candidate, or ''."""
    quote = candidate.receipt.quote
    words = _words(candidate)
    if not candidate.in_own_words:
        # around a statement that was cut out of it, an order tells what it was meant for
        parts = dict.fromkeys((*words, quote, candidate.sentence))
        return next(filter(None, (injection(part, own=False) for part in parts)), "")
    if code := next(filter(None, map(injection, dict.fromkeys((*words, quote)))), ""):
        return code
    if candidate.origin != "model":
        return ""
    given = f"{quote}\n{candidate.sentence}"
    return next(filter(None, (added_order(part, given) for part in words)), "")


def private(candidate: Candidate, clean: Callable[[str], bool]) -> str:
    """`secret` or `personal` for what is never stored, or ''."""
    texts = (*_words(candidate), candidate.receipt.quote)
    if any(map(tells_of_another, texts)):
        return "personal"
    if not all(map(clean, (*texts, *candidate.tags, *candidate.entities))):
        return "secret"
    return "secret" if any(map(tells_secret, texts)) else ""


def tells_secret(text: str) -> bool:
    """Whether a text tells a password, PIN, key or number of identity, or did until redaction."""
    if _TAKEN_OUT.search(text) or _KEY_HEADER.search(text):
        return True
    return states_secret(text)


def instructs(candidate: Candidate) -> bool:
    """Whether words that are not the person's own would say what is to be done."""
    if candidate.in_own_words:
        return False
    text = candidate.text
    if candidate.voice == "stored":
        # its subject is the person: "User never eats meat" orders nobody
        text = _ABOUT_SOMEBODY.sub("", text)
    return is_instruction(text)


def _words(candidate: Candidate) -> tuple[str, ...]:
    """What would be written of a candidate, but for its receipt."""
    values = (value for _, value in candidate.fields)
    return tuple(filter(None, (candidate.text, candidate.title, *values)))
