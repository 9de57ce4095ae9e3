"""Turns of a conversation -> its goal: the first thing that the person asked for, in their words.

    "hi"  ·  "ok, back to main"  ·  "the till books twice, fix that"   -> the third

Only words that the person typed count (`own_ranges`); what a program wrote on their line, commands
and interruptions do not. A greeting, an assent, a look at a file and housekeeping of the repository
give way to the first request of substance that follows. A prompt that is laid out as a document
is taken by its task line, where nothing else was typed. The goal is a verbatim cut of at most two
sentences. None is found where nothing was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engram.extract.exchanges import is_typed
from engram.language.own_ranges import Range, own_ranges
from engram.language.sentences import sentence_ranges
from engram.language.stop_words import TOPIC
from engram.model.text import words
from engram.model.turn import Turn

#: characters of a goal
_LONGEST = 240
#: later turns tell how the work went on, not what it was begun for
_FIRST_TURNS = 12
#: a sentence of fewer words that name something asks for nothing of substance
_FEW_WORDS = 2

_ASIDE = (
    r"(?:(?:ok(?:ay)?|so|now|then|well|hey|hi|hello|great|good|yes|yeah|and|also|please|pls)"
    r"[,.!]* )*"
)
#: a greeting, an assent, a wish to go on
_EMPTY = re.compile(
    r"(?:hi|hello|hey|good morning|hallo|moin|bonjour|hola|test|thanks?(?: you)?|danke|yes|yep|no"
    r"|ok(?:ay)?"
    r"|sure|continue|go on|go ahead|proceed|resume(?: session)?|weiter|\d+|exit)"
    r"(?:[ ,]+(?:please|there|claude|yes))*[\s.!?]*",
    re.IGNORECASE,
)  # fmt: skip
#: the repository is put in order before or between what is asked for
_HOUSEKEEPING = re.compile(
    rf"{_ASIDE}(?:can you |could you |let'?s |lets |we )*(?:pull|push|fetch|rebase|commit|merge"
    rf"|stash|sync"
    r"|checkout|check out|switch(?: back)? to|get back to|go back to|update(?: again| from| to))\b",
    re.IGNORECASE,
)
#: reading is asked for before the work
_LOOK = re.compile(
    rf"{_ASIDE}(?:can you |could you )?(?:please )?(?:read|open|look at|have a look at"
    rf"|take a look at|see)\b",
    re.IGNORECASE,
)
#: where a request begins that tells what is wanted
_WANTS = re.compile(
    r"\b(?:i(?:'d| would)? (?:want|need|like)\b|we(?: now)? (?:want|need)\b|(?:can|could"
    r"|would) you\b"
    r"|please\b|let'?s\b|use (?:the|an?)\b|should\b|make sure\b)|[?？]\s*$",
    re.IGNORECASE,
)
#: a sentence, and no sign of a terminal before it
_SAID = re.compile(r"\s*[\w\"'`@(¿¡]")
_COMMAND = re.compile(r"/[\w:-]+(?:\s|$)")
#: how a prompt that is laid out as a document names its task
_TASK = re.compile(
    r"^#{1,3}[ \t]*(?:task|goal|objective|aufgabe|ziel|任务|目标)[ \t]*[:：][ \t]*(\S.*)$",
    re.I | re.M,
)


class Goal(NamedTuple):
    """The words of the goal, as they stand in the turn, and the turn."""

    turn: Turn
    quote: str

    @property
    def text(self) -> str:
        """The goal on one line."""
        return " ".join(self.quote.split())


def goal_of(turns: Sequence[Turn]) -> Goal | None:
    """The goal of a conversation; None where nothing was asked for."""
    asked = [turn for turn in turns if is_typed(turn) and not _COMMAND.match(turn.text)]
    weak: Goal | None = None
    for turn in asked[:_FIRST_TURNS]:
        sentences = list(_own_sentences(turn.text))
        told = [one for one in sentences if not _EMPTY.fullmatch(_of(turn, one))]
        if not told:
            continue
        strong = [one for one in told if _is_request(_of(turn, one))]
        if strong:
            return Goal(turn, _cut(turn.text, told, strong))
        weak = weak or Goal(turn, _cut(turn.text, told, told))
    return weak or _laid_out(asked)


def _of(turn: Turn, one: Range) -> str:
    return turn.text[one[0] : one[1]].strip()


def _own_sentences(text: str) -> Iterator[Range]:
    for paragraph in own_ranges(text):
        for start, end in sentence_ranges(text, *paragraph):
            if text[start:end].strip():
                yield start, end


def _is_request(said: str) -> bool:
    """Whether a sentence asks for something of substance."""
    if _HOUSEKEEPING.match(said) or _LOOK.match(said):
        return False
    return sum(1 for word in words(said) if word not in TOPIC) >= _FEW_WORDS or _is_dense(said)


def _is_dense(said: str) -> bool:
    return not said.isascii() and len(words(said)) < len(said) / 6


def _cut(text: str, told: Sequence[Range], strong: Sequence[Range]) -> str:
    """At most two sentences with the request in them, as they stand."""
    asking = [one for one in strong if _WANTS.search(text[slice(*one)].strip())]
    fitting = [one for one in asking if one[1] - one[0] <= _LONGEST]
    start, end = (fitting or asking or strong)[0]
    place = told.index((start, end))
    before, behind = told[:place], told[place + 1 :]
    if len(before) == 1 and _joins(text, before[0], (start, end)):
        start = before[0][0]
    elif behind and _joins(text, (start, end), behind[0]):
        end = behind[0][1]
    return _shortened(text[start:end].strip()).rstrip(" :：")


def _joins(text: str, one: Range, other: Range) -> bool:
    """Whether two sentences stand side by side, are told together, and both say something."""
    between = text[one[1] : other[0]]
    return (
        other[1] - one[0] <= _LONGEST
        and _SAID.match(text, other[0]) is not None
        and not any(map(str.isalnum, between))
        and min(len(text[slice(*each)].split()) for each in (one, other)) > _FEW_WORDS
    )


def _shortened(quote: str) -> str:
    """What fits of a sentence, up to the end of a clause or a word."""
    if len(quote) <= _LONGEST:
        return quote
    kept = quote[:_LONGEST]
    for sign in (". ", "; ", ", ", " "):
        head, found, _ = kept.rpartition(sign)
        if found and len(head) > _LONGEST // 2:
            return head.rstrip(" ,;")
    return kept


def _laid_out(asked: Sequence[Turn]) -> Goal | None:
    """The task of the first prompt that names one in a line of its own."""
    for turn in asked[:_FIRST_TURNS]:
        found = _TASK.search(turn.text)
        if found:
            return Goal(turn, _shortened(found[1].strip()))
    return None
