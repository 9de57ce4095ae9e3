"""Neighbouring sentences -> statements that stand alone, with only the words that stand there.

    "The backup is nightly. It must never run twice." -> "The backup must never run twice."
    "Rosa waits for it. I promised her a demo." -> "I promised Rosa a demo."
    "Never squash. It breaks the bisect."             -> the rule, with its reason behind it
    "Lena can't eat nuts, so nothing with those."     -> "Lena can't eat nuts"

A pronoun that opens a sentence is read as the subject of the sentence directly before it, where
that has a plain one of the same number, and "her" or "him" as the one person who is named there.
Guarantees: a mended sentence quotes both of its parts, which are neighbours in the turn. English
only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from engram.language.own_statements import Sentence

_PRONOUN = re.compile(r"(?P<one>it(?P<is>'s)?)\b|(?P<many>they(?P<are>'re)?)\b", re.IGNORECASE)
#: "The nightly backup is ...", "Our tests run ...", "`till.py` reads ..."
_SUBJECT = re.compile(
    r"(?P<subject>(?:the|our|my) (?:[\w/.-]+ ){0,3}?[\w/.-]+|`[^`]+`"
    r"|(?-i:[A-Z])[\w-]*(?-i:[A-Z.\d])[\w.-]*)"
    r" (?:now |also |only |always )?"
    r"(?P<verb>is|are|was|were|has|have|must|should|can|will|uses?|runs?|lives?|needs?|reads?"
    r"|writes?|takes?|sends?|keeps?|handles?)\b",
    re.IGNORECASE,
)
_DAYS = frozenset(
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "January",
     "February", "March", "April", "May", "June", "July", "August", "September", "October",
     "November", "December"]
)  # fmt: skip
_OF_MANY = frozenset(["are", "were", "have"])
_OF_ONE = frozenset(["is", "was", "has"])
_REASON = re.compile(
    r"(?:because|otherwise|or else|the reason (?:is|being)|(?:that|it|this)(?:'s| is) because"
    r"|(?:that|it|this|they)(?: would| will| can| could| may| might)? (?:break|cause|make|lead"
    r"|cost|leak|lose|confuse|slow|fail|crash|block|hide|trigger)s?)\b",
    re.IGNORECASE,
)

#: how those are called that were just told of
_NAMES = re.compile(
    r"(?:(?:her|his|its|their|the) )?names?(?::| is| are) (?-i:[A-Z])\w+", re.IGNORECASE
)
_FROM_NOW = re.compile(r"(?:from now on|going forward|from here on)\b", re.IGNORECASE)
_ALSO = re.compile(r"(?:and|also) (?:\w+ ){1,3}(?:please|always)[.!]*", re.IGNORECASE)
_ENDED_IT = re.compile(r"\b(?:fixed|solved|resolved|cured) (?:it|this|that)[.!]*$", re.IGNORECASE)


#: what follows from a statement for this turn alone, in words that point back at it
_CONCLUSION = re.compile(
    r"(?P<said>[^,;()]{12,}(?:\([^()]*\))?)(?:,|(?<=\))) so (?:please )?(?:nothing|none|no"
    r"|not|don't|do not|leave|skip|avoid)\b[^,;]* (?:this|that|these|those|them|it)"
    r"(?:, and no[^;]*|[.!]*)$",
    re.IGNORECASE,
)
#: ... or what the agent is to do about it some day
_WISH = re.compile(r"(?P<said>[^;]{8,}?),? so (?:if|when|whenever) you\b.+", re.IGNORECASE)


def without_conclusion(text: str, sentence: Sentence) -> Sentence:
    """A sentence without what is asked for because of it, where that stands for nothing alone."""
    found = _CONCLUSION.match(sentence.said) or _WISH.match(sentence.said)
    joint = text.rfind(" so ", sentence.start, sentence.end) if found else -1
    if found is None or joint < 0:
        return sentence
    end = joint - (text[joint - 1] == ",")
    return replace(sentence, said=found["said"].rstrip(","), end=end)


def with_subjects(text: str, sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """The sentences; one that opens with a pronoun gets the subject of its neighbour."""
    before: Sentence | None = None
    for sentence in sentences:
        told = None
        if before is not None and _are_neighbours(text, before, sentence):
            told = _told(before, sentence) or _named(before, sentence)
        yield told or sentence
        before = sentence


def _told(before: Sentence, sentence: Sentence) -> Sentence | None:
    pronoun, named = _PRONOUN.match(sentence.said), _SUBJECT.match(before.said)
    if pronoun is None or named is None:
        return None
    subject, verb = named["subject"], named["verb"].casefold()
    if verb in (_OF_MANY if pronoun["one"] else _OF_ONE):
        return None
    short = " is" if pronoun["is"] else " are" if pronoun["are"] else ""
    return replace(
        sentence, start=before.start, said=f"{subject}{short}{sentence.said[pronoun.end() :]}"
    )


#: to whom something is done, where no noun follows that would be theirs
_TO_SOMEBODY = re.compile(
    r"(?P<done>(?:i|we)(?:'ll|'ve)? (?:\w+ )?(?:promised?|told|tell|asked?|gave|give|owe|sent|send"
    r"|showed?|called?|meet|met|invited?|wrote|write|pay|paid)) (?:her|him)(?= (?:an?|the|to|that"
    r"|about|by|on|at|in|one|two|next|tomorrow)\b|$)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][a-z]{2,}\b")


def _named(before: Sentence, sentence: Sentence) -> Sentence | None:
    """The sentence with the name of whom it speaks, where one person alone is named before it."""
    done = _TO_SOMEBODY.match(sentence.said)
    names = set(_NAME.findall(f" {before.said}")) - _DAYS
    if done is None or len(names) != 1:
        return None
    told = f"{done['done']} {names.pop()}{sentence.said[done.end() :]}"
    return replace(sentence, start=before.start, said=told)


def completes(text: str, before: Sentence, sentence: Sentence) -> bool:
    """Whether a sentence says why the one directly before it is so, what ended it, the names of
    what it tells of, or what holds from now on as well."""
    said = f"{sentence.lead} {sentence.said}".strip()
    told = (
        _REASON.match(said)
        or _ENDED_IT.search(said)
        or _NAMES.match(said)
        or (_FROM_NOW.match(before.said) and _ALSO.fullmatch(said))
    )
    return told is not None and _are_neighbours(text, before, sentence)


def _are_neighbours(text: str, first: Sentence, second: Sentence) -> bool:
    """Whether nothing but a blank, or a line's end, lies between two sentences."""
    between = text[first.end : second.start]
    return first.end <= second.start and not between.strip() and between.count("\n") < 2
