"""What a text says to be over: "X was deleted", "we tore out X", "X and I broke up".

Turns a text into what has ended, as stems, with what is said beside it. English only. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engram.language.any_case import AnyCase
from engram.language.calendar_words import MONTHS, SEASONS, WEEKDAYS
from engram.language.wording import Terms, telling, terms_of


@dataclass(frozen=True, slots=True)
class Ending:
    """What is over, and where or with what, if that is said."""

    thing: Terms
    beside: Terms = frozenset()
    #: what was said before it
    first: Terms = frozenset()
    #: it ended between two people, who go on
    parted: bool = False


def endings_of(text: str) -> Iterator[Ending]:
    """What the clauses of a text say to be over; a thing that is over now, not at some time."""
    said: Terms = frozenset()
    for clause in _CLAUSES.split(text):
        for pattern in _ENDINGS:
            found = pattern.search(clause)
            if found is None:
                continue
            thing = telling(terms_of(_HOLDER.sub("", found["x"].strip())))
            if thing and not _FOR_NOW.match(found["rest"]):
                beside = telling(terms_of(found["rest"])) - _WHEN
                yield Ending(thing, beside, said, parted=pattern is _PARTED)
            break
        said |= telling(terms_of(clause))


#: when it ended says nothing of what else it was about
_WHEN = terms_of(
    " ".join((*WEEKDAYS, *MONTHS, *SEASONS, "last this week month year quarter term today yesterday"
              " finally completely good christmas together"))
)  # fmt: skip
_CLAUSES = re.compile(
    r"[.;:!?](?:\s+|$)|, (?:and |but |so )?"
    r"| (?:and|but|so|because|since) (?=(?:we|i|the|it|they)\b)|(?<=ed) and "
)
#: what holds or runs a thing goes with it: "the Jenkins box", "the vegan thing"
_HOLDER = re.compile(
    r"(?<=\w) (?:box|stack|server|instance|machine|subscription|account|setup|thing|diet)$",
    re.IGNORECASE,
)
_ARTICLE = r"(?:the |our |my |their |a |an |his |her )?"
_X = r"(?P<x>\S+(?: \S+){0,3}?)"
_REST = r"\b(?P<rest>.*)"
_BE = r"(?:is|are|was|were|has been|have been|got|gets)(?: now| all| finally)?"
_OVER = (
    r"(?:removed|dropped|retired|decommissioned|abandoned|deleted|torn down|torn out|ripped out"
    r"|thrown out|shut down|closed down|switched off|turned off|wiped|discontinued|cancell?ed"
    r"|gone(?= ?$)|obsolete|revoked|withdrawn|deprecated|scrapped|disbanded|dissolved"
    r"|sold(?! out\b)|stolen|dead|forbidden)"
)
_END = (
    r"(?:removed|deleted|ripped out|tore out|tore down|threw out|took down|shut down|switched off"
    r"|turned off|wiped|cancell?ed|scrapped|ditched|retired|decommissioned|sold|quit"
    r"|(?:had to )?(?:give|gave|given) up(?: on)?)"
)
_PARTED = AnyCase(
    rf"^{_ARTICLE}{_X} and i (?:broke up|split up|separated|(?:got|are) divorced){_REST}"
)
#: what is off for a while is not over
_FOR_NOW = AnyCase(r"\s*(?:for|until|while|during|today|tonight|tomorrow)\b")
_ENDINGS = [
    _PARTED,
    *map(AnyCase, (
        rf"^{_ARTICLE}{_X} {_BE} {_OVER}(?! this\b){_REST}",
        rf"^{_ARTICLE}{_X} {_OVER}(?P<rest>)$",
        rf"^{_ARTICLE}{_X} (?:split up|broke up|folded|closed down|went bankrupt|died){_REST}",
        r"\b(?:tore|ripped|threw|shut|switched|turned) (?:the |our |my )?(?P<x>\S+(?: \S+){0,2}?)"
        rf" (?:out|down|off)\b{_REST}",
        rf"^(?:(?:we|i|they|the user)(?:'ve| have| has)? )?(?:finally |just )?{_END} {_ARTICLE}"
        r"(?P<x>\S+(?: \S+){0,3}?)(?P<rest>(?: (?:from|in|on|at|for|last|this|to|with|that|which)"
        r" .*)?)$",
    )),
]  # fmt: skip
