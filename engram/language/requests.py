"""What a person typed -> what they ask for in it.

    "ok, back to main. the till books twice, can you fix that?"
    -> asked "the till books twice, can you fix that?"

Only words that the person typed count (`own_ranges`). A greeting, an assent, a look at a file, a
line for a shell and housekeeping of the repository ask for nothing of substance; of a command what
stands behind its name does. What is asked is a sentence; its words are quoted with the sentence
that it hangs on, at most two, verbatim. Pure, linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engram.language.own_ranges import Range, own_ranges, wrote_program
from engram.language.own_statements import statements
from engram.language.stop_words import TOPIC
from engram.model.sentences import sentence_ranges
from engram.model.text import words
from engram.model.turn import Turn

#: characters of a quote
_LONGEST = 240
#: a sentence of fewer words that name something asks for nothing of substance
_FEW_WORDS = 2

_ASIDE = (
    r"(?:(?:ok(?:ay)?|so|now|then|well|hey|hi|hello|great|good|yes|yeah|and|also|please|pls)"
    r"[,.!]* )*"
)
#: a greeting, an assent, a wish to go on
_EMPTY = re.compile(
    r"(?:hi|hello|hey|(?:good )?morning|hallo|moin|bonjour|hola|test|thanks?(?: you)?|danke|yes|yep"
    r"|no|ok(?:ay)?"
    r"|sure|approved|continue|keep going|go on|go ahead|proceed|resume(?: session)?|weiter|\d+"
    r"|exit)"
    r"(?:[ ,]+(?:please|there|claude|yes))*[\s.!?]*",
    re.IGNORECASE,
)  # fmt: skip
#: the repository is put in order before or between what is asked for
_HOUSEKEEPING = re.compile(
    rf"{_ASIDE}(?:can you |could you |let'?s |lets |we )*(?:pull|push|fetch|rebase|commit|merge"
    rf"|stash|sync"
    r"|checkout|check out|switch(?: back)? to|(?:get )?back (?:to|on)|go back to"
    r"|update(?: again| from| to))\b",
    re.IGNORECASE,
)
#: reading is asked for before the work
_LOOK = re.compile(
    rf"{_ASIDE}(?:can you |could you )?(?:please )?(?:read|open|look at|have a look at"
    rf"|take a look at|see)\b",
    re.IGNORECASE,
)
#: ... and so is more
_AND_MORE = re.compile(r"\b(?:and|then)(?: then)? (\w.*)", re.DOTALL)
#: work is gone on with, or the agent is sounded out: what is wanted is told next
_OPENER = re.compile(
    rf"{_ASIDE}(?:please )?(?:pick up (?:from )?where\b|where (?:we|you) left off"
    r"|good morning\b|can you help me(?: with [\w#+.]+)?\s*\?$"
    r"|correct me if\b"
    r"|agis en tant qu"
    r"|(?:hola,? )?(?:qu[eé]|what|which) (?:modelo?|version)\b)",
    re.IGNORECASE,
)
#: a line for a shell that was typed to the agent
_SHELL = re.compile(
    r"(?:git [a-z-]+|python3? (?:-|\S+\.py\b)|pip3? install|npm (?:i|install|run|start|test)\b"
    r"|cd |ls\b|cls\b|source |chmod )"
)
#: what hangs on the sentence before it
_HANGS = re.compile(r"(?:and|also|then|but|so)\b", re.IGNORECASE)
#: where a request begins that tells what is wanted, or what is being made
_WANTS = re.compile(
    r"\b(?:i(?:'d| would| just)? (?:want|need|like)\b|we(?: now)? (?:want|need)\b|(?:can|could"
    r"|would) you\b"
    r"|please\b|let'?s\b|use (?:the|an?)\b|should\b|make sure\b|do you have\b"
    r"|(?:we|i)(?:['’](?:re|m)| are| am) (?:building|planning|trying|writing)\b)"
    r"|(?<!\bright)[?？]\s*$",
    re.IGNORECASE,
)
#: how a sentence begins that says something of somebody or something
_SUBJECT = re.compile(
    r"(?:(?i:we|i|our|my|the|this|these|they|he|she|it|there)\b|[A-Z][\w-]* (?:\w+s|was|will)\b)"
)
#: how an answer begins that agrees to what was proposed
_AGREES = re.compile(r"(?:yes|ok(?:ay)?|oui)\b", re.IGNORECASE)
#: a sentence, and no sign of a terminal before it
_SAID = re.compile(r"\s*[\w\"'`@(¿¡]")
#: the prompt of a shell, before what was typed
_PROMPT = re.compile(
    r"^(?:\([\w-]+\) )?(?:PS [A-Z]:\\[^>\n]{0,200}>|[\w.-]+@[^\n$#]{1,100}[$#]) ", re.M
)
#: words behind a prompt that are no command
_FEW_TYPED = 8
_COMMAND = re.compile(r"/[\w:-]+(?:\s+|$)")
#: how a prompt that is laid out as a document names its task
_TASK = re.compile(
    r"^#{1,3}[ \t]*(?:task|goal|objective|aufgabe|ziel|任务|目标)[ \t]*[:：][ \t]*(\S.*)$",
    re.I | re.M,
)


class TypedRequest(NamedTuple):
    """What a text asks for: the words as they stand in it, and the sentence that asks.

    One of no `substance` only says something: a look, housekeeping, a few words.
    """

    quote: str
    asked: str
    substance: bool


def is_typed(turn: Turn) -> bool:
    """Whether the owner wrote a turn, and no program in their name."""
    return (
        turn.role == "user"
        and not turn.program
        and bool(turn.text.strip())
        and not wrote_program(turn.text)
    )


def request_of(text: str, *, answers: bool = False) -> TypedRequest | None:
    """What is asked for in a text; None where nothing of the person's own words asks.

    With `answers`, what agrees to a proposal at the beginning is left out.
    """
    command = _COMMAND.match(text)
    begins = command.end() if command else 0
    told = [(begins + start, begins + end) for start, end in _own_sentences(text[begins:])]
    if answers and told and _AGREES.match(_of(text, told[0])):
        told = told[1:]
    told = [one for one in told if not _EMPTY.fullmatch(_of(text, one))]
    strong = [one for one in told if _is_of_substance(_of(text, one))]
    if strong:
        return _cut(text, told, strong, substance=True)
    if told and not command:
        return _cut(text, told, told, substance=False)
    return None


def command_line(text: str) -> str:
    """The first line of a text that is a command to the host of the agent; empty for any other."""
    return _shortened(text.strip().partition("\n")[0]) if _COMMAND.match(text) else ""


def task_line(text: str) -> str:
    """The task of a prompt that names one in a line of its own; empty where none is named."""
    found = _TASK.search(text)
    return _shortened(found[1].strip()) if found else ""


def only_states(quote: str) -> bool:
    """Whether words say how something is, and ask for nothing."""
    stated = statements(quote)
    return (
        bool(stated)
        and _WANTS.search(quote) is None
        and all(_SUBJECT.match(one.said) for one in stated)
    )


def _of(text: str, one: Range) -> str:
    return text[one[0] : one[1]].strip()


def _own_sentences(text: str) -> Iterator[Range]:
    behind = _behind_log(text)
    for paragraph in [behind] if behind else own_ranges(text):
        for start, end in sentence_ranges(text, *paragraph):
            if text[start:end].strip():
                yield start, end


def _behind_log(text: str) -> Range | None:
    """What was typed behind the prompt that a pasted log of a terminal ends with."""
    prompts = list(_PROMPT.finditer(text)) if "\n" in text else []
    if not prompts:
        return None
    said = text[prompts[-1].end() :].split()
    plain = sum(1 for word in said if word.casefold() in TOPIC)
    is_said = len(said) >= _FEW_TYPED and plain >= len(said) / 3
    return (prompts[-1].end(), len(text)) if is_said else None


def _is_of_substance(said: str) -> bool:
    """Whether a sentence asks for something of substance."""
    if any(form.match(said) for form in (_HOUSEKEEPING, _OPENER, _SHELL)):
        return False
    if _LOOK.match(said):
        more = _AND_MORE.search(said)
        return more is not None and _is_of_substance(more[1])
    return sum(1 for word in words(said) if word not in TOPIC) >= _FEW_WORDS or _is_dense(said)


def _is_dense(said: str) -> bool:
    return not said.isascii() and len(words(said)) < len(said) / 6


def _cut(
    text: str, told: Sequence[Range], strong: Sequence[Range], *, substance: bool
) -> TypedRequest:
    """The sentence that asks, and at most two sentences with it, as they stand."""
    asking = [one for one in strong if _WANTS.search(_of(text, one))]
    fitting = [one for one in asking if one[1] - one[0] <= _LONGEST]
    start, end = (fitting or asking or strong)[0]
    if (start, end) != strong[0] and _HANGS.match(_of(text, (start, end))):
        start, end = strong[0]
    asked = _of(text, (start, end))
    place = told.index((start, end))
    before, behind = told[:place], told[place + 1 :]
    if len(before) == 1 and _joins(text, before[0], (start, end)):
        start = before[0][0]
    elif behind and _joins(text, (start, end), behind[0]):
        end = behind[0][1]
    return TypedRequest(_shortened(_of(text, (start, end))).rstrip(" :："), asked, substance)


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
