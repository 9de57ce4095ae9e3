"""Turns of a conversation -> its goal: the first thing that the person asked for, in their words.

    "hi"  ·  "ok, back to main"  ·  "the till books twice, fix that"   -> the third

Only words that the person typed count (`own_ranges`); what a program wrote on their line and
interruptions do not, of a command what stands behind its name. A greeting, an assent, a look at a
file and housekeeping of the repository give way to the first request of substance that follows; a
question that was answered without work gives way to the largest task up to the first work. Where
nothing of that was typed the first command that was answered is the goal, or the task line of a
prompt that is laid out as a document. The goal is a verbatim cut of at most two sentences. None is
found where nothing was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engram.extract.exchanges import Exchange, is_typed
from engram.extract.key_changes import has_changed
from engram.extract.session_outcome import asks_only
from engram.language.own_ranges import Range, own_ranges
from engram.language.own_statements import statements
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
    r"|sure|approved|continue|keep going|go on|go ahead|proceed|resume(?: session)?|weiter|\d+"
    r"|exit)"
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
#: ... and so is more
_AND_MORE = re.compile(r"\b(?:and|then)(?: then)? (\w.*)", re.DOTALL)
#: work is gone on with, or the agent is sounded out: what is wanted is told next
_OPENER = re.compile(
    rf"{_ASIDE}(?:please )?(?:pick up (?:from )?where\b|where (?:we|you) left off"
    r"|good morning\b|can you help me(?: with [\w#+.]+)?\s*\?$"
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
#: where a request begins that tells what is wanted
_WANTS = re.compile(
    r"\b(?:i(?:'d| would)? (?:want|need|like)\b|we(?: now)? (?:want|need)\b|(?:can|could"
    r"|would) you\b"
    r"|please\b|let'?s\b|use (?:the|an?)\b|should\b|make sure\b|do you have\b)"
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
_PICTURE = re.compile(r"\[Image #\d{1,3}\]")
_COMMAND = re.compile(r"/[\w:-]+(?:\s+|$)")
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
        """The goal on one line, without the places of pictures."""
        return " ".join(_PICTURE.sub(" ", self.quote).split())


class _Asked(NamedTuple):
    """A request of substance, and the place of its exchange."""

    place: int
    goal: Goal


def goal_of(exchanges: Sequence[Exchange]) -> Goal | None:
    """The goal of a conversation; None where nothing was asked for."""
    asked = [at for at, one in enumerate(exchanges) if one.is_typed][:_FIRST_TURNS]
    requests: list[_Asked] = []
    weak: Goal | None = None
    for at in asked:
        turn = exchanges[at].asked
        if turn is None:
            continue
        told = _told(turn, answers=at > 0 and bool(exchanges[at - 1].report.asked))
        strong = [one for one in told if _is_request(_of(turn, one))]
        if strong and (exchanges[at].answers or len(turn.text.split()) > _FEW_WORDS):
            requests.append(_Asked(at, Goal(turn, _cut(turn.text, told, strong))))
            if not _is_question(requests[0].goal):
                break
        elif told and not _COMMAND.match(turn.text):
            weak = weak or Goal(turn, _cut(turn.text, told, told))
        elif _COMMAND.match(turn.text) and exchanges[at].spoken:
            weak = weak or Goal(turn, _shortened(turn.text.strip().partition("\n")[0]))
    if requests:
        return _first_worked_for(exchanges, requests)
    return weak or _laid_out([turn for at in asked if (turn := exchanges[at].asked)])


def request_in(turn: Turn) -> Goal | None:
    """What one turn asks for; None where it asks for nothing."""
    return goal_of([Exchange(turn)]) if is_typed(turn) else None


def only_states(goal: Goal) -> bool:
    """Whether a goal says how something is, and asks for nothing."""
    stated = statements(goal.quote)
    return (
        bool(stated)
        and _WANTS.search(goal.quote) is None
        and all(_SUBJECT.match(one.said) for one in stated)
    )


def _first_worked_for(exchanges: Sequence[Exchange], requests: Sequence[_Asked]) -> Goal:
    """The first request; or, of a question without work, the largest task up to the first work."""
    first, *later = requests
    if not later or not _is_question(first.goal):
        return first.goal
    worked = next(
        (at for at in range(first.place, len(exchanges)) if _is_worked(exchanges[at])), -1
    )
    least = _size(first.goal)
    tasks = [
        one.goal
        for one in later
        if one.place <= worked and not _is_question(one.goal) and _size(one.goal) >= least
    ]
    return max(tasks, key=_size) if tasks else first.goal


def _is_worked(exchange: Exchange) -> bool:
    """Whether an exchange changed files, or ends with a report of work."""
    return has_changed(exchange.tools) or bool(exchange.report.done)


def _is_question(goal: Goal) -> bool:
    """Whether an answer is all that each sentence of a goal asks for."""
    quote = goal.quote
    return all(asks_only(quote[slice(*one)]) for one in sentence_ranges(quote, 0, len(quote)))


def _size(goal: Goal) -> int:
    """How many words of a goal name something."""
    return len({word for word in words(goal.quote) if word not in TOPIC})


def _told(turn: Turn, *, answers: bool) -> list[Range]:
    """The sentences of a turn that say something; of an answer not the one that agrees."""
    command = _COMMAND.match(turn.text)
    begins = command.end() if command else 0
    told = [(begins + start, begins + end) for start, end in _own_sentences(turn.text[begins:])]
    if answers and told and _AGREES.match(_of(turn, told[0])):
        told = told[1:]
    return [one for one in told if not _EMPTY.fullmatch(_of(turn, one))]


def _of(turn: Turn, one: Range) -> str:
    return turn.text[one[0] : one[1]].strip()


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


def _is_request(said: str) -> bool:
    """Whether a sentence asks for something of substance."""
    if any(form.match(said) for form in (_HOUSEKEEPING, _OPENER, _SHELL)):
        return False
    if _LOOK.match(said):
        more = _AND_MORE.search(said)
        return more is not None and _is_request(more[1])
    return sum(1 for word in words(said) if word not in TOPIC) >= _FEW_WORDS or _is_dense(said)


def _is_dense(said: str) -> bool:
    return not said.isascii() and len(words(said)) < len(said) / 6


def _cut(text: str, told: Sequence[Range], strong: Sequence[Range]) -> str:
    """At most two sentences with the request in them, as they stand."""
    asking = [one for one in strong if _WANTS.search(text[slice(*one)].strip())]
    fitting = [one for one in asking if one[1] - one[0] <= _LONGEST]
    start, end = (fitting or asking or strong)[0]
    if (start, end) != strong[0] and _HANGS.match(text[start:end].strip()):
        start, end = strong[0]
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
    for turn in asked:
        found = _TASK.search(turn.text)
        if found:
            return Goal(turn, _shortened(found[1].strip()))
    return None
