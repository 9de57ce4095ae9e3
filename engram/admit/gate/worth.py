"""Whether a candidate is worth a file, and how much: refusal codes, and the score of seed 000.

`unworthy` turns a candidate and the settings into '' or a refusal code. `factors_of` turns a
candidate and what is known around it into five numbers of 0 to 2, read from its words and never
from its category, which is a guess: `novelty + stability + reuse + evidence - sensitivity`. What
reaches `LEAST` is kept. What a model thinks of an item takes points away, or adds one where the
person's own words have earned one already: a model that praises everything lets no junk in.
English; what is in another language is taken for a plain statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from engram.admit.gate.bearing import EMPTY_IT, THIS_PROJECT
from engram.language.any_case import AnyCase
from engram.language.english import is_english
from engram.language.irregular import PAST
from engram.language.near_duplicates import alike
from engram.language.own_statements import ORDERS, one_line
from engram.language.paraphrase.phrasing import phrasing
from engram.language.when import find_times
from engram.language.wording import terms_of
from engram.model.candidate import TRUST, Candidate
from engram.model.memory import CATEGORIES, LEVELS, Level, Memory, at_least, importance_level
from engram.model.text import normalise

#: a longer statement is a document, not a fact (specs: 64 KB a record; one fact is far below)
MOST_CHARACTERS = 4_000
#: the lowest score that is kept (seed 000)
LEAST = 5


def unworthy(candidate: Candidate, min_importance: str) -> str:
    """A refusal code, or ''. `min_importance` is one of the levels."""
    if candidate.category not in CATEGORIES:
        return "unknown_category"
    if not normalise(candidate.text):
        return "empty"
    if len(candidate.text) > MOST_CHARACTERS:
        return "too_long"
    if not 0 <= candidate.confidence <= 1 or not 0 <= candidate.importance <= 1:
        return "out_of_range"
    threshold: Level = next((level for level in LEVELS if level == min_importance), "low")
    level = importance_level(candidate.importance)
    if candidate.origin != "person" and not at_least(level, threshold):
        return "trivial"
    return ""


class Factors(NamedTuple):
    """The numbers that a score is made of, each 0..2."""

    novelty: int
    stability: int
    reuse: int
    evidence: int
    sensitivity: int

    @property
    def score(self) -> int:
        """-2..8."""
        return self.novelty + self.stability + self.reuse + self.evidence - self.sensitivity


def factors_of(
    candidate: Candidate, near: Iterable[Memory] = (), *, written: bool = False,
    known: bool = False, sensitivity: int = 0,
) -> Factors:  # fmt: skip
    """The factors of a candidate.

    `near` are memories that it does not replace or contradict; `written`: a rule file of its
    project says the same; `known`: it is about an entity that the vault knows.
    """
    said = one_line(candidate.receipt.quote or candidate.text)[:MOST_CHARACTERS]
    around = one_line(candidate.sentence)[:MOST_CHARACTERS] or said
    evidence = _evidence(candidate, said)
    lasting, useful, guessed = candidate.appraisal
    day = candidate.receipt.day
    ahead = any(span.end > day for span in find_times(candidate.text, day))
    if ahead or any(name == "due" for name, _ in candidate.fields):
        lasting = max(lasting, 0)  # what has its day passes with it, and is kept until then
    if evidence < 2 or not candidate.in_own_words:
        lasting, useful = min(lasting, 0), min(useful, 0)
    return Factors(
        _within(_novelty(candidate, near, written) + min(useful, 0)),
        _swayed(_stability(candidate, said, around), lasting),
        _swayed(_reuse(candidate, said, around, known=known), useful),
        _within(evidence - guessed),
        sensitivity,
    )


def _within(number: int) -> int:
    return min(max(number, 0), 2)


def _swayed(number: int, opinion: int) -> int:
    """A factor moved by what a model thinks: no praise for what the words give no point for."""
    return _within(number + opinion) if number > 0 else 0


# -- novelty --------------------------------------------------------------------------------------


#: from here on two statements with the same numbers, names and negations are alike, percent
_ALIKE = 50


def _novelty(candidate: Candidate, near: Iterable[Memory], written: bool) -> int:
    """0 for another's form, 1 for what is alike or stands in a rule file, 2 else."""
    found = 2
    for memory in near:
        said, other = phrasing(candidate.text), phrasing(memory.text)
        if said.form and said.form == other.form:
            return 0
        # a word of its own is news: "the shop uses Redis", where it uses Postgres, too
        if said.terms <= other.terms and alike(said, other) >= _ALIKE:
            found = 1
    return min(found, 1) if written else found


# -- stability ------------------------------------------------------------------------------------

#: words by which a statement says of itself that it stands
_LASTS = AnyCase(
    r"\b(?:always|never|must|mustn't|only|every|each|any|all|by default|defaults? to|conventions?"
    r"|standards?|polic(?:y|ies)|because|reason|so that|decided|agreed|chose|chosen|settled on"
    r"|for (?:the future|next time)|no longer|any ?more|from now on"
    r"|(?:going|moving) forward|in (?:the )?future|instead of"
    r"|rather than|going to (?:adopt|use|support|archive|drop)|(?:moved|switched|migrated) (?:from"
    r"|to)|ha(?:s|ve) to|not allowed|permanently|in general|generally|as a rule)\b"
    r"|\blet'?s (?:go with|use|adopt|stick (?:with|to)|switch to|standardi[sz]e on)\b"
    r"|^(?:and |please )*stop (?:\w{3,}ing)\b"
    r"|\bno (?:need to|[\w -]{2,30} (?:needed|required|necessary|allowed))\b"
    r"|\bno (?:new )?\w+s\b|\bit is(?:,|$)|, not \S+(?: \S+)?$"
)
#: words by which it says that it passes
_PASSES = AnyCase(
    r"\b(?:for now|right now|just now|at the moment|currently|today|tonight|this"
    r" (?:run|session|time|morning|afternoon|evening|week|branch|commit|pr|message|page|mockup|task"
    r"|step|draft)|until (?:\d|noon|one|two|three|four|five|six)|maybe|perhaps|so far"
    r"|not yet|still \w+ing|in progress|in (?:a|ten|five|\d+) minutes|again)\b"
)
#: a habit that is taken up again lasts
_HABIT = AnyCase(r"^(?:the user|i|we)(?: now)? (?:eat|drink|smoke|drive|swim|cycle)s?\b.* again\b")
_VERB = (
    r"(?:is|are|am|was|were|has|have|had|do|does|did|can|cannot|could|must|should|shall|will|would"
    r"|may|might|needs?|isn't|aren't|don't|doesn't|can't|won't|shouldn't|mustn't|wasn't|weren't"
    r"|never|always|only)"
)
_PERSON = r"(?:i|we|they|you|users?|everyone|everybody|nobody|people|who|the user|the team)"
_LATELY = r"(?:(?:also|only|now|still|currently|generally|usually|always|never|both|all) )*"
#: a named subject and what it does, in the present tense
_STATES = AnyCase(
    rf"\b{_PERSON}(?:'re|'m|'d| )\s?{_LATELY}\w{{2,}}"
    rf"|[\w`)\"'.-]+ {_LATELY}{_VERB}\b|\w(?:'s|n't) \w"
    rf"|[\w`)-]{{2,}} {_LATELY}(?!(?:its|this|thus|as|us|always|yes|plus)\b)[a-z]+(?<!s)s (?=\S)"
    r"|[a-z]{2,}s (?!(?:at|to|on|in|from|by|for|with|of|and|or|the|here|again)\b)[a-z]{3,}"
    r" (?:at|to|on|in|from|by|for|with|the|an?|no|only|automatically)\b"
)
#: the same, where the subject opens like an order: "test suites need a broker"
_NOUN_STATES = AnyCase(
    rf"[\w-]+(?: (?!(?:the|a|an|my|our|your|it|this|that|all|to|in|on|up|for|with|and)\b)[\w-]+)"
    rf"{{1,3}} {_LATELY}(?:{_VERB}|needs?|\w+(?<!s)s (?=(?:the|a|an|on|in|by|to|for)\b))\b"
)
_SYSTEM = (
    r"(?:repo|repository|project|codebase|app|application|service|server|library|package|module"
    r"|site|website|system|tool|game|api|company|team)"
)
_HAPPENED = frozenset(PAST.values())
#: whose subject is the person, without a word for it
_LIKES = AnyCase(r"(?:really |strongly )?(?:prefer|like|love|hate|dislike|enjoy)\b")
#: a subject that names nothing, unless it is said what it is ("this is a NestJS project")
_NAMELESS = AnyCase(
    rf"(?:and |but |so |because )?(?!th(?:is|e) {_SYSTEM}\b|(?:it|this)(?: is|'s)"
    rf" (?:(?:my|our|the user's) \w|(?:an?|the) (?:[\w.-]+ ){{0,5}}{_SYSTEM}\b))"
    r"(?:it|this|that|these|those|they|he|she|both|one)\b"
)
#: a longer text may name before what its last pronoun stands for, words
_ONE_CLAUSE = 6
_NAMELESS_OBJECT = AnyCase(
    r"\w (?:it|this|that|them|those|these)(?: (?:again|too|now|here|there|yet|any ?more|i think"
    r"|please|would \w+))*[.!]*$"
)
_OPENS = AnyCase(
    r"(?:(?:ok|okay|so|also|and|but|yes|no|yeah|well|btw|fyi|actually|generally|basically|please"
    r"|pls|just|note that|remember that|remember)[,:]? )+"
)
#: an order, though no verb of `own_statements.ORDERS` opens it
_ORDER = AnyCase(
    r"(?:use|keep|write|avoid|stop|don't|do not|dont|let's|lets|call|let|treat|stick|ask"
    r"|answer|reply|speak|respond|never|always|only|no|make sure|i want you|i need you)\b"
)


def _stability(candidate: Candidate, said: str, around: str) -> int:
    if _points(candidate.text):
        return 0
    text = candidate.text[:MOST_CHARACTERS]
    plain = _states(said) or _states(text) or not is_english(f"{text} {around}")
    chosen = any(receipt.role != candidate.receipt.role for receipt in candidate.also)
    lasts = chosen or _LASTS.search(said) is not None
    # a model that says that it lasts has put the rest of the sentence aside
    read = text if candidate.origin == "model" and candidate.appraisal.lasting >= 0 else around
    passes = _PASSES.search(read) is not None and not _HABIT.match(text)
    return _within(plain + lasts - passes)


@lru_cache(maxsize=16)
def _points(text: str) -> bool:
    """Whether what a text is about stands elsewhere: its subject, or its object, is a pronoun."""
    body = _OPENS.without(one_line(text)[:MOST_CHARACTERS])
    brief = len(body.split()) <= _ONE_CLAUSE
    return _is_nameless(body) or bool(brief and _NAMELESS_OBJECT.search(body))


def _is_nameless(body: str) -> bool:
    return bool(_NAMELESS.match(body)) and not (EMPTY_IT.match(body) or THIS_PROJECT.match(body))


def _states(text: str) -> bool:
    """Whether a text states something of a named subject: no order, no fragment."""
    body = _OPENS.without(text)
    if _is_nameless(body) or _ORDER.match(body):
        return False
    if _LIKES.match(body):
        return True
    first, *rest = body.casefold().split() or [""]
    if first in ORDERS:
        return _NOUN_STATES.search(body) is not None
    # what happened to a named subject: "the move went well"
    return _STATES.search(body) is not None or not _HAPPENED.isdisjoint(rest)


# -- reuse ----------------------------------------------------------------------------------------

#: what can be met again word for word
_ANCHORS = tuple(
    re.compile(pattern)
    for pattern in (
        r"`[^`\n]+`",
        r"(?<![\w/])(?:~?/[\w.-]+|[\w.-]+/)(?:[\w.*-]+/?)*(?![\w/])|\b[\w-]+\.[a-z]{2,5}\b",
        r"(?<!\w)--?[a-z][\w-]+",
        r"\b[a-z]+_\w+|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*"
        r"|@[\w-]+/[\w-]+|(?<!\w)#[a-z][\w-]+|\b[0-9a-f]{7,40}\b",
        r"\S@\w|[$€£]\s?\d|\d\s?[%€£]|\b\d+(?:[.,]\d+)* ?(?:percent|euros?|dollars?|[kmgKMG][bB]|ms"
        r"|seconds?|minutes?|hours?|days?|weeks?|months?|years?|times|requests?|users?|people)\b",
        r"\bv?\d+\.\d+(?:\.\d+)*\b|\b(?:version|node|python|java|php|ruby|go|xcode|port) v?\d+\b",
    )
)
_GENERAL = AnyCase(
    r"\b(?:always|never|ever|every|each|any|all|everything|anything|whenever|by default|in general"
    r"|generally|from now on|(?:going|moving) forward|at all times|unless|instead of|rather than"
    r"|over|new (?:code|\w+s)|in (?:this|the|our) (?:repo|repository|project|codebase|plugin|docs)"
    r"|answers?|repl(?:y|ies)|responses?|explanations?|commit messages?"
    r"|must|otherwise|because|since|so that|no longer|any ?more|across|everywhere|whole|policy"
    r"|convention|standard|rule|principle|before (?:\w+ing|you|we|any|every|each)"
    r"|after (?:\w+ing|any|every|each)|(?:when|if) (?:you|we|i|it|an?|the)|no \w+s)\b"
    # what is told of nothing that lies before the two: "avoid snapshots", not "avoid this"
    r"|^(?:let's )?(?:use|avoid|stop|prefer|no|do not|don't|never|answer|write|adopt)\b"
    r"(?!.*\b(?:the|this|that|these|those|it|them|here|there|yet|now|worry|same|one)\b)"
)
_ASKED = AnyCase(
    r"\b(?:remember|note that|keep in mind|bear in mind|for the record|fyi|from now on|standing"
    r" orders?|new rule)\b"
)
_ONCE = AnyCase(
    r"\b(?:just this once|this once|one[- ]off|(?:for|in|on|to) (?:this|the current) (?:pr|branch"
    r"|commit|run|session|message|page|mockup|task|step|time|draft|one)|this time|throwaway)\b"
)


def _reuse(candidate: Candidate, said: str, around: str, *, known: bool) -> int:
    anchors = sum(bool(pattern.search(said)) for pattern in _ANCHORS)
    general = not _points(candidate.text) and bool(_GENERAL.search(_OPENS.without(said)))
    asked = bool(_ASKED.search(around))
    once = bool(_ONCE.search(around))
    return _within(anchors + general + asked + known - 2 * once)


# -- evidence -------------------------------------------------------------------------------------

#: share of a statement's words that its quote must hold
_COVERED = 0.5
_HEDGE = AnyCase(
    r"\b(?:maybe|perhaps|might|probably|possibly|i (?:think|guess|suppose|believe)|not sure|seems?"
    r"|apparently|supposedly|afaik|i heard)\b"
)


def is_hedged(candidate: Candidate) -> bool:
    """Whether the person is not sure of it, by their own words."""
    return _hedges(candidate.receipt.quote)


@lru_cache(maxsize=16)
def _hedges(quote: str) -> bool:
    return _HEDGE.search(one_line(quote)) is not None


def _evidence(candidate: Candidate, said: str) -> int:
    if not said:
        return 0
    by_people = candidate.voice in ("typed", "participant")
    told = candidate.origin == "model" and (by_people or candidate.voice == "agent")
    if is_hedged(candidate) or not (told or by_people):
        return 1 if TRUST[candidate.voice] else 0
    if told:
        # who reads a whole conversation says more than the words it quotes; and what an agent
        # found out in the person's own work it knows at first hand
        around = one_line(" ".join([said, candidate.sentence, *(r.quote for r in candidate.also)]))
        if is_english(candidate.text) != is_english(around):
            return 2  # translated: no word can be common
        return 2 if terms_of(candidate.text) & terms_of(around[:MOST_CHARACTERS]) else 1
    # whoever takes an option says little: its words stand in the further receipts
    receipts = one_line(" ".join([said, *(one.quote for one in candidate.also)]))
    stated, quoted = terms_of(candidate.text), terms_of(receipts[:MOST_CHARACTERS])
    return 2 if len(stated & quoted) >= _COVERED * len(stated) else 1
