"""A message that is too long to be shown whole -> the parts of it that tell most.

Its beginning and its end, cut between paragraphs or at least between lines, and of what lies
between them the lines that begin with the mark of a list, a heading or the row of a table: there
results stand. Code between fences has no such lines. What is left out shows as `[...]`.
"""

from __future__ import annotations

import re

GAP = "[...]"
#: parts of the room for the end, and for lines between it and the beginning
_END, _BETWEEN = 4, 4
#: as much of one line between beginning and end is shown
_LINE = 240
_MARKED = re.compile(r"\s{0,8}(?:[-*+•–]\s+\S|\d{1,3}[.)]\s+\S|#{1,6}\s+\S|\|.*\w)")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")


def shown(text: str, most: int) -> str:
    """At most so many characters of a message."""
    if len(text) <= most:
        return text
    ended = most // _END
    between = most // _BETWEEN
    begun = most - ended - between - 2 * len(f"\n{GAP}\n")
    end = len(text) - ended + _opening(text[-ended:])
    start = _closing(text[:begun])
    lines = _marked(text[start:end], between, fenced=_is_open(text[:start]))
    if not lines:
        start = _closing(text[: begun + between])
    return "\n".join([text[:start].rstrip(), *(lines or [GAP]), text[end:].lstrip("\n")])


def _closing(text: str) -> int:
    """Where the last paragraph, line or word of a beginning ends, if that is not too early."""
    for mark in ("\n\n", "\n", " "):
        at = text.rfind(mark)
        if at >= len(text) // 2:
            return at
    return len(text)


def _opening(text: str) -> int:
    """Where the first paragraph, line or word of an end begins, if that is not too late."""
    for mark in ("\n\n", "\n", " "):
        at = text.find(mark)
        if 0 <= at < len(text) // 2:
            return at + len(mark)
    return 0


def _marked(text: str, room: int, *, fenced: bool) -> list[str]:
    """The marked lines that there is room for, with what is left out between them."""
    found, gap = [GAP], True
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and _MARKED.match(line) and len(line[:_LINE]) < room:
            found.append(line[:_LINE])
            gap = False
            room -= len(found[-1]) + 1
            continue
        if not gap and any(map(str.isalnum, line)):
            found.append(GAP)
            room -= len(GAP) + 1
            gap = True
    return [] if len(found) == 1 else found if gap else [*found, GAP]


def _is_open(text: str) -> bool:
    """Whether a text ends within a fence."""
    return sum(bool(_FENCE.match(line)) for line in text.split("\n")) % 2 == 1
