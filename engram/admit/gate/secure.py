"""Security checkpoint: a candidate -> '' or the code for which it must not become a memory.

`ordered` asks whether it gives an agent orders, `personal` whether it tells what is private to
somebody else, `instructs` whether words of others say what is to be done. Secrets are refused by
the privacy step of `write_policy`, which reads `read_by_privacy`.
The person's own request counts literally: whose words they are is decided by origin and voice
(`model/candidate`), what is an order by `language/agent_orders`. What a model writes is measured by
what the person said. Nothing here stores or returns the text. Source: seed 000 (memory security
checkpoint), design 5.18.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from engram.admit.gate.sensitivity import tells_of_another
from engram.admit.secret_rule import secret_rule
from engram.language.agent_orders import added_order, injection, is_instruction, is_order
from engram.language.any_case import AnyCase
from engram.language.wording import beginnings
from engram.model.candidate import Candidate
from engram.model.memory import PARTICIPANT
from engram.model.speaker import is_about

#: how another store begins a memory of a person
_ABOUT_SOMEBODY = re.compile(
    r"\A(?:(?:the )?user\b(?![\w ]{0,20}[=:{])|(?:i|we|my|our)\b|[\w -]{1,80} \((?:person|user)\):)"
    r"[^.!?\n]*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
#: with such a verb a person says what others are to do, or to believe
_TELLS_OTHERS = AnyCase(
    r"\b(?:says?|said|saying|tells?|told|asks?|asked|wants?|wanted|insists?|insisted|requires?"
    r"|required|demands?|demanded|orders?|ordered|instruct(?:s|ed)?|expects?|expected|recommends?"
    r"|recommended|suggests?|suggested|advises?|advised|thinks?|thought|believes?|believed"
    r"|claims?|claimed|rules?|polic(?:y|ies)|agents?|assistants?|everyone|everybody|you)\b"
)
#: how people begin what they write down for themselves
_REMINDER = re.compile(r"\A(?:please )?remember(?:,? that\b| ?:)", re.IGNORECASE)
#: what only the person can say of themselves; "we" and "I" are somebody else in a paste
_WISH = AnyCase(
    r"\b(?:users?|you|owner|person|we|i)\b[^.!?\n]{0,30}?\b(?:prefer|want|like|love|decided|chose|agree"
    r"|ask|expect|request|trust|need|wish|insist)"
)
_CLAIMED_WISH = AnyCase(r"\b(?:i|we|us|my|me|our|ours|mine)\b", _WISH.source)
#: names of code, and what an agent proposed: no order to anybody
_DESCRIBED = re.compile(
    r"`[^`\n]*`|\bthe agent (?:recommend|suggest|propos)(?:s|ed|es)\b", re.IGNORECASE
)
#: words of a language whose statements a model may put into English
_FOREIGN = re.compile(
    r"[^\W\d_a-zA-Z]|\b(?:ich|wir|ist|und|der|das|den|nicht|ein|eine|kein|keine[nr]?|mit|zum|zur|unsere?|el|los|que"
    r"|una?|es|pero|je|nous|est|pas|du|les|il|io|che|sono|eu|uma|com|een|het|niet|ik|jag|och|inte"
    r"|nie|jest)\b",
    re.IGNORECASE,
)
#: so much of what stands around a quote is read: a page may be one sentence
_MOST_READ = 4_000


def ordered(candidate: Candidate) -> str:
    """The code of an order to an agent in any words of a candidate, or ''."""
    quote = candidate.receipt.quote
    words = _words(candidate)
    # around a statement that was cut out of it, an order tells what it was meant for
    parts = dict.fromkeys((*words, quote, candidate.sentence[:_MOST_READ]))
    # an option that the person took is told in the agent's words
    chosen = any(one.role != candidate.receipt.role for one in candidate.also)
    if chosen or not candidate.in_own_words:
        if candidate.voice == "stored":
            parts = dict.fromkeys(_REMINDER.sub("", part) for part in parts)
        return next(filter(None, (injection(part, own=False) for part in parts)), "")
    if code := next(filter(None, map(injection, parts)), ""):
        return code
    if candidate.origin != "model":
        return ""
    given = f"{quote}\n{candidate.sentence[:_MOST_READ]}"
    return next(filter(None, (added_order(part, given) for part in words)), "")


def personal(candidate: Candidate) -> str:
    """`personal` for what is somebody else's own matter, or ''."""
    return "personal" if any(map(tells_of_another, _told(candidate))) else ""


def read_by_privacy(candidate: Candidate) -> tuple[str, ...]:
    """All texts of a candidate that may hold a secret; of a profile item the whole sentence."""
    said = (candidate.sentence[:_MOST_READ],) if candidate.slot else ()
    names = (*candidate.tags, *candidate.entities, candidate.project, candidate.slot)
    parts = (text for _, text in candidate.sections)
    return tuple(dict.fromkeys(filter(None, (*_told(candidate), *parts, *said, *names))))


def _told(candidate: Candidate) -> tuple[str, ...]:
    return (*_words(candidate), candidate.receipt.quote)


def harm_in(text: str, clean: Callable[[str], bool], given: str, *, own: bool) -> str:
    """The code for which a text of a record must not be written, or ''.

    `own`: the person's hand wrote it. Of others an order counts that `given`, the words that the
    record quotes, does not hold.
    """
    if tells_of_another(text):
        return "personal"
    if secret_rule(text, clean):
        return "privacy_deny_sensitive"
    return injection(text) if own else added_order(text, given)


def instructs(candidate: Candidate) -> bool:
    """Whether words that are not the person's own say what is to be done, or what they want.

    A model's words are not the person's when they have nothing in common with those it quotes.
    """
    if candidate.in_own_words:
        return candidate.origin == "model" and not _is_supported(candidate)
    text = candidate.text
    if candidate.voice == "stored":
        # its subject is the person: "User never eats meat" orders nobody
        text = _ABOUT_SOMEBODY.sub("", text)
    else:
        if candidate.voice == "participant":
            # "Melanie never eats meat" orders nobody, "Tom wants the tests skipped" does
            text = _without_own_ways(text, dict(candidate.fields).get(PARTICIPANT, ""))
        # "our own proxy" of an agent is the one of the work that it is at
        agents = candidate.origin == "model" and candidate.voice == "agent"
        if (_WISH if agents else _CLAIMED_WISH).search(text):
            return True
        if agents:
            return is_order(_DESCRIBED.sub("one", text))
    return is_instruction(text)


def _without_own_ways(text: str, name: str) -> str:
    """A statement without its first sentence, where a person tells of themselves there."""
    first = _SENTENCE.match(text)
    if first is None or not is_about(text, name) or _TELLS_OTHERS.search(first[0]):
        return text
    return text[first.end() :]


def _is_supported(candidate: Candidate) -> bool:
    """Whether a statement takes up the words that it quotes; a translation is not compared.

    One word is enough for a statement; an order that was not given as one takes a third of its
    words. An option that the person took is told in the words of who proposed it.
    """
    quotes = (candidate.receipt.quote, *(one.quote for one in candidate.also))
    given = " ".join((*quotes, candidate.sentence))
    if _FOREIGN.search(given):
        return True
    said, stated = set(beginnings(given)), set(beginnings(candidate.text))
    common = len(said & stated)
    if is_order(candidate.text) and not is_order(given):
        return 3 * common >= len(stated)
    return common > 0 or not stated


def _words(candidate: Candidate) -> tuple[str, ...]:
    """What would be written of a candidate, but for its receipt."""
    values = (value for _, value in candidate.fields)
    return tuple(filter(None, (candidate.text, candidate.title, *values)))
