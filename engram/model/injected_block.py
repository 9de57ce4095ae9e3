"""The `<engram-memory>` block of this program in any text: taken out.

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
