"""Attributes that have one value at a time: "our linter is Ruff", "Ada lives in Oslo".

Turns one clause into subject, attribute, value and what limits it, as stems. Only attributes of
which nobody has two at once are read; what one can have several of (uses, likes) is no claim.
English only. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engram.language.wording import Terms, terms_of


@dataclass(frozen=True, slots=True)
class Claim:
    """Subject, attribute with one value, the value, and what else limits it."""

    attribute: str
    subject: Terms
    value: Terms
    limits: Terms

    @property
    def about(self) -> tuple[str, Terms, Terms]:
        """What two claims must have in common to clash."""
        return self.attribute, self.subject, self.limits


#: several things may be used for one purpose: only words of change make another value of it
SHARED = "used for"


def claim_of(clause: str) -> Claim | None:
    """The claim that one clause (without its asides) makes."""
    for attribute, pattern in _CLAIMS:
        found = pattern.match(clause.strip())
        if found is None:
            continue
        named = found.groupdict()
        subject = terms_of(f"{named['s']} {named.get('s2') or ''}")
        value, limits = terms_of(named["v"]), terms_of(named["tail"] or "")
        if attribute == "role":
            subject, limits = subject | limits, frozenset()
        return Claim(attribute, subject, value, limits) if value else None
    return None


def _either(names: str) -> str:
    return "(?:" + "|".join(name.replace("_", " ") for name in names.split()) + ")"


_NOW = r"(?:(?:now|currently|actually|officially) )?"
_S = r"(?P<s>[^,;:]{1,60}?)"
_V = r"(?P<v>[^,;]{1,60}?)"
_NAME = r"(?-i:(?P<v>[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*))"
_TAIL = r"(?P<tail>(?: (?:for|in|on|at|with|of|during|under|per|as) [^,;]*)?)(?:[,;.] .*|[.!]?)$"
#: nouns that name an attribute of which there is one
_ATTRIBUTE = _either(
    """branch port region database db editor ide shell time_?zone locale version limit deadline
    owner lead name e-?mail address licen[cs]e price budget url manager boss language framework
    host hosting provider bundler linter formatter orm queue broker runner currency domain ci cdn
    colou?r theme font size room location office city capital home_?town employer title role phone
    number cadence interval frequency schedule start_time day engine backend store timeout ttl
    threshold encoding format encryption protocol algorithm tracker channel registry repository
    contact maintainer mode level mascot logo motto slogan codename"""
)
_ROLE = _either(
    """lead owner manager maintainer ceo cto cfo head editor captain chair director president
    contact reviewer moderator treasurer coach landlord dentist doctor principal architect"""
)
_OWNED = r"(?:the |our |my |their |its |(?-i:[A-Z])\w+'s )?(?:[\w-]+'s |[\w.-]+ ){0,3}?"
_CLAIMS = [
    (attribute, re.compile(f"^{pattern}{_TAIL}", re.IGNORECASE))
    for attribute, pattern in (
        ("location",
         rf"{_S} {_NOW}(?:lives?|resides?|moved|relocated|(?:is|are) {_NOW}(?:based|located))"
         rf" (?:in|to) {_V}"),
        ("employer",
         rf"{_S} {_NOW}(?:works|joined|is {_NOW}(?:working|employed))(?: at| for| by)? {_NAME}"),
        ("employer",
         rf"{_S}'s first (?:day|week|month) at {_NAME}(?: (?:went|was|is|has) [^,;]*?)?"),
        ("employer", rf"{_S} is (?:an?|the) [\w -]{{2,40}}? at {_NAME}"),
        ("host",
         rf"{_S} {_NOW}(?:runs?|deploys|(?:is|are) {_NOW}(?:hosted|deployed)) {_NOW}(?:on|to|at)"
         rf" {_V}"),
        ("written", rf"{_S} (?:is|are) {_NOW}written in {_V}"),
        ("place",
         rf"{_S} (?:(?:is|are) {_NOW}(?:stored|kept|saved|managed|tracked)|{_NOW}lives?)"
         rf" (?:in|at|under|on) {_V}"),
        ("called", rf"{_S} (?:is|are) {_NOW}(?:called|named) {_V}"),
        ("reports", rf"{_S} {_NOW}reports? {_NOW}to {_V}"),
        ("role",
         rf"(?P<v>(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z])[\w-]*)?) (?:is|became) {_NOW}(?:the|our|my)"
         rf" {_NOW}(?P<s>(?:[\w-]+ )?{_ROLE})"),
        ("owner",
         rf"(?-i:(?P<v>[A-Z][\w-]*)) {_NOW}(?:owns|maintains|looks after"
         rf"|is {_NOW}(?:responsible for|in charge of)) {_S}"),
        ("owner",
         rf"{_S} (?:(?:is|are) {_NOW}(?:owned by|maintained by|looked after by|with)|{_NOW}belongs?"
         rf" to) {_NAME}(?: these days)?"),
        ("is",
         rf"(?P<s>{_OWNED}{_ATTRIBUTE}(?: (?:of|for|in) [\w .-]{{1,30}}?)?) (?:is|are|=) {_NOW}"
         rf"(?!not\b){_V}"),
        (SHARED, rf"{_S} (?:uses?|is using|are using) {_V} (?:for|as)(?P<s2>[^,;]{{1,40}}?)"),
    )
]  # fmt: skip
