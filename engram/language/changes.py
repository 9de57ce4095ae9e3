"""What a statement says is left behind: "from X to Y", "Y instead of X", "X was removed".

Turns one clause into what it leaves and what it comes to, as stems. Where the pattern is not sure
of the words (they would run past a preposition), it takes the fewest. English only. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engram.language.any_case import AnyCase
from engram.language.wording import Terms, terms_of


@dataclass(frozen=True, slots=True)
class StatedChange:
    """What is left behind, and what it comes to (or is left behind in), if that is said."""

    left: Terms
    taken: Terms = frozenset()


def changes_of(clause: str) -> Iterator[StatedChange]:
    """The changes that one clause tells of."""
    for pattern in _CHANGES:
        if found := pattern.search(clause):
            named = found.groupdict()
            taken = _SCOPE.split(named.get("y") or "", 1)[0]
            yield StatedChange(terms_of(named["x"]), terms_of(taken))
    if _ENDED.search(clause) and (found := _NO_LONGER.search(clause)):
        yield StatedChange(terms_of(found["x"]))


def kept_of(clause: str) -> Terms:
    """What one clause says to go on with, or to go back to."""
    found = _KEPT.search(clause)
    return terms_of(found["x"]) if found else frozenset()


def speaks_of_change(text: str) -> bool:
    """Whether a text says in any way that something is other than before."""
    return _CUE.search(text) is not None


def takes_back(text: str) -> bool:
    """Whether a text takes something back that was meant."""
    return _TAKEN_BACK.search(text) is not None


_TAKEN_BACK = AnyCase(r"\b(?:after all|never ?mind|scratch that|forget (?:that|it))\b")
_CUE = AnyCase(
    r"\b(?:now|no longer|any ?more|switched|moved|migrated|changed|replaced|replaces|renamed"
    r"|instead of|rather than|back to|actually|correction|as of|since|from now on|upgraded"
    r"|downgraded|bumped|raised|lowered|increased|reduced|cut|extended|shortened|rescheduled"
    r"|postponed|relocated|took over|dropped|abandoned|retired|removed|decommissioned|discontinued"
    r"|shut down|revised|cancelled|not .{2,40}? but|(?:down|(?:is|are|went|goes|now) up) to"
    r"|from (?:today|this \w+|\w+day)"
    r"|miscounted|(?:was|were) wrong|stopped|new|(?:decided|voted) against|after all|never ?mind"
    r"|no more|joined|became|gave up|quit|handed|first (?:day|week|month) at|these days"
    r"|from [\w ]{1,20} on|deleted|dissolved|disbanded|wiped|ripped|tore|torn|gone|sold|stolen"
    r"|(?:broke|split) up|forbidden|switched off|finished|cleared|signed off|went through|passed"
    r"|goes ahead|back (?:in|on|up)|(?:running|works?|working|open) again|resumed)\b"
)

#: where a phrase ends: a sign, or a word that leads to something else
_STOP = (
    r"(?=\s*(?:[,;:!?()]|[.](?:\s|$)|$|(?<=\s)(?:to|for|with|by|in|on|at|because|since|as|and|but"
    r"|from|when|while|after|before|so|due|per|any ?more|last|this|next|yesterday|today|now|over"
    r"|instead|here|is|are|was|were|permanently|completely|entirely|of)\b))"
)
#: what a thing is taken for, or where, is no part of it
_SCOPE = re.compile(r"(?<=\w) (?:in|for|on|at) ")
_ARTICLE = r"(?:using |the |our |my |a |an |its |their |with |on |in |at )*"


def _phrase(name: str, end: str = _STOP) -> str:
    """One to four words."""
    return rf"{_ARTICLE}(?P<{name}>[^\s,;:!?()]+(?: [^\s,;:!?()]+){{0,3}}?){end}"


_X, _Y = _phrase("x"), _phrase("y")
#: where the pattern goes on with words of its own
_X_OPEN, _Y_OPEN = _phrase("x", ""), _phrase("y", "")
_INTO = rf"(?: (?:for|in favou?r of) {_Y})?"
_BE = r"(?:is|are|was|were|has been|have been|got|gets)(?: now| all| finally)?"
_MOVE = (
    r"\b(?:switch|mov|migrat|chang|transition|port|convert|upgrad|downgrad|went|go|rais|lower"
    r"|increas|reduc|bump|cut|extend|shorten|reschedul|relocat|shift|postpon|push|bring|brought"
    r"|renam)\w*\b"
)
_DROP = (
    r"\b(?:dropped|abandoned|ditched|retired|removed|deprecated|scrapped|cancell?ed|stopped using"
    r"|gave up(?: on)?|got rid of)"
)
_CHANGES = [
    AnyCase(pattern)
    for pattern in (
        rf"{_MOVE}.{{0,50}}?\bfrom {_X} (?:back |over |up |down |out )*(?:to|onto|into) {_Y}",
        rf"\b(?:moved|migrated|switched|went)\b.{{0,40}}? (?:off|away from) {_X}{_INTO}",
        rf"\breplac(?:ed|ing) {_X_OPEN} (?:with|by) {_Y}",
        rf"^{_Y_OPEN} (?:now |has |have )*replac(?:ed|es) {_X}",
        rf"^{_X_OPEN} {_BE} replaced (?:with|by) {_Y}",
        rf"\b{_Y_OPEN} (?:instead of|in place of|rather than) {_X}",
        rf"\b(?:instead of|rather than) {_X}",
        rf"\bprefers? {_Y_OPEN} (?:over|to) {_X}",
        rf"{_DROP} {_X}{_INTO}",
        rf"\b(?:decided|voted|chose|opted) against {_X}",
        rf"^{_Y_OPEN} it is,? (?:and )?(?:no more|not) {_X}",
        rf"\bno more (?!than\b){_X_OPEN}, (?:we|i)(?:'ll| will| now)? use {_Y}",
        rf"\bno more (?!than\b){_X}",
        r"\b(?:decided|agreed|chose|voted) to (?:drop|abandon|remove|ditch|scrap|stop using"
        rf"|give up(?: on)?|get rid of) {_X}",
        rf"\b{_Y_OPEN}(?:,| and|, and) not {_X}\.?$",
        rf"\bnot {_X},? but(?: rather)? {_Y}",
        rf"^{_Y_OPEN} (?:has |have )?(?:took|taken|takes) over (?:[\w -]{{1,40}} )?from {_X}",
        rf"^{_X_OPEN} (?:has |have )?handed (?:over )?.{{1,40}}? to {_Y}",
        rf"\brenamed (?:from )?{_X_OPEN} (?:to|into|as) {_Y}",
        rf"^{_X_OPEN} {_BE} renamed (?:to |as )?{_Y}",
    )
]
_KEPT = AnyCase(
    rf"\b(?:let's keep|(?:we|we'll|i|i'll|the user|to) (?:keep|stay on)"
    rf"|stay(?:ing)? with|stick(?:ing)? (?:with|to)|back to|revert(?:ed)? to) {_X}"
)
_ENDED = AnyCase(r"\bno longer\b|\bany ?more\b")
_NO_LONGER = AnyCase(
    rf"\b(?:no longer|not|don't|doesn't)\b.*?\b(?:us(?:es?|ing)|on|at|in|with|by|to|run on)\b {_X}"
)
