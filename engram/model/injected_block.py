"""The `<engram-memory>` block of this program in any text: taken out, or put in its place.

A block without an end reaches to the end of the text. Nested blocks are one. Doubled opening tags
with a single end stop at that end, so that the words behind an injection which went wrong are not
lost. A stray closing tag counts as a block. Linear in the text, whatever it holds.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)engram-memory\b[^<>]*>?", re.IGNORECASE)


def without_own(text: str) -> str:
    """The text without its blocks."""
    pieces: list[str] = []
    done = 0
    for first, last in _spans(text):
        pieces.append(text[done:first])
        done = last
    return "".join(pieces) + text[done:]


def with_block(text: str, block: str) -> str:
    """The text with this block in place of every block in it, or at its end.

    An empty block only takes the others out.
    """
    spans = _spans(text)
    if spans and block:
        start = spans[0][0]
        return text[:start] + block + with_block(text[start:], "")
    while spans:
        # what is left may have closed up to a tag again
        text = without_own(text)
        spans = _spans(text)
    return text + block


def _spans(text: str) -> list[tuple[int, int]]:
    """Where blocks begin and end, in order and apart from one another."""
    tags = list(_TAG.finditer(text)) if "<" in text else []
    ends: dict[int, int] = {}
    opened: list[int] = []
    for tag in tags:
        if not tag[1]:
            opened.append(tag.start())
        elif opened:
            ends[opened.pop()] = tag.end()
    following = len(text)
    for tag in reversed(tags):
        following = tag.end() if tag[1] else following
        ends.setdefault(tag.start(), following)
    spans: list[tuple[int, int]] = []
    for start in sorted(ends):
        if not spans or start >= spans[-1][1]:
            spans.append((start, ends[start]))
    return spans
