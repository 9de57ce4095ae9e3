"""Bars: rows of a label and numbers -> lines of a terminal with a bar beside each number.

Bars of one column have one scale: its largest number has the longest bar, any number above 0 some
bar. Lines are not wider than asked for while there is room for labels and numbers. Labels are
foreign: they are made harmless, and cut with `…`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engram.model.display import columns, plain_line

#: one to eight eighths of a column
_EIGHTHS = "▏▎▍▌▋▊▉█"
#: columns of a bar; a longer one says no more
_LONGEST = 32


class Row(NamedTuple):
    """A label, and for each column a number that is not negative and how it is written."""

    label: str
    values: tuple[float, ...]
    texts: tuple[str, ...]


def counted(label: str, *values: int) -> Row:
    """A row of whole numbers."""
    return Row(label, values, tuple(f"{value:,}" for value in values))


def bar(value: float, largest: float, room: int, *, blocks: bool) -> str:
    """A bar of at most `room` columns, of blocks or of `#`."""
    if value <= 0 or largest <= 0 or room < 1:
        return ""
    part = min(value / largest, 1.0) * room
    if not blocks:
        return "#" * max(round(part), 1)
    whole, eighths = divmod(max(round(part * 8), 1), 8)
    return _EIGHTHS[-1] * whole + (_EIGHTHS[eighths - 1] if eighths else "")


def chart(heads: Sequence[str], rows: Sequence[Row], width: int, *, blocks: bool) -> Iterator[str]:
    """A line of heads, the first over the labels, and a line for each row."""
    if not rows:
        return
    end = "…" if blocks else "."
    labels = [plain_line(row.label) for row in rows]
    most = max(width // 3, 8)
    margin = min(max(columns(label) for label in (*labels, heads[0])), most)
    digits = [max(len(row.texts[at]) for row in rows) for at in range(len(heads) - 1)]
    room = min(max((width - margin - sum(digits)) // len(digits) - 2, 0), _LONGEST)
    largest = [max(row.values[at] for row in rows) for at in range(len(digits))]
    sizes = [digit + 1 + room for digit in digits]
    shown = (
        _filled(_cut(head, size, end), size) for head, size in zip(heads[1:], sizes, strict=True)
    )
    yield " ".join((_filled(_cut(heads[0], margin, end), margin), *shown)).rstrip()
    for label, row in zip(labels, rows, strict=True):
        cells = [_filled(_cut(label, margin, end), margin)]
        for at, (value, text) in enumerate(zip(row.values, row.texts, strict=True)):
            drawn = bar(value, largest[at], room, blocks=blocks)
            cells.append(_filled(f"{text:>{digits[at]}} {drawn}", sizes[at]))
        yield " ".join(cells).rstrip()


def _cut(text: str, room: int, end: str) -> str:
    """A line that ends in a mark where it is longer than its room."""
    if columns(text) <= room:
        return text
    while text and columns(text) + 1 > room:
        text = text[:-1]
    return text + end


def _filled(text: str, size: int) -> str:
    return text + " " * (size - columns(text))
