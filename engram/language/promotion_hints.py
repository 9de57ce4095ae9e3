"""Words that ask for a space -> the space, and the statements that are to hold there (seed 002).

    "Remember this for me: I prefer tabs."               ->  user,    "I prefer tabs."
    "We ship weekly. Remember this for the project."     ->  project, "We ship weekly."
    "what does 'system memory' mean?", "a project memory leak"   ->  nothing is asked

`promotion_hint` finds the seed's phrases anywhere in a text. A wish is more: the phrase begins a
clause of the person's own, as a request, and a statement follows a colon, a dash, a comma or the
end of a line, or stands before it. Guarantees: ranges of the text itself, in order; nothing in
quotations, code or pasted text (`own_ranges`); linear, never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engram.language.handed_over import REMEMBER_THIS
from engram.language.own_ranges import Range, own_ranges, quotations
from engram.model.promotion import HINT, SpaceWish
from engram.model.sentences import sentence_ranges

#: phrase, space and code, in the order in which they are looked for
_HINTS = tuple(
    (phrase, SpaceWish(space, HINT + code))
    for space, code, phrases in (
        ("user", "remember_for_me", ("remember this for me",)),
        ("user", "remember_about_me", ("remember this about me",)),
        ("user", "save_for_me", ("save this for me",)),
        ("project", "remember_for_project", (
            "remember this for the project", "remember this for my project",
            "remember this for our project",
        )),
        ("project", "project_memory", ("project memory",)),
        ("system", "remember_for_everyone", ("remember this for everyone",)),
        ("system", "remember_for_system", ("remember this for the system",)),
        ("system", "system_memory", ("system memory",)),
    )
    for phrase in phrases
)  # fmt: skip


def promotion_hint(text: str) -> SpaceWish | None:
    """The space that a text names first, by the seed's order of phrases, wherever they stand."""
    folded = text.lower()
    return next((wish for phrase, wish in _HINTS if phrase in folded), None)


def asks_for(text: str, space: str) -> bool:
    """Whether a text asks for a statement to hold in a space."""
    return any(one.wish.space == space for one in asked_statements(text))


class AskedStatement(NamedTuple):
    """A statement and the space that is asked for it; `whole` is its range with the request."""

    wish: SpaceWish
    start: int
    end: int
    whole: Range


_REQUEST = re.compile(
    rf"(?:{REMEMBER_THIS}"
    r"|(?:add|put|save|store|write|note|keep|record)(?: (?:this|that|it|the following))?"
    r" (?:in|into|to) (?:the |our |my |your )?(?:project|system) memory)\b"
    r"(?:,? (?:please|pls|too|as well|thanks|thank you))*",
    re.IGNORECASE,
)
#: what may stand before a request in its clause
_POLITE = re.compile(
    r"[\s\W]*+(?:(?:please|pls|ok|okay|(?:hi|hey|hello)(?: \w+)?|so|and|also|oh|now|then|btw"
    r"|by the way|yes|great|thanks|(?:can|could|would|will) you|i(?:'d| would) like you to"
    r"|i want you to)\b[\s,!]*)*+",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[.!?;:,\n—–]")
_ASKED = re.compile(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
#: between a request and what follows it
_BEFORE_STATEMENT = re.compile(r"\s*(?::|\s[-–—](?=\s))\s*")
_NEXT_LINE = re.compile(r"[ \t]*\n\s*")
_COMMA = re.compile(r",\s+(?!(?:and|but|or|so|because|since|if|when|he|she|they|it|that|which)\b)")
_REST = re.compile(r"(?:and|but|or)\b", re.IGNORECASE)
_NOTHING_MORE = re.compile(r"\s*(?:[.!;]|$)")
#: at the end of a statement before the next request, or of one that a request follows
_LOOSE_WORDS, _LOOSE_SIGNS = frozenset(["and", "so", "also", "but", "please", "then"]), " \t\n,;—–-"
#: more requests of one turn are not read
_MOST = 12
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)])[ \t]+")


def asked_statements(text: str) -> list[AskedStatement]:
    """The statements for which the person asks for a space, in their order."""
    if promotion_hint(text) is None:
        return []
    own = own_ranges(text)
    quoted = quotations(text) if own else []
    found = [
        (request, paragraph)
        for paragraph in own
        for request in _REQUEST.finditer(text, *paragraph)
        if _is_request(text, request, paragraph)
        and not any(first <= request.start() < last for first, last in quoted)
    ]
    told: list[AskedStatement] = []
    for number, (request, paragraph) in enumerate(found[:_MOST]):
        wish = promotion_hint(" ".join(request.group().split()))
        following = found[number + 1][0].start() if number + 1 < len(found) else len(text)
        ranges = _statements(text, request, paragraph, own, following)
        if wish is None:
            continue
        for start, end in ranges:
            whole = min(start, request.start()), max(end, request.end())
            told.append(AskedStatement(wish, start, end, whole))
    return told


def _is_request(text: str, request: re.Match[str], paragraph: Range) -> bool:
    before = text[paragraph[0] : request.start()]
    ends = list(_CLAUSE_END.finditer(before))
    clause = before[ends[-1].end() :] if ends else before
    return _POLITE.fullmatch(clause) is not None


def _statements(
    text: str, request: re.Match[str], paragraph: Range, own: Sequence[Range], following: int
) -> list[Range]:
    """The ranges of what a request is about: behind it, else before it."""
    opens = _POLITE.fullmatch(text, paragraph[0], request.start()) is not None
    after = _BEFORE_STATEMENT.match(text, request.end()) or _COMMA.match(text, request.end())
    after = after or (_NEXT_LINE.match(text, request.end()) if opens else None)
    if after is not None:
        if after.end() < paragraph[1]:
            found = [_first_sentence(text, after.end(), min(paragraph[1], following))]
        else:
            found = list(_below(text, after.end(), own, following))
    elif _NOTHING_MORE.match(text, request.end(), paragraph[1]):
        found = [_last_sentence(text, paragraph[0], request.start())]
        if found[0][0] == found[0][1]:
            found = [_first_sentence(text, request.end() + 1, min(paragraph[1], following))]
    else:
        found = []
    polite = _ASKED.search(text, paragraph[0], request.start()) is not None
    kept = (_trimmed(text, start, end, polite) for start, end in found)
    return [one for one in kept if _states(text[slice(*one)])]


def _states(said: str) -> bool:
    """Whether words say something: no question, no courtesy, not the rest of the request."""
    if not said or said.endswith("?") or _REST.match(said):
        return False
    return _POLITE.fullmatch(said.rstrip(" .!,")) is None


def _without_loose_end(said: str) -> str:
    while True:
        said = said.rstrip(_LOOSE_SIGNS)
        word = said.rsplit(None, 1)[-1] if said else ""
        if word.casefold() not in _LOOSE_WORDS:
            return said
        said = said.removesuffix(word)


def _first_sentence(text: str, start: int, end: int) -> Range:
    return next(iter(sentence_ranges(text, start, end)), (start, start))


def _last_sentence(text: str, start: int, end: int) -> Range:
    found = [one for one in sentence_ranges(text, start, end) if text[one[0] : one[1]].strip()]
    found = [one for one in found if not _POLITE.fullmatch(text[one[0] : one[1]])]
    return found[-1] if found else (start, start)


def _below(text: str, start: int, own: Sequence[Range], following: int) -> Iterator[Range]:
    """The items of the list below a request, or the first sentence of the paragraph there."""
    ranges = [one for one in own if start <= one[0] < following or one[0] < start < one[1]]
    for first, last in ranges:
        line = text.rfind("\n", 0, first) + 1
        item = _ITEM.match(text, line)
        if item is None:
            if (first, last) == ranges[0]:
                yield _first_sentence(text, max(first, start), min(last, following))
            return
        yield max(item.end(), first), min(last, following)


def _trimmed(text: str, start: int, end: int, polite: bool) -> Range:
    """A range without white space and loose words at its ends, nor the sign of a polite request."""
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    end = start + len(_without_loose_end(text[start:end])) if start < end else start
    if polite and text[end - 1 : end] == "?":
        end -= 1
    return start, end
