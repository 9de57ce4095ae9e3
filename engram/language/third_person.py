"""A person's sentence -> the same statement told of "the user", without garbling it.

    "I prefer early returns" -> "The user prefers early returns."
    "we use Postgres here"   -> "We use Postgres here."

"We" stays: it names the person's team. Only "I" and "my" are replaced and the verb after "I" is
bent; where what follows "I" is no verb, the person's own words are kept behind "The user said:".
Relative dates keep their words here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engram.language.irregular import PAST
from engram.language.keywords import is_tool, word_set


def third_person(said: str) -> str:
    """One sentence that stands alone, first letter large, with a stop at its end."""
    said = _FILLER.sub("", _ASIDE.sub("", _SURPRISED.sub("", said.strip()))).rstrip("!.,;: ")
    told = _ThirdPerson().tell(_LETS.sub("let's", said))
    if not told or _FIRST_PERSON.search(told):
        return _finished(f"The user said: {said}")
    return _finished(told)


_FILLER = re.compile(
    r"[\s,.!;:]+(?:btw|by the way|please|pls|plz|thanks|thx|thank you|ok|okay|lol|haha|fyi|though"
    r"|:-?\)|;-?\))[\s.!]*$",
    re.IGNORECASE,
)
_SURPRISED = re.compile(r"\?+!+$")
_ASIDE = re.compile(r",? (?:btw|by the way)(?=,)", re.IGNORECASE)
_LETS = re.compile(r"^lets\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(
    r"(?<![\w/.-])(?:(?P<i>i)(?P<short>'m|'ve|'ll|'d|m)?|(?P<other>my|me|mine|myself))(?![\w'/-])",
    re.IGNORECASE,
)
_ADVERBS = re.compile(
    r"(?: (?:also|always|never|really|strongly|usually|generally|just|still|now|only|often|mostly"
    r"|typically|normally|personally|actually|absolutely|definitely|currently|already|finally|much"
    r"|mainly|honestly|both|all|officially|recently|almost|accidentally|successfully|rarely"
    r"|sometimes|once|rather|no longer)\b)*",
    re.IGNORECASE,
)
_VERB = re.compile(r" ([a-z]+(?:'t)?)(?![\w'])", re.IGNORECASE)
#: `... and hate tabs`: a second verb of the same subject.
_SECOND = re.compile(r"((?:(?! to )[^,.;])*?,? (?:and|but) )([a-z]+)(?= )")
_SECOND_VERBS = word_set(
    """prefer like love hate use want need work live write run speak know own manage lead maintain
    avoid dislike keep feel"""
)
_SHORT = {"'m": ("is", "are"), "m": ("is", "are"), "'ve": ("has", "have"),
          "'ll": ("will", "will"), "'d": ("would", "would")}  # fmt: skip
_THEIRS = {"my": ("the user's", "their"), "me": ("the user", "them"),
           "mine": ("the user's", "theirs"), "myself": ("the user", "themselves")}  # fmt: skip


@dataclass(slots=True)
class _ThirdPerson:
    """One sentence being retold; `named` once "the user" has been said."""

    named: bool = False

    def tell(self, said: str) -> str:
        """The sentence retold; empty when a verb after "I" is none."""
        pieces: list[str] = []
        at = 0
        for match in _FIRST_PERSON.finditer(said):
            if match.start() < at:
                continue
            pieces.append(said[at : match.start()])
            if match.group("i"):
                joined = said[: match.start()].endswith(" and ")
                words, taken = self._subject(
                    match.group("short") or "", said[match.end() :], plural=joined
                )
                if not words:
                    return ""
            else:
                words, taken = self._named(*_THEIRS[match.group().casefold()]), 0
            pieces.append(words)
            at = match.end() + taken
        return "".join(pieces) + said[at:]

    def _named(self, first: str, again: str) -> str:
        words = again if self.named else first
        self.named = True
        return words

    def _subject(self, short: str, rest: str, *, plural: bool) -> tuple[str, int]:
        """The words for "I" with its verb, and how many characters of the rest they replace."""
        first = not self.named and not plural
        name = self._named("the user", "they")
        if short:
            return f"{name} {_SHORT[short.casefold()][not first]}", 0
        adverbs = _ADVERBS.match(rest)
        start = adverbs.end() if adverbs else 0
        verb = _VERB.match(rest, start)
        if verb is None:
            return "", 0
        plain = verb.group(1).casefold()
        if not first:
            return f"{name}{rest[:start]} {_PLURAL.get(plain, plain)}", verb.end()
        bent = _bent(plain)
        finite = bent != plain or plain.endswith("ed")
        second = _SECOND.match(rest, verb.end()) if finite else None
        if second and second.group(2) in _SECOND_VERBS:
            return (
                f"{name}{rest[:start]} {bent}{second.group(1)}{_bent(second.group(2))}",
                second.end(),
            )
        return f"{name}{rest[:start]} {bent}" if bent else "", verb.end()


_PLURAL = {"am": "are", "was": "were"}
_BENT = {"am": "is", "have": "has", "haven't": "has not", "do": "does", "don't": "does not",
         "dont": "does not", "go": "goes", "gotta": "has to", "were": "was"}  # fmt: skip
#: Words after "I" that stay as they are: modals, and pasts that do not end in -ed.
_UNBENT = (frozenset(PAST.values()) - {"resent"}) | word_set(
    """will would can can't cannot could should must might may had did was won't shall shouldn't
    mustn't couldn't wouldn't didn't wasn't hadn't got redid used"""
)
#: Words after "I" that are no verbs at all.
_NO_VERBS = word_set(
    "and or but for in on at with to a an the of as if not no is are so then who that which"
)


def _bent(verb: str) -> str:
    """The verb for a third person; empty for what is no verb."""
    if verb in _BENT:
        return _BENT[verb]
    if verb in _UNBENT or (verb.endswith("ed") and not verb.endswith(("eed", "embed"))):
        return verb
    if verb in _NO_VERBS or verb.endswith(("ing", "ly")):
        return ""
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb + "s"


def _finished(text: str) -> str:
    first = text.split(" ", 1)[0]
    plain = first.replace("'", "")
    if plain.isalpha() and plain.islower() and not is_tool(first):
        text = text[0].upper() + text[1:]
    return text if text.endswith(("?", '"')) else text + "."
