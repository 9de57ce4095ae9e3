"""The beginning of a conversation -> the name that people know it by.

    "ok, can you have a look at our oven page?" in "New chat"  ->  "Our oven page"

It is the title that the conversation has, where that says something and is not how the person
began; else the first request of substance, without what opens it and says nothing of its subject.
A name is one line of at most 60 characters (`model.titles`), and never a list of topic words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from engram.language.hidden_text import without_hidden_signs
from engram.language.requests import command_line, is_typed, request_of, task_line
from engram.model.titles import title_of
from engram.model.turn import Turn

#: a longer title is a first request, and no subject
LONGEST_TITLE = 60
_EMPTY_TITLE = re.compile(
    r"(?:new |untitled |neuer? |test )?(?:chat|conversation|session|thread)(?: \d+)?|untitled|help"
    r"|hello|hi|pick up from .*",
    re.IGNORECASE,
)
_ASIDE = (
    r"(?:ok(?:ay)?|so|hi|hey|hello|hmm+|yeah|yes|oh|cool|great|good morning|now|and|then|also"
    r"|first|next|please|pls)[,.!:]*"
)
_ASKS = (
    r"(?:can|could|would|will) (?:you|we)(?: please)?|let['’]?s|lets|(?:i am|i['’]m) looking for"
    r"|i(?:['’]d| would)? (?:want|like) (?:you )?to|i(?: just)? (?:want|need) (?:you )?to"
    r"|we need to|need to|help me(?: to)?"
    r"|i (?:just )?(?:have|had|got) (?:a|another|one) (?:quick )?question (?:about|on|regarding)"
    r"|i(?:['’]m| was| am)? wonder(?:ing)? (?:if|whether)(?: there(?:['’]s| is))?(?: a way to)?"
    r"|(?:have|take) a (?:quick )?look (?:at|into)(?: our| my| the)?|look (?:at|into)"
)
#: how a request opens that says nothing of its subject
_OPENING = re.compile(rf"(?:(?:{_ASIDE}|{_ASKS}) )+", re.IGNORECASE)
#: a file that is handed over before the request
_MENTION = re.compile(r"@\S+\s+(?=\S+ \S)")
#: the folders of a path
_FOLDERS = re.compile(r"(?<![:\w/.~-])(?:[\w.~-]*/){2,}(?=[\w.-])")
#: an address, and what is left of it: the last two steps of its path
_ADDRESS = re.compile(
    r"https?://[^\s/]+(?:/[^\s/]+)*?(?:/([^\s/]+/[^\s/]+?))?/?(?=[),.:;?!]*(?:\s|$))"
)


def is_telling(title: str) -> bool:
    """Whether the title of a conversation says what it is about."""
    return 2 < len(title) <= LONGEST_TITLE and not _EMPTY_TITLE.fullmatch(title)


def given_title(title: str, texts: Iterable[str]) -> str:
    """The title of a conversation with these texts of the person; empty where it names nothing.

    A single word names nothing, nor does how the person began.
    """
    plain = " ".join(title.split()).rstrip(".:…")
    if " " not in plain or not is_telling(plain) or any(_begins(text, plain) for text in texts):
        return ""
    return plain


def request_title(asked: str) -> str:
    """A short name for what is asked for; it ends at a clause or at a word."""
    plain = " ".join(without_hidden_signs(asked).split())
    said = _ADDRESS.sub(lambda found: found[1] or found[0], plain)
    return title_of(without_opening(_FOLDERS.sub("", said)))


def without_opening(said: str) -> str:
    """Words without a file before them, and without politeness."""
    mention = _MENTION.match(said)
    said = said[mention.end() :] if mention else said
    opening = _OPENING.match(said)
    return said[opening.end() :] if opening else said


def conversation_name(turns: Iterable[Turn]) -> str:
    """The name of a conversation that begins with these turns; empty where nothing names it.

    It reads no more turns than it needs.
    """
    weak = ""
    for turn in turns:
        if title := given_title(turn.title, [turn.text]):
            return title
        if not is_typed(turn):
            continue
        request = request_of(turn.text)
        if request and request.substance:
            return request_title(request.asked)
        said = request.asked if request else command_line(turn.text) or task_line(turn.text)
        weak = weak or request_title(said)
    return weak


def _begins(text: str, title: str) -> bool:
    return " ".join(text[: 2 * len(title)].split()).casefold().startswith(title.casefold())
