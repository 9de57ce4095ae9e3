"""A memory's text -> what a judge compares of it: subject, value, what it leaves behind, its limits.

    "We moved the orders from SQLite to Postgres in staging."
      terms order, sqlite, postgres   changes (sqlite -> postgres)   limits staging   changing

English only; what is not understood is empty, and then nothing is concluded from it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engram.admit.quantity import Quantity, is_period, quantities_of
from engram.admit.wording import EMPTY, LIGHT, stem, telling, terms_of
from engram.model.memory import Memory
from engram.model.when import find_times

Terms = frozenset[str]


@dataclass(frozen=True, slots=True)
class Change:
    """What a statement leaves behind, and what it comes to, if it says so."""

    left: Terms
    taken: Terms = frozenset()
    #: the thing itself is gone, not only as a value of something else
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """Subject, attribute with one value, the value, and what else limits it."""

    attribute: str
    subject: Terms
    value: Terms
    limits: Terms


@dataclass(frozen=True, slots=True)
class Statement:
    """One text, taken apart."""

    terms: Terms
    #: the same with its numbers, dates and asides
    every: Terms
    quantities: tuple[Quantity, ...]
    claims: tuple[Claim, ...]
    changes: tuple[Change, ...]
    #: what its first words name
    subject: Terms
    #: environments, years and periods that it holds for
    limits: Terms
    negative: bool
    #: it says that something is other than before
    changing: bool
    #: a plan, a question, a condition, an exception, something added: it replaces nothing
    guarded: bool
    #: it tells what was, or what holds for a while
    passing: bool


def statement_of(memory: Memory) -> Statement:
    """The statement of a memory."""
    text = _OPENING.sub("", memory.text.strip())
    quantities = quantities_of(text, memory.created or _NO_TIME)
    bare = _bare(text, quantities, memory)
    label = _LABEL.match(text)
    labelled = label is not None and stem(label[1].casefold()) not in LIGHT | EMPTY
    numbered = frozenset({f"{label[1]} {label[2]}".casefold()}) if label and labelled else frozenset()
    changes = tuple(_changes(text))
    return Statement(
        terms=terms_of(_aside(bare)) | numbered,
        every=terms_of(text),
        quantities=quantities,
        claims=tuple(_claims(text)),
        changes=changes,
        subject=terms_of(" ".join(text.split()[:_SUBJECT])),
        limits=_limits(text, memory),
        negative=_NEGATIVE.search(_aside(text)) is not None,
        changing=bool(changes) or memory.category == "correction" or _CHANGING.search(memory.text) is not None,
        guarded=_GUARDED.search(text) is not None,
        passing=_PASSING.search(text) is not None,
    )


#: a number that belongs to the name of what is spoken of: "Room 4 seats 20"
_LABEL = re.compile(r"(?:the |our |my )?([a-z-]+) (\d+)\b(?![.:,]\d)", re.IGNORECASE)
#: an anchor for what was said at no time
_NO_TIME = "1970-01-01"
#: so many words hold the subject
_SUBJECT = 5
_OPENING = re.compile(
    r"(?:(?:correction|actually|update|decision|note|reminder|as of [^,;:]+|from [A-Z]\w+ on"
    r"|the user said)\s*[,:]\s*)+",
    re.IGNORECASE,
)
_CHANGING = re.compile(
    r"\b(?:now|no longer|any ?more|switched|moved|migrated|changed|replaced|replaces|renamed|instead of"
    r"|rather than|back to|actually|correction|as of|since|from now on|upgraded|downgraded|bumped"
    r"|raised|lowered|increased|reduced|cut|extended|shortened|rescheduled|postponed|relocated"
    r"|took over|dropped|abandoned|retired|removed|decommissioned|discontinued|revised|cancelled"
    r"|not .{2,40}? but|(?:down|up) to|from (?:today|this \w+|\w+day)|miscounted|was wrong|were wrong|stopped|new)\b",
    re.IGNORECASE,
)
_GUARDED = re.compile(
    r"\?|\b(?:if|might|may|maybe|perhaps|could|would|should we|consider(?:s|ed|ing)?|evaluat\w+"
    r"|thinking (?:of|about)|plan(?:s|ned|ning)? (?:to|for)|intends?|want(?:s|ed)? to|going to"
    r"|will|proposed?|propos(?:al|es)|suggest\w*|explor(?:e[sd]?|ing)|hop(?:es?|ing) to|wants? to|unless|except"
    r"|apart from|other than|also|too|as well|in addition|additionally|another|second|besides"
    r"|along with|both|alongside|unlike|rumou?r\w*|someday|eventually|probably|likely|discussed"
    r"|next (?:week|month|quarter|year|sprint|release|\w+day)|experiment\w*|try|tried|trying|test(?:ed|ing) out|prototyp\w+|used to|asked)\b",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:(?:was|were)(?! (?:\w+ly )?(?:[\w-]+ed|cut|set|put|split|shut|torn|made|given)\b)|yesterday|last (?:week|month|year|night|time|\w+day)|ago|formerly|previously"
    r"|this (?:week|month|morning|sprint|quarter)|for (?:today|now|the moment|this)|temporar\w+"
    r"|until|during|while|meanwhile|had|earlier|in the past|once|briefly|at first|originally"
    r"|initially|just for|only for|for \w+ (?:days?|weeks?|months?|hours?))\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:not|no longer|never|no|none|without|cannot|forbidden|stopped|avoids?|isn't|aren't|wasn't"
    r"|don't|doesn't|didn't|won't|can't|shouldn't|mustn't|hasn't|haven't|dislikes?|hates?)\b",
    re.IGNORECASE,
)
_ENVIRONMENT = re.compile(
    r"\b(?:prod|production|staging|dev|development|qa|canary|sandbox|local(?:ly)?|preview|ci|beta"
    r"|internal|external|public|private|frontend|backend|mobile|desktop"
    r"|web|android|ios|windows|linux|macos|mac|eu|us|uk|emea|apac|weekdays?|weekends?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days|primary|secondary|main|spare|first|free|paid"
    r"|minimum|maximum)\b",
    re.IGNORECASE,
)
_SAME_PLACE = {"prod": "production", "dev": "development"}
#: what is said beside a statement: its purpose and reason
_ASIDE = re.compile(
    r"(?:\b(?:because|so that|due to|in order to|which is why|since (?:it|we|the|they))\b"
    r"|[,;] (?:so|as) |\bto (?:avoid|save|reduce|match|fit|keep|allow|give|make|get|help|cut)\b).*",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:in|during|for|of|since|until|back in) ((?:19|20)\d\d)\b", re.IGNORECASE)


def _limits(text: str, memory: Memory) -> Terms:
    places = (found.casefold() for found in _ENVIRONMENT.findall(_aside(text)))
    named = {_SAME_PLACE.get(place, place) for place in places}
    times = find_times(text, memory.created or _NO_TIME)
    periods = {span.start for span in times if is_period(span) and span.expression[-1:].isdigit()}
    return frozenset(named | periods | set(_YEAR.findall(text)))


def _aside(text: str) -> str:
    return _ASIDE.sub("", text)


def _bare(text: str, quantities: tuple[Quantity, ...], memory: Memory) -> str:
    """The text without its numbers and times."""
    times = find_times(text, memory.created or _NO_TIME)
    spans = [(one.offset, one.offset + len(one.expression)) for one in times]
    kept, at = [], 0
    for start, end in sorted([*spans, *((one.start, one.end) for one in quantities)]):
        kept.append(text[at:start])
        at = max(at, end)
    return " ".join((*kept, text[at:]))


# -- what is left behind ------------------------------------------------------------------------

_STOP = (
    r"(?=\s*(?:[,;:!?()]|[.](?:\s|$)|$|(?<=\s)(?:to|for|with|by|in|on|at|because|since|as|and|but|from"
    r"|when|while|after|before|so|due|per|any ?more|last|this|next|yesterday|today|now|over|instead"
    r"|here|is|are|was|were|permanently|completely|entirely|of)\b))"
)
_ARTICLE = r"(?:using |the |our |my |a |an |its |their |with |on |in |at )*"


def _phrase(name: str, end: str = _STOP) -> str:
    return rf"{_ARTICLE}(?P<{name}>[^\s,;:!?()]+(?: [^\s,;:!?()]+){{0,3}}?){end}"


_X, _Y = _phrase("x"), _phrase("y")
#: where the pattern goes on with words of its own
_X_OPEN, _Y_OPEN = _phrase("x", ""), _phrase("y", "")
_HEAD = r"^(?:we (?:have )?|i |the team |[A-Z]\w+ )?"
_BE = r"(?:is|are|was|were|has been|have been|got|gets)(?: now| all| finally)?"
_GONE = (
    r"(?:removed|dropped|retired|decommissioned|abandoned|deleted|torn down|shut down|discontinued"
    r"|cancelled|canceled|gone|obsolete|lifted|revoked|withdrawn|deprecated|scrapped|disbanded|sold)"
)
_CHANGES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:switch|mov|migrat|chang|transition|port|convert|upgrad|downgrad|went|go|rais|lower"
        rf"|increas|reduc|bump|cut|extend|shorten|reschedul|relocat|shift|postpon|push|bring|brought)"
        rf"\w*\b.{{0,50}}?\bfrom {_X} (?:back |over |up |down |out )*(?:to|onto|into) {_Y}",
        rf"\breplac(?:ed|ing) {_X_OPEN} (?:with|by) {_Y}",
        rf"^{_Y_OPEN} (?:now |has |have )*replac(?:ed|es) {_X}",
        rf"^{_X_OPEN} {_BE} replaced (?:with|by) {_Y}",
        rf"\b{_Y_OPEN} (?:instead of|in place of|rather than) {_X}",
        rf"\bprefers? {_Y_OPEN} (?:over|to) {_X}",
        rf"\b(?:instead of|rather than) {_X}",
        rf"\b(?:dropped|abandoned|ditched|retired|removed|deprecated|scrapped|stopped using|gave up on"
        rf"|got rid of|moved (?:off|away from)|migrated (?:off|away from)) {_X}(?: (?:for|in favou?r of) {_Y})?",
        rf"\b(?:moved|migrated|switched|went) .{{1,40}}? (?:off|away from) {_X}(?: (?:for|in favou?r of) {_Y})?",
        rf"\b{_Y_OPEN}(?:,| and|, and) not {_X}\.?$",
        rf"\bnot {_X},? but(?: rather)? {_Y}",
        rf"^{_Y_OPEN} (?:has |have )?(?:took|taken|takes) over (?:\w+ )?from {_X}",
        rf"\brenamed (?:from )?{_X_OPEN} (?:to|into|as) {_Y}",
        rf"^{_X_OPEN} {_BE} renamed (?:to |as )?{_Y}",
    )
]
_GONE_NOW = re.compile(rf"^{_X_OPEN} {_BE} {_GONE}\b(?P<rest>[^,;]*)", re.IGNORECASE)
_NO_LONGER = re.compile(
    rf"\b(?:no longer|not)\b.*?\b(?:us(?:es?|ing)|on|at|in|with|by|to|run on)\b {_X}(?: any ?more)?",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"(?<=\S)(?:[.!?](?=\s)|;)\s*")


def _changes(text: str) -> Iterator[Change]:
    for clause in _CLAUSES.split(text):
        if _GUARDED.search(clause):
            continue
        for pattern in _CHANGES:
            if found := pattern.search(clause):
                named = found.groupdict()
                yield Change(_terms(named["x"]), _terms(named.get("y") or ""))
        if found := _GONE_NOW.search(clause):
            yield Change(telling(_terms(found["x"])), _terms(found["rest"]), gone=True)
        if re.search(r"\bno longer\b|\bany ?more\b", clause, re.I) and (found := _NO_LONGER.search(clause)):
            yield Change(_terms(found["x"]))


def _terms(phrase: str) -> Terms:
    return terms_of(phrase)


# -- attributes of one value --------------------------------------------------------------------

_NOW = r"(?:(?:now|currently|actually|officially) )?"
_S = r"(?P<s>[^,;:]{1,60}?)"
_V = r"(?P<v>[^,;]{1,60}?)"
_TAIL = r"(?P<tail>(?: (?:for|in|on|at|with|of|during|under|per|as) [^,;]*)?)(?:[,;.] .*|[.!]?)$"
_ATTRIBUTES = (
    r"(?:branch|port|region|database|db|editor|ide|shell|time ?zone|locale|version|limit|deadline|owner|lead"
    r"|name|email|e-mail|address|licen[cs]e|price|budget|url|manager|boss|language|framework|host|hosting"
    r"|provider|bundler|linter|formatter|orm|queue|broker|runner|currency|domain|password manager|ci|cdn"
    r"|colou?r|theme|font|size|room|location|office|city|capital|home town|hometown|employer|title|role"
    r"|phone|number|cadence|interval|frequency|schedule|start time|release day|day|engine|backend|store"
    r"|timeout|ttl|threshold|encoding|format|encryption|protocol|algorithm|tracker|channel|registry"
    r"|repository|package manager|test runner|contact|maintainer|mode|level|mascot|logo|motto|slogan|codename)"
)
_ROLES = (
    r"(?:(?:[\w-]+ )?(?:lead|owner|manager|maintainer|ceo|cto|cfo|head|editor|captain|chair|director"
    r"|president|contact|reviewer|moderator|treasurer|coach|landlord|dentist|doctor|principal|architect))"
)
_CLAIMS = [
    (attribute, re.compile(rf"^{pattern}{_TAIL}", re.IGNORECASE))
    for attribute, pattern in (
        ("location", rf"{_S} {_NOW}(?:lives?|is based|are based|is located|are located|resides?|moved|relocated) (?:in|to) {_V}"),
        ("employer", rf"{_S} {_NOW}(?:works|is working|joined|is employed)(?: at| for| by)? (?-i:(?P<v>[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*))"),
        ("host", rf"{_S} {_NOW}(?:runs?|deploys|(?:is|are) (?:now )?(?:hosted|deployed)) {_NOW}(?:on|to|at) {_V}"),
        ("written", rf"{_S} (?:is|are) {_NOW}written in {_V}"),
        ("place", rf"{_S} (?:(?:is|are) {_NOW}(?:stored|kept|saved|hosted|managed|tracked)|{_NOW}lives?) (?:in|at|under|on) {_V}"),
        ("called", rf"{_S} (?:is|are) {_NOW}(?:called|named) {_V}"),
        ("reports", rf"{_S} {_NOW}reports? {_NOW}to {_V}"),
        ("role", rf"(?P<v>(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z])[\w-]*)?) (?:is|became) {_NOW}(?:the|our|my) {_NOW}(?P<s>{_ROLES})"),
        ("is", rf"(?P<s>(?:the |our |my |their |its |(?-i:[A-Z])\w+'s )?(?:[\w-]+'s |[\w.-]+ ){{0,3}}?{_ATTRIBUTES}(?: (?:of|for|in) [\w .-]{{1,30}}?)?) (?:is|are|=) {_NOW}(?!not\b){_V}"),
        ("use for", rf"{_S} (?:uses?|is using|are using) {_V} (?:for|as)(?P<s2>[^,;]{{1,40}}?)"),
    )
]  # fmt: skip


def _claims(text: str) -> Iterator[Claim]:
    for clause in _CLAUSES.split(text):
        for attribute, pattern in _CLAIMS:
            found = pattern.match(_aside(clause).strip())
            if found is None:
                continue
            named = found.groupdict()
            subject = terms_of(f"{named['s']} {named.get('s2') or ''}")
            value, limits = terms_of(named["v"]), terms_of(named["tail"] or "")
            if attribute == "role":
                subject, limits = subject | limits, frozenset()
            limits -= {"now", "today"}
            if value:
                yield Claim(attribute, subject, value, limits)
            break
