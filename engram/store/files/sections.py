"""The `##` sections of a note's body: where they are, and new lines among a person's own ones.

A body is handled as its lines, each with its end, so that what is not replaced stays byte for byte.
A section runs from its heading to the next heading of the first or second level; headings in code
blocks are none, unless a block is never closed: that hides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from engram.model.markdown import code_lines

Item = TypeVar("Item")

_HEADING = re.compile(r"(#{1,2})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")


def lines_of(body: str, newline: str) -> list[str]:
    """The lines, each with its end; only `\n` ends one, and the last one is given `newline`."""
    lines = [line + "\n" for line in body.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last + newline] if last else lines


def body_of(lines: Sequence[str], newline: str, old: str) -> str:
    """The lines as a body; the last line of `old` gets no end where it still is the last."""
    body = "".join(lines)
    last = old.rpartition("\n")[2]
    return body.removesuffix(newline) if last and lines[-1] == last + newline else body


def bare(line: str) -> str:
    """A line without its end."""
    return line.removesuffix("\n").removesuffix("\r")


def headings(lines: Sequence[str]) -> list[tuple[int, int, str]]:
    """`(line number, level, text)` of every heading of the first two levels."""
    plain = [bare(line) for line in lines]
    # the line that is added is inside only where the last block stays open
    code = code_lines([*plain, ""])
    if code.pop():
        code = [False] * len(plain)
    found = ((number, _HEADING.fullmatch(line)) for number, line in enumerate(plain))
    return [
        (number, len(match[1]), match[2])
        for number, match in found
        if match is not None and not code[number]
    ]


def sections(lines: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The line of each `##` heading, by its casefolded text, and the line after its section.

    Of two with one name the first counts.
    """
    marks = headings(lines)
    ends = [*(number for number, _, _ in marks[1:]), len(lines)]
    found: dict[str, tuple[int, int]] = {}
    for (number, level, text), end in zip(marks, ends, strict=False):
        if level == 2:
            found.setdefault(text.casefold(), (number, end))
    return found


def interleave(
    old: Sequence[str],
    wanted: Sequence[Item],
    read: Callable[[str], Item | None],
    key: Callable[[Item], Hashable],
    show: Callable[[Item], str],
    newline: str,
) -> list[str]:
    """The lines of a list with exactly the wanted items in their order, and every other line.

    A line is an item when `read` says so. An item that is there keeps its place among the other
    lines, and its bytes when it says the same; the lines of items that are not wanted go. Lines
    have their ends, but what `read` is given and `show` gives has none.
    """
    places = {key(item): place for place, item in enumerate(wanted)}
    new: list[str] = []
    done = end = 0
    for line in old:
        item = read(bare(line))
        if item is None:
            new.append(line)
            if line[:1] in (" ", "\t") and line.strip() and end == len(new) - 1:
                end = len(new)  # goes on from the item above
            continue
        place = places.get(key(item), -1)
        if place >= done:
            new += [show(one) + newline for one in wanted[done:place]]
            new.append(line if item == wanted[place] else show(wanted[place]) + newline)
            done = place + 1
        end = len(new)
    if not end:
        end = len(new)
        while end and not new[end - 1].strip():
            end -= 1
    new[end:end] = [show(one) + newline for one in wanted[done:]]
    return new
