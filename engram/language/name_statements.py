"""A sentence -> the names of which it says that they are one.

Understood are `X, also called Y`, `X (aka Y)`, `X = Y`, `X is short for Y`, `X was renamed to Y`
and the like; `Amazon Web Services (AWS)`, where the letters agree; and nicknames: `Bob (Robert
Hale)`, `Robert "Bob" Hale`. Questions and guesses say nothing. Where a name begins and ends is not
known here: each side is given as its possible wordings, the longest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engram.model.sentences import sentences_of

#: a text without any of these says nothing of names
_HINT = re.compile(
    r"[(\"“]|\s=\s|called|known as|named|spelled|aka|a\.\s?k|short for|stands for|alias|abbrev"
    r"|goes by|the same",
    re.IGNORECASE,
)
_AKA = re.compile(r"\ba\.\s?k\.\s?a\.?", re.IGNORECASE)
_DOUBT = re.compile(
    # the month is no doubt
    r"\?\s*$|\b(?:[Ii]f|may|[Mm]aybe|might|[Pp]erhaps|[Pp]robably|[Uu]nlike|[Ww]hether|would)\b"
)
_BE = r"(?:\s*,)?(?:\s+(?:is|are|was|were|which is|who is))?\s*[(,]?\s*"
_CUE = re.compile(
    rf"{_BE}(?:"
    r"(?:also|otherwise|formerly|previously|now|better|aka)\s+(?:called|known as|named|spelled)"
    r"|aka"
    r"|short for|(?<=\s)stands for|an (?:alias|abbreviation) (?:for|of)|nicknamed|(?<=\s)goes by"
    # what somebody renamed is not the one who did
    r"|(?:was|were|is|been|got) renamed(?: to)?"
    r"|the same (?:person|company|project|tool|team|place|thing) as"
    r")\s+(?:the name\s+)?"
    r"|\s+=\s+",
    re.IGNORECASE,
)
_ROUND = re.compile(r"(?P<left>[^()]*?)\s*\((?P<right>[^()]{2,60})\)")
_NICKNAMED = re.compile(r"\b([^\W\d_]+) [\"“'‘]([^\W\d_]+)[\"”'’] ([^\W\d_]+)\b")
_WORD = re.compile(r"[^\s,;:()\"“”=]+")
_MOST_WORDS = 5

#: given names and what people call their bearers, where letters alone do not show it
_NICKNAMES = {
    "andy": "andrew", "becky": "rebecca", "beth": "elizabeth", "betty": "elizabeth",
    "bill": "william", "bob": "robert", "bobby": "robert", "chuck": "charles", "dick": "richard",
    "drew": "andrew", "hank": "henry", "harry": "henry", "jack": "john", "jim": "james",
    "jimmy": "james", "kate": "katherine", "katie": "katherine", "larry": "lawrence",
    "liz": "elizabeth", "meg": "margaret", "mike": "michael", "nick": "nicholas",
    "peggy": "margaret", "sasha": "alexander", "steve": "stephen", "ted": "edward",
    "tony": "anthony", "vicky": "victoria", "will": "william",
}  # fmt: skip

#: the wordings that one side may have
Wordings = list[str]


def statements(text: str) -> Iterator[tuple[Wordings, Wordings]]:
    """Every pair of names that a text says are one."""
    if not _HINT.search(text):
        return
    for sentence in sentences_of(_AKA.sub("aka", text)):
        if _DOUBT.search(sentence):
            continue
        for cue in _CUE.finditer(sentence):
            left, right = _ending(sentence[: cue.start()]), _beginning(sentence[cue.end() :])
            if left and right:
                yield left, right
        for one in _ROUND.finditer(sentence):
            inside = one["right"].strip()
            left = [name for name in _ending(one["left"]) if _agree(name, inside)]
            if left:
                yield left[:1], [inside]
        for given, nick, family in _NICKNAMED.findall(sentence):
            yield [f"{given} {family}"], [f"{nick} {family}", nick]


def _ending(text: str) -> Wordings:
    """The last words before a cue, from many to one; a name is not cut in two."""
    words = _last_run(text)
    found = []
    for start in range(len(words)):
        before = words[start - 1] if start else ""
        # a capital before it belongs to the name, but for the first word of a sentence
        if not (start > 1 and before[:1].isupper()):
            found.append(" ".join(words[start:]))
    return found


def _last_run(text: str) -> list[str]:
    """The words since the last mark that no name goes over, at most so many and one."""
    run = re.split(r"[,;:()\"“”=]", text)[-1]
    return _WORD.findall(run)[-_MOST_WORDS - 1 :]


def _beginning(text: str) -> Wordings:
    """The first words after a cue, from many to one; a name is not cut in two."""
    run = re.split(r"[,;:()=]|[.!?](?=\s|$)", text.strip().lstrip("\"“'"))[0]
    words = [word.strip("\"“”'") for word in _WORD.findall(run)][: _MOST_WORDS + 1]
    found = []
    for stop in range(len(words), 0, -1):
        after = words[stop] if stop < len(words) else ""
        if not (after[:1].isupper() or after[:1].isdigit()):
            found.append(" ".join(words[:stop]))
    return found


def _agree(name: str, inside: str) -> bool:
    """Whether letters say that what stands in brackets is the name before them."""
    words, others = name.split(), inside.split()
    if len(words) == len(others):
        return False
    short, long = (words, others) if len(words) < len(others) else (others, words)
    if len(short) != 1:
        return False
    word = short[0]
    initials = "".join(part[0] for part in long)
    if len(word) > 1 and word.isupper() and word == initials.upper():
        return True
    nick, given = word.casefold(), long[0].casefold()
    return (
        len(long) == 2
        and all(part[:1].isupper() for part in (word, *long))
        and (
            _NICKNAMES.get(nick) == given
            or (len(nick) > 2 and given.startswith(nick) and nick != given)
        )
    )
