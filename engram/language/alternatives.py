"""Words of which only one can hold of one thing: tabs or spaces, npm or pnpm, Monday or Tuesday.

Turns a text into the alternatives that it names, and these into the words of their rivals. English
only; pure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from engram.language.calendar_words import WEEKDAYS


class Alternative(NamedTuple):
    """One word of a group; `start` and `end` are where it stands in the text."""

    group: str
    member: str
    start: int
    end: int


_MODE, _QUOTES = "[ -](?:mode|theme)s?", "[ -]quote[sd]?"
_ENGLISH = " (?:english|spelling)"
#: an adverb: the daily standup is another than the weekly one
_ADVERB = r"\s*(?:$|[.,;:!?)]|(?:at|on|in|for|to|by|from|and|with|before|after|now|instead)\b)"
#: group -> its members, and what has to follow each
_GROUPS = {
    "indentation": ("tabs spaces", ""),
    "appearance": ("light dark", _MODE),
    "quotes": ("single double", _QUOTES),
    "package manager": ("npm pnpm yarn bun", ""),
    "spelling": ("british american", _ENGLISH),
    "units": ("metric imperial", ""),
    "weekday": (" ".join(WEEKDAYS), ""),
    "frequency": ("hourly daily nightly weekly monthly quarterly yearly", _ADVERB),
}
#: values of something that has to be named; the others say by themselves what they are about
_OF_SOMETHING = frozenset({"weekday", "frequency"})
_GROUP_OF = {name: group for group, (names, _) in _GROUPS.items() for name in names.split()}
_NAMED = "|".join(
    rf"(?:{'|'.join(names.split())}){'s?' if group == 'weekday' else ''}"
    + (f"(?={after})" if after else "")
    for group, (names, after) in _GROUPS.items()
)
#: before a day that says when, and not which: "from Monday on", "last Friday"
_WHEN = re.compile(
    r"\b(?:from|since|as of|starting(?: on)?|until|till|by|next|last|this|before|after|coming) $",
    re.IGNORECASE,
)
_ANY = re.compile(rf"(?<![\w-])(?:{_NAMED})(?![\w-]*\w|['’]s\b)", re.IGNORECASE)


def alternatives_of(text: str) -> tuple[Alternative, ...]:
    """The alternatives that a text names, in order."""
    found = []
    for one in _ANY.finditer(text):
        word = one[0].casefold()
        name = word if word in _GROUP_OF else word.removesuffix("s")
        if _GROUP_OF[name] != "weekday" or not _WHEN.search(text, 0, one.start()):
            found.append(Alternative(_GROUP_OF[name], name, one.start(), one.end()))
    return tuple(found)


def speaks_for_itself(group: str) -> bool:
    """Whether two texts that name words of this group are about the same without other words."""
    return group not in _OF_SOMETHING


def rivals_of(text: str) -> str:
    """The words of which one may stand where a text that speaks for itself has another."""
    named = {(one.group, one.member) for one in alternatives_of(text)}
    groups = {group for group, _ in named if speaks_for_itself(group)}
    return " ".join(
        name for name, group in _GROUP_OF.items() if group in groups and (group, name) not in named
    )
