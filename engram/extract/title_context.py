"""A statement and its conversation -> the statement behind the title, where it needs one.

    "Our budget is 2500 euros." in "Apartment Hamburg"
    -> "Apartment Hamburg: our budget is 2500 euros."

A statement needs it when it names nothing that could be known a year later: its subject is a plain
noun ("the deadline"), or it says "there" of a place that was named before. What stands behind its
first clause changes nothing of that. In a project, whose name
stands beside each memory, none does, and what tells of the person themself does not either.
Guarantees: the words of both are kept; a title that says nothing, or whose words the statement
holds already, is not used. English only.
"""

from __future__ import annotations

import re

from engram.language.calendar_words import MONTHS, WEEKDAYS
from engram.language.conversation_name import is_telling
from engram.model.turn import Turn

#: a statement of more words tells what it is about
_FEW_WORDS = 12
_PLAIN_SUBJECT = re.compile(
    r"(?:the(?! user\b)|our|the user's|the team's) (?:[a-z-]+ )?[a-z-]+ (?:is|are|was|were|has|have"
    r"|must|should|will|starts?|ends?|costs?|needs?)\b"
    r"|the user (?:is|was|has been) (?:[\w-]+ ){0,2}there\b"
    r"|the user would (?:rather|prefer to) (?:do|have|take)\b",
    re.IGNORECASE,
)
_THERE = re.compile(
    r"[^,;:]+ (?:lives?|works?|stays?|is|are|was|were|been) there[.!]*", re.IGNORECASE
)
_FIRST_CLAUSE = re.compile(r"[^,;:]+")
#: a name, or a thing of a name of its own, within a statement; no day of the calendar
_NAMED = re.compile(rf"(?<=[a-z,;:] )(?!I\b|(?i:{'|'.join((*MONTHS, *WEEKDAYS))})\b)[A-Z][\w.-]+|`")
#: what there is one of for each person needs no subject
_OF_PERSON = re.compile(
    r"the user's (?:name|birthday|job|wife|husband|partner|boss|e?-?mail|phone|address|age|kids?"
    r"|children|son|daughter|mother|father|brother|sister|parents|dog|cat|car)\b",
    re.IGNORECASE,
)


def with_title(text: str, turn: Turn) -> str:
    """The statement, behind the title of its turn's conversation where it needs it."""
    title = " ".join(turn.title.split()).rstrip(".:")
    if turn.project or not is_telling(title):
        return text
    known = set(re.findall(r"\w{3,}", text.casefold()))
    if set(re.findall(r"\w{3,}", title.casefold())) <= known or not _needs(text):
        return text
    return f"{title}: {text[0].lower()}{text[1:]}"


def _needs(text: str) -> bool:
    if _THERE.fullmatch(text):
        return True
    clause = _FIRST_CLAUSE.match(text)
    said = clause.group() if clause else text
    return (
        len(said.split()) <= _FEW_WORDS
        and _PLAIN_SUBJECT.match(text) is not None
        and _NAMED.search(said) is None
        and _OF_PERSON.match(text) is None
    )
