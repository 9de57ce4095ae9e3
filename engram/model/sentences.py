"""A text -> its sentences, as ranges or as texts.

A sentence ends at `.`, `!`, `?` or `…` and the quotes and brackets behind them, before white space;
at `;` before white space; at 。！？. A stop within back-ticks, after an abbreviation or after a
single capital ends none. Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_STOP = re.compile(r"[.!?…]+[\"')\]*]*(?=\s|$)|;(?=\s|$)|[。！？]+")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|mr|mrs|ms|dr|st|resp|cf|incl|fig|a\.k\.a)|\b(?-i:[A-Z]))$",
    re.IGNORECASE,
)
#: the longest abbreviation, and a line feed behind it
_LONGEST = 7


def sentence_ranges(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """`(start, end)` of the sentences in a range; together they are the range."""
    at = start
    for stop in _STOP.finditer(text, start, end):
        before = stop.start()
        near = max(at, before - _LONGEST)
        if text[before] == "." and _ABBREVIATED.search(text, near, before):
            continue
        if text.count("`", at, stop.start()) % 2:
            continue
        yield at, stop.end()
        at = stop.end()
    if at < end:
        yield at, end


def sentences_around(text: str, quote: str) -> str:
    """The whole sentences that a quote of a text stands in, on one line; '' where it does not."""
    start = text.find(quote) if quote else -1
    if start < 0:
        return ""
    end = start + len(quote)
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    ranges = sentence_ranges(text, first, last if last >= 0 else len(text))
    inside = [one for one in ranges if one[1] > start and one[0] < end]
    return " ".join(text[inside[0][0] : inside[-1][1]].split()) if inside else ""


def sentences_of(text: str) -> list[str]:
    """The sentences without the white space around them; a line's end is a sentence's."""
    ranges = (
        (line, *one) for line in text.split("\n") for one in sentence_ranges(line, 0, len(line))
    )
    return [said for line, start, end in ranges if (said := line[start:end].strip())]
