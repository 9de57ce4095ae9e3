"""A memory's text -> what a judge compares of it: what it names, numbers, claims, changes, limits.

    "We moved the orders from SQLite to Postgres in staging."
      terms order, sqlite, postgres   changes (sqlite -> postgres)   limits staging   changing
    "The review is on Mondays."
      terms review   choices (weekday monday)

English only; what is not understood is empty, and then nothing is concluded from it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engram.language.alternatives import Alternative, alternatives_of
from engram.language.any_case import AnyCase
from engram.language.changes import StatedChange, changes_of, kept_of, speaks_of_change, takes_back
from engram.language.claims import Claim, claim_of
from engram.language.endings import Ending, endings_of
from engram.language.open_states import States, open_states_of, settled_states_of
from engram.language.quantity import Quantity, is_period, quantities_of
from engram.language.references import references_of
from engram.language.when import find_times
from engram.language.wording import Terms, phrases_of, telling, terms_of
from engram.model.instant import local_day
from engram.model.memory import Memory
from engram.model.sentences import sentences_of
from engram.model.time_span import TimeSpan

#: a longer text is judged by what it begins with, characters
_MOST = 1000
#: so many words hold the subject
_SUBJECT = 5
#: an anchor for what was said at no time
_NO_TIME = "1970-01-01"


@dataclass(frozen=True, slots=True)
class Statement:
    """One text, taken apart; terms are stems of words that name something."""

    #: without numbers, times, alternatives and asides
    terms: Terms
    #: with them
    every: Terms
    #: of its first words
    subject: Terms
    quantities: tuple[Quantity, ...]
    #: those of several alternatives that it is for: (group, member)
    choices: frozenset[tuple[str, str]]
    claims: tuple[Claim, ...]
    #: what it says that its subject is: "our design tool is Sketch"
    complement: Terms
    #: what it goes on with, or goes back to
    kept: Terms
    changes: tuple[StatedChange, ...]
    #: what it says to be over
    endings: tuple[Ending, ...]
    #: in which ways it tells of what is not yet so, and of what came to be so
    awaits: States
    settles: States
    #: its words that stand side by side, in order
    phrases: tuple[tuple[str, ...], ...]
    #: those before the value, of each of its quantities
    leads: tuple[tuple[tuple[str, ...], ...], ...]
    #: of its words those that name one thing: with a capital, a digit, a sign
    names: Terms
    #: whose the things in it are: "Anna's phone"
    holders: Terms
    #: environments, years and periods that it holds for
    limits: Terms
    negative: bool
    #: it says that something is other than before
    changing: bool
    #: a plan, a question, a condition, an exception, something added: it replaces nothing
    guarded: bool
    #: it tells what was, or what holds for a while
    passing: bool
    #: it takes something back that was meant
    recanting: bool

    @property
    def values(self) -> frozenset[str]:
        """Its quantities as text that can be compared."""
        return frozenset(f"{one.unit} {one.value}" for one in self.quantities)


def statement_of(memory: Memory, timezone: str = "UTC") -> Statement:
    """The statement of a memory; its times are told from the day it was said in a time zone."""
    text = _OPENING.sub("", memory.text[:_MOST].strip())
    # "never mind, ..." is no part of what is stated, and of how it was said
    said = f"{memory.text[:_MOST]}\n{memory.quote[:_MOST]}"
    times = find_times(text, local_day(memory.created, timezone) or _NO_TIME)
    references = references_of(text)
    counted_there = (
        one for one in quantities_of(text, times)
        if not any(one.start < other.end and other.start < one.end for other in references)
    )  # fmt: skip
    quantities = (*counted_there, *references)
    told = _CONTRAST.sub("", _ASIDE.sub("", text))
    asserted = _ASKED.sub("", text) or text
    clauses = [sentence.rstrip(".!;") for sentence in sentences_of(text)]
    sure = [clause for clause in clauses if not _GUARDED.search(clause)]
    # "no more X, we use Y" states Y, and says of X what the statement alone does not
    stated = text.rstrip(".!;").casefold()
    around = [one for one in sentences_of(memory.quote[:_MOST]) if stated in one.casefold()]
    told_so = [*sure, *(one.rstrip(".!;") for one in around if sure and not _GUARDED.search(one))]
    changes = tuple(dict.fromkeys(one for clause in told_so for one in changes_of(clause)))
    kept: Terms = frozenset().union(*map(kept_of, sure))
    counted = tuple(one for one in quantities if not _is_contrast(text, one.start))
    named = alternatives_of(text)
    claims = (claim_of(_ASIDE.sub("", clause)) for clause in clauses)
    return Statement(
        terms=terms_of(_ASIDE.sub("", _bare(text, quantities, times, named))) | _label(text),
        every=terms_of(text) | _basenames(text),
        subject=terms_of(" ".join(text.split()[:_SUBJECT])),
        quantities=counted,
        choices=_choices(named, changes),
        claims=tuple(claim for claim in claims if claim is not None),
        complement=terms_of(found["v"]) if (found := _COMPLEMENT.match(told)) else frozenset(),
        kept=kept,
        changes=changes,
        endings=tuple(endings_of(". ".join(sure))),
        awaits=open_states_of(text),
        settles=settled_states_of(text),
        phrases=phrases_of(text),
        leads=tuple(phrases_of(_lead(text, one.start)) for one in counted),
        names=frozenset().union(*(terms_of(one[0]) for one in _NAME.finditer(text))),
        holders=telling(terms_of(" ".join(_HOLDER.findall(text)))),
        limits=_limits(text, told, times),
        negative=_NEGATIVE.search(told) is not None,
        changing=bool(changes) or memory.category == "correction" or speaks_of_change(said),
        guarded=_GUARDED.search(asserted) is not None
        or (not quantities and _MAY.search(asserted) is not None),
        passing=_PASSING.search(text) is not None,
        recanting=takes_back(said),
    )


def _bare(
    text: str, quantities: Sequence[Quantity], times: Sequence[TimeSpan],
    named: Sequence[Alternative],
) -> str:  # fmt: skip
    """The text without its numbers, times and alternatives."""
    spans = [(one.offset, one.offset + len(one.expression)) for one in times]
    spans += [(one.start, one.end) for one in quantities]
    spans += [(one.start, one.end) for one in named]
    kept, at = [], 0
    for start, end in sorted(spans):
        kept.append(text[at:start])
        at = max(at, end)
    return " ".join((*kept, text[at:]))


def _basenames(text: str) -> Terms:
    """The names of files without their folders, and without their endings."""
    return frozenset().union(*(terms_of(" ".join(one)) for one in _BASENAME.findall(text)))


def _lead(text: str, at: int) -> str:
    """The words of a sentence before a value; where it begins with the value, those behind it."""
    before = text[:at]
    start = max(before.rfind(". "), before.rfind("; "), before.rfind(": ")) + 1
    lead = _AGENT.sub("", before[start:].strip())
    return _PRONOUN.sub("", lead) or text[at:]


def _is_contrast(text: str, at: int) -> bool:
    return any(one.start() <= at < one.end() for one in _CONTRAST.finditer(text))


def _choices(
    named: Sequence[Alternative], changes: Sequence[StatedChange]
) -> frozenset[tuple[str, str]]:
    """The alternatives of a text without those that it leaves behind."""
    left = frozenset().union(*(change.left for change in changes))
    return frozenset((one.group, one.member) for one in named if not terms_of(one.member) & left)


def _label(text: str) -> Terms:
    """A number or letter that belongs to the name of what is spoken of: "Room 4 seats 20"."""
    found = _LABEL.match(text)
    if found is None or not telling(terms_of(found[1])):
        return frozenset()
    return frozenset({f"{found[1]} {found[2]}".casefold()})


def _limits(text: str, told: str, times: Sequence[TimeSpan]) -> Terms:
    places = (place.casefold() for place in _ENVIRONMENT.findall(told))
    named = {_SAME_PLACE.get(place, place) for place in places}
    periods = {
        span.start for span in times
        if is_period(span) and span.expression[-1:].isdigit() and span.role_hint != "since"
    }  # fmt: skip
    versions = {found[1] or found[2] for found in _VERSION_OF.finditer(text.casefold())}
    return frozenset(named | periods | set(_YEAR.findall(text)) | versions)


_BASENAME = re.compile(r"/(([\w-]+)(?:\.\w+)+)")
_NAME = re.compile(
    r"(?<=[\w,;] )[A-Z][\w'-]*|(?<!\S)\w*[a-z][A-Z]\w*|(?<!\S)[\w/~-]*(?:[._/]\w|\d)[\w./-]*"
)
#: a name, or somebody of the speaker's
_HOLDER = re.compile(
    r"(?:\b(?i:my|our|his|her|their) |(?<!\w)(?=[A-Z]))"
    r"(?!(?i:it|that|there|here|what|who|he|she|let|where|how|\w*day|tomorrow)'s)(\w[\w-]*)'s\b"
)
#: who changed it is not what was changed
_AGENT = re.compile(
    r"^(?:(?:from|since|as of) (?:[^,;]{1,40}?(?:,| on\b)|(?:this|the) \w+)|(?:\S+ ){1,3}?"
    r"(?=(?:raised|lowered|bumped|changed|moved|increased|reduced|cut|upgraded|extended)"
    r" (?:the|our|my|his|her|all|every)\b))",
    re.IGNORECASE,
)
#: "you reach the gateway on port 80" is about the gateway
_PRONOUN = re.compile(
    r"^(?:you|we|i|they|one) (?:told you|(?:can |may |must )?\w+) ?", re.IGNORECASE
)
_COMPLEMENT = re.compile(
    r"(?:(?:our|the|my|[A-Z]\w+'s) [\w -]{1,40}? (?:is|are)(?: now| currently)?|[\w -]{1,40}:)"
    r" (?P<v>[^,;]{1,60}?)[.!]?$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:The |Our |My )?([A-Za-z-]+) (\d+|[A-Z])\b(?![.:,]\d)")
#: a question before a statement: "Correction needed? The cluster has 6 nodes."
_ASKED = re.compile(r"^[^.?!]{1,80}\?\s+(?=\w[^?]*$)")
_OPENING = re.compile(
    r"(?:(?:correction|actually|update|decision|note|reminder|as of [^,;:]+|from [A-Z]\w+ on"
    r"|the user said)\s*[,:]\s*)+",
    re.IGNORECASE,
)
#: what is said beside a statement: its purpose, reason and time
_ASIDE = re.compile(
    r"(?:\b(?:because|so that|due to|in order to|which is why|since (?:it|we|the|they))\b"
    r"|[,;] (?:so|as) |\b(?:last|this) (?:sprint|release|cycle)\b"
    r"|\bto (?:avoid|save|reduce|match|fit|keep|allow|give|make|get|help|cut)\b).*",
    re.IGNORECASE,
)
_GUARDED = AnyCase(
    r"\?|\b(?:if|might|maybe|perhaps|could|would|should we|consider(?:s|ed|ing)?|evaluat\w+"
    r"|thinking (?:of|about)|plan(?:s|ned|ning)? (?:to|for)|intends?|want(?:s|ed)? to|going to"
    r"|will|propos(?:e[ds]?|als?)|suggest\w*|explor(?:e[sd]?|ing)|hop(?:es?|ing) to|unless|except"
    r"|apart from|other than|also|too|as well|in addition|additionally|another|second|besides"
    r"|along with|both|alongside|unlike|rumou?r\w*|someday|eventually|probably|likely|discussed"
    r"|next (?:week|month|quarter|year|sprint|release|\w+day)(?! on\b)|experiment\w*"
    r"|tr(?:y|ies|ied|ying)|test(?:ed|ing) out|prototyp\w+|used to|asked)\b"
)
#: "accounts may send 100 requests" is a rule, and "in May" a month
_MAY = AnyCase(r"(?<!in )(?<!of )(?<!since )(?<!\d )\bmay\b(?! \d)")
_PASSING = AnyCase(
    r"\b(?:(?:was|were)(?! (?:\w+ly )?(?:[\w-]+ed|cut|set|put|split|shut|torn|made|given)\b)"
    r"|yesterday|last (?:week|month|year|night|time|\w+day)|ago|formerly|previously"
    r"|this (?:week|month|morning|sprint|quarter)|for (?:today|now|the moment|this)|temporar\w+"
    r"|until|during|while|meanwhile|had|earlier|in the past|once|briefly|at first|originally"
    r"|initially|just for|only for|for \w+ (?:days?|weeks?|months?|hours?))\b"
)
#: what is set against the statement and does not deny it: "integers, never floats"
_CONTRAST = re.compile(r"(?<=\w), (?:and |but )?(?:not|never|no|without) [^,;.]*", re.IGNORECASE)
_NEGATIVE = AnyCase(
    r"\b(?:not|no longer|never|no|none|without|cannot|forbidden|(?:decided|voted) against|stopped"
    r"|avoids?|dislikes?|hates?|(?:is|are|was|do|does|did|wo|ca|should|must|has|have)n't)\b"
)
#: what holds in one place need not hold in another
_ENVIRONMENT = re.compile(
    r"(?<!-)\b(?:prod|production|staging|dev|development|qa|canary|sandbox|local(?:ly)?|preview|ci|beta"
    r"|internal|external|public|private|frontend|backend|mobile|desktop|web|android|ios|windows"
    r"|linux|macos|mac|eu|us|uk|emea|apac|weekdays?|weekends?|primary|secondary|minimum|maximum"
    r")\b(?!-\w+-\d| (?:developer|engineer|lead|team))",
    re.IGNORECASE,
)
_SAME_PLACE = {"prod": "production", "dev": "development"}
#: one version of a thing, beside which others go on
_VERSION_OF = re.compile(r"\b(?:of|in|on) (v\d+)\b|\b(v\d+) of\b")
_YEAR = re.compile(r"\b(?:in|during|for|of|until|back in) ((?:19|20)\d\d)\b", re.IGNORECASE)
