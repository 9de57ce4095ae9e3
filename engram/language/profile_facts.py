"""Profile facts: what a person says of themselves that has one value: name, time zone, editor, ...

    "My timezone is Europe/Berlin."  ->  timezone = Europe/Berlin

One table with a row for each profile key, read in two ways. `fact_of` reads the one fact of an
utterance as seed 002 does, anywhere in it and up to the next stop: it describes a turn and decides
nothing. `settled_fact` reads a sentence that must begin with the statement, give a value of the
form that the key asks for, and end or go on in a way that does not limit it: such a value may
replace an older one. Refused by both: what only looks like one ("my name is misspelled").
English only. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

#: the most characters of a value
_LONGEST = 60


class StatedFact(NamedTuple):
    """A profile key and its value as it was said."""

    key: str
    value: str


@dataclass(frozen=True)
class _Row:
    """A key; what stands before its value in an utterance, in order; the sentences that settle it.

    Patterns are compiled when they are first needed. White space in those of sentences counts only
    where it is escaped.
    """

    key: str
    before: tuple[str, ...]
    sentences: tuple[str, ...]

    @cached_property
    def named(self) -> tuple[re.Pattern[str], ...]:
        value = r"\s*(?P<value>[^.!?,;]*)"
        return tuple(
            re.compile(one if "?P<value>" in one else rf"\b{one}{value}", re.IGNORECASE)
            for one in self.before
        )

    @cached_property
    def settled(self) -> re.Pattern[str]:
        pattern = "|".join(f"{one}{_DONE}" for one in self.sentences)
        return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


def fact_of(text: str) -> StatedFact | None:
    """The one profile fact of an utterance, None for one without."""
    for row in _TABLE:
        for found in chain.from_iterable(one.finditer(text) for one in row.named):
            value = _clean(found["value"])
            if value:
                return StatedFact(row.key, value)
    facts = map(settled_fact, re.split(r"(?<=[.!?])\s+|\n+", text))
    return next((fact for fact in facts if fact is not None), None)


def settled_fact(said: str) -> StatedFact | None:
    """The profile fact that one sentence settles, None where the value is not beyond doubt."""
    for row in _TABLE:
        found = row.settled.match(said.strip())
        if found is not None:
            return StatedFact(row.key, _clean(next(filter(None, found.groups()))))
    return None


def _clean(value: str) -> str:
    return " ".join(value.split()).strip("\"'`“”‘’ ").rstrip(".!?,;: ")[:_LONGEST].rstrip()


#: behind a value: the end, or words that do not limit it
_DONE = r"""(?=["'`”’]?(?:[.!;]*$|[.!;]\ |,(?!\ (?:she|he|they|who|if|when|except)\b)
  |\ (?:and|but|btw|by\ the\ way|please|thanks|so|now|because|since|not|instead|from\ now\ on|always
  |last\ \w+|these\ days|everywhere|in\ (?:all|every)\ (?:answers?|repl(?:y|ies)|responses?))\b))"""
_BEFORE = r"""["'`“‘]?"""
_CAPITAL = r"(?-i:[A-ZÀ-ÖØ-Þ])"
#: what is said of a name or a project, and is none
_SAID_OF = r"""(?:\w+(?:ed|ing|able|ible)|not|wrong|missing|on|in|at|by|from|as|the|an?|too|so|also
  |still|just|what|how|every|when|once|often|late|here|there|public|private|dead|done|open|up)\b"""
_NAME = rf"(?!{_SAID_OF})([\w'.-]*\w(?:\ {_CAPITAL}[\w'.-]*\w?){{0,2}})"
_PROJECT = rf"(?!{_SAID_OF})([\w.-]*\w(?:\ {_CAPITAL}[\w.-]*\w){{0,2}})"
_ABBREVIATED = r"""(?-i:(?:CET|CEST|WET|WEST|EET|EEST|MSK|IST|JST|KST|SGT|HKT|BST|EST|EDT|CST|CDT
  |MST|MDT|PST|PDT|ET|PT|AKST|HST|BRT|ART|AEST|AEDT|ACST|AWST|NZST|NZDT|SAST)\b)"""
_PLACED = rf"""(?:(?:US\ )?(?:Pacific|Eastern|Central|Mountain|Atlantic)(?:\ European|\ Standard
  |\ Daylight)?|{_CAPITAL}\w+(?:\ {_CAPITAL}\w+)?)"""
_ZONE = rf"""((?:UTC|GMT)(?:\ ?[+-]\ ?\d{{1,2}}(?::?\d\d)?)?
  |(?-i:[A-Z][A-Za-z_]+(?:/[A-Z][\w+-]*\w){{1,2}})|{_ABBREVIATED}|{_PLACED}\ time)(?:\ time)?"""
_LANGUAGE = r"""((?:(?:British|American|Brazilian|European|Swiss|Austrian|Mexican)\ )?(?:Afrikaans
  |Albanian|Arabic|Armenian|Basque|Bengali|Bosnian|Bulgarian|Cantonese|Catalan|Chinese|Croatian
  |Czech|Danish|Dutch|English|Estonian|Farsi|Finnish|French|Galician|Georgian|German|Greek|Gujarati
  |Hebrew|Hindi|Hungarian|Icelandic|Indonesian|Irish|Italian|Japanese|Kannada|Kazakh|Korean|Latvian
  |Lithuanian|Macedonian|Malay|Malayalam|Mandarin|Marathi|Mongolian|Nepali|Norwegian|Persian|Polish
  |Portuguese|Punjabi|Romanian|Russian|Serbian|Slovak|Slovenian|Spanish|Swahili|Swedish|Tagalog
  |Tamil|Telugu|Thai|Turkish|Ukrainian|Urdu|Vietnamese|Welsh)\b
  |(?-i:(?:ar|cs|da|de|el|en|es|fi|fr|he|hi|hu|it|ja|ko|nl|pl|pt|ro|ru|sv|tr|uk|zh)
  (?:[-_][A-Z]{2})?\b))"""
_EDITOR = rf"""((?:neo|g|mac)?vim|nvim|vi|emacs|nano|helix|zed|kate|micro|kakoune|cursor|vs\ ?code
  |visual\ studio(?:\ code)?|sublime(?:\ text)?|notepad\+\+|intellij(?:\ idea)?|pycharm|webstorm
  |xcode|eclipse|{_CAPITAL}[\w+.-]*(?:\ {_CAPITAL}[\w+.-]*){{0,2}})"""
_UNITS = r"(metric|imperial)"
_MAIN = r"(?:main\ |default\ |primary\ |current\ |preferred\ |favou?rite\ |daily\ |go-to\ )?"
_ASKED = r"(?:please\ |always\ |only\ |just\ |from\ now\ on,?\ )*"


def _row(key: str, before: tuple[str, ...], *sentences: str) -> _Row:
    return _Row(key, before, sentences)


_TABLE = (
    _row(
        "name", (r"my name is\b", r"call me\b"),
        rf"my\ (?:full\ |first\ )?name(?:'s|\ is)\ {_BEFORE}{_NAME}",
    ),
    _row(
        "timezone", (r"my timezone is\b", r"timezone(?: is\b| ?=)"),
        rf"my\ (?:local\ )?time\ ?zone(?:'s|\ is)\ (?:now\ |set\ to\ )?{_ZONE}",
        rf"i(?:'?m|\ am|\ live|\ work)?(?:\ now)?\ (?:in|on)\ (?:the\ )?{_ZONE}(?:\ time\ ?zone)?",
    ),
    _row(
        "language", (r"my language is\b", r"language preference is\b"),
        rf"(?:(?:my\ )?{_MAIN}language(?:\ preference)?\ is"
        rf"|{_ASKED}(?:answer|reply|respond|write|speak|talk)(?:\ to)?(?:\ me)?"
        r"(?:\ only|\ always)?\ in|i\ prefer\ (?:to\ be\ answered|answers|replies|responses)\ in)"
        rf"\ {_LANGUAGE}",
    ),
    _row(
        "project", (r"my project(?: name)? is\b", r"working on\b"),
        rf"(?:(?:my|our|the|this)\ project(?:\ is\ (?:called|named)|(?:'s)?\ name\ is)"
        rf"|the\ name\ of\ (?:my|our|the|this)\ project\ is)\ {_BEFORE}{_PROJECT}",
    ),
    _row(
        "editor", (r"my editor is\b",),
        rf"my\ {_MAIN}(?:editor|ide)(?:\ of\ choice)?\ is\ (?:now\ )?{_EDITOR}",
        r"i(?:(?:\ now|\ mostly|\ mainly)?\ use|(?:'ve|\ have)?(?:\ just)?\ (?:switched|moved"
        rf"|changed)(?:\ over)?\ to)\ {_EDITOR}\ as\ my\ {_MAIN}(?:editor|ide)",
    ),
    _row(
        "units", (r"\buse (?P<value>metric|imperial) units\b",),
        rf"{_ASKED}use\ {_UNITS}(?:\ units)?",
        rf"i\ (?:prefer|want|use)\ {_UNITS}(?:\ units)?",
        rf"my\ {_MAIN}units?\ (?:is|are)\ {_UNITS}",
        rf"{_ASKED}(?:give|show|tell)\ me\ [\w ]{{1,40}}\ in\ {_UNITS}\ units",
    ),
)  # fmt: skip
